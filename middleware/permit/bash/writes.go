// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package bash

import "strings"

// A target says which words of a program name files that it writes.
type target uint8

const (
	all    target = iota + 1 // every operand
	last                     // the last operand
	second                   // every operand but the first: a mode or an owner
)

var targets = map[string]target{
	"tee": all, "touch": all, "mkdir": all, "rmdir": all, "truncate": all, "shred": all, "unlink": all, "rm": all, "mkfifo": all, "mknod": all, "sponge": all,
	"cp": last, "mv": all, "ln": last, "install": last, "rsync": last, "scp": last,
	"chmod": second, "chown": second, "chgrp": second, "chattr": second,
}

// outputs are options whose value is a file that the program writes.
var outputs = map[string][]string{
	"curl": {"-o", "--output"}, "wget": {"-O", "--output-document", "-P", "--directory-prefix"}, "sort": {"-o", "--output"}, "cp": {"-t", "--target-directory"}, "mv": {"-t", "--target-directory"}, "ln": {"-t", "--target-directory"}, "install": {"-t", "--target-directory"},
	"tar": {"-C", "--directory"}, "unzip": {"-d"}, "gcc": {"-o"}, "go": {"-o"},
}

// Writes are the files that the line writes, creates, removes or changes the mode of:
// the targets of redirections, and the operands of well-known programs (cp, mv, rm, tee,
// dd, touch, chmod, sed -i …). A target that is not known has the best guess as
// text. Terminals and /dev/null are left out.
func (l *Line) Writes() []Word {
	var words []Word
	for _, d := range l.Redirects {
		if d.Write {
			words = append(words, d.Target)
		}
	}
	for i := range l.Commands {
		words = l.Commands[i].writes(words)
	}
	kept := words[:0]
	for _, w := range words {
		if !harmless(w) {
			kept = append(kept, w)
		}
	}
	return kept
}

func harmless(w Word) bool {
	switch w.Text {
	case "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/stdin":
		return w.Known
	}
	fd, ok := strings.CutPrefix(w.Text, "/dev/fd/")
	return w.Known && ok && number(fd) || network(w.Text)
}

func (c *Command) writes(words []Word) []Word {
	name := strings.ToLower(c.Name)
	kind := targets[name]
	inPlace := false
	if name == "sed" || name == "gsed" || name == "perl" {
		for _, w := range c.Words[1:] {
			inPlace = inPlace || strings.HasPrefix(w.Text, "--in-place") || len(w.Text) > 1 && w.Text[0] == '-' && w.Text[1] != '-' && strings.Contains(w.Text, "i")
		}
		if inPlace {
			kind = second // the first is the script
		}
	}
	if kind == 0 && name != "dd" && outputs[name] == nil {
		return words
	}
	var operands []Word
	literal := false
	for i := 1; i < len(c.Words); i++ {
		w := c.Words[i]
		switch {
		case name == "dd":
			if file, ok := strings.CutPrefix(w.Text, "of="); ok {
				words = append(words, Word{Text: file, Known: w.Known})
			}
		case !literal && w.Text == "--":
			literal = true
		case !literal && len(w.Text) > 1 && w.Text[0] == '-':
			for _, o := range outputs[name] {
				switch value, ok := strings.CutPrefix(w.Text, o); {
				case !ok:
				case value == "" && i+1 < len(c.Words):
					i++
					words = append(words, c.Words[i])
				case value != "":
					words = append(words, Word{Text: strings.TrimPrefix(value, "="), Known: w.Known})
				}
			}
		default:
			operands = append(operands, w)
		}
	}
	switch {
	case len(operands) == 0 || kind == 0:
	case kind == last:
		words = append(words, operands[len(operands)-1])
	case kind == second:
		words = append(words, operands[1:]...)
	default:
		words = append(words, operands...)
	}
	return words
}
