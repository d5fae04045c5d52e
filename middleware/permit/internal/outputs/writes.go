// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package outputs

import (
	"slices"
	"strings"

	"github.com/toolscope/toolscope/middleware/permit/internal/programs"
	"github.com/toolscope/toolscope/middleware/permit/internal/shell"
)

// A target says which words of a program name files that it writes.
type target uint8

const (
	all    target = iota + 1 // every operand
	last                     // the last operand
	second                   // every operand but the first: a mode, an owner, an input
)

var targets = map[string]target{
	"tee": all, "touch": all, "mkdir": all, "rmdir": all, "truncate": all, "shred": all, "unlink": all, "rm": all,
	"mkfifo": all, "mknod": all, "sponge": all, "link": all, "patch": all, "cpio": all, "pax": all,
	"cp": last, "mv": all, "ln": last, "install": last, "rsync": last, "scp": last,
	// these write their second operand
	"chmod": second, "chown": second, "chgrp": second, "chattr": second, "uniq": second, "xxd": second,
}

// Writes are the files that a line writes, creates, removes or changes the mode of:
// the targets of redirections, and the operands of well-known programs (cp, mv, rm, tee,
// dd, touch, chmod, sed -i …). A target that is not known has the best guess as
// text. Terminals and /dev/null are left out.
func Writes(l *shell.Line) []shell.Word {
	var words []shell.Word
	for _, d := range l.Redirects {
		if d.Write {
			words = append(words, d.Target)
		}
	}
	for i := range l.Commands {
		words = writes(&l.Commands[i], words)
	}
	kept := words[:0]
	for _, w := range words {
		if !harmless(w) {
			kept = append(kept, w)
		}
	}
	return kept
}

func harmless(w shell.Word) bool {
	if w.Pipe { // tee >(…)
		return true
	}
	switch w.Text {
	case "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/stdin":
		return w.Known
	}
	fd, ok := strings.CutPrefix(w.Text, "/dev/fd/")
	return w.Known && ok && shell.IsNumber(fd) || shell.IsNetwork(w.Text)
}

func writes(c *shell.Command, words []shell.Word) []shell.Word {
	name := strings.ToLower(c.Name)
	kind := targets[name]
	switch name {
	case "sed", "gsed":
		if _, files, inPlace := programs.SedArguments(c.Words[1:]); inPlace {
			words = append(words, files...)
		}
		return words
	case "perl", "yq":
		for _, w := range c.Words[1:] {
			if len(w.Text) > 1 && w.Text[0] == '-' && w.Text[1] != '-' && strings.Contains(w.Text, "i") || w.Text == "--inplace" {
				kind = all
			}
		}
	case "dd":
		for _, w := range c.Words[1:] {
			if file, ok := strings.CutPrefix(w.Text, "of="); ok {
				words = append(words, shell.Word{Text: file, Known: w.Known})
			}
		}
		return words
	}
	if name == "install" && slices.ContainsFunc(c.Words[1:], func(w shell.Word) bool {
		return w.Text == "--directory" || len(w.Text) > 1 && w.Text[0] == '-' && w.Text[1] != '-' && strings.Contains(w.Text, "d")
	}) {
		kind = all
	}
	if kind == 0 && outputs[name] == nil && !longOption(c) {
		return words
	}
	words, operands := optionOutputs(c, name, words, kind != 0)
	switch {
	case len(operands) == 0 || kind == 0:
	case kind == second && like(c): // no mode and no owner
		words = append(words, operands...)
	case name == "ln" && len(operands) == 1: // into this directory
		words = append(words, shell.Word{Text: ".", Known: true})
	case kind == last:
		words = append(words, operands[len(operands)-1])
	case kind == second:
		words = append(words, operands[1:]...)
	default:
		words = append(words, operands...)
	}
	return words
}

// like reports whether a mode or an owner is taken from another file.
func like(c *shell.Command) bool {
	for _, w := range c.Words[1:] {
		if len(w.Text) > 4 && strings.HasPrefix("--reference", strings.SplitN(w.Text, "=", 2)[0]) {
			return true
		}
	}
	return false
}
