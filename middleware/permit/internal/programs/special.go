// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package programs

import (
	"strings"

	"github.com/toolscope/toolscope/middleware/permit/internal/shell"
)

// find lists the commands of -exec and its like, and doubts arguments that may turn
// into one.
func (r inspector) find(c *shell.Command, in shell.Input) {
	words := c.Words[1:]
	for i := 0; i < len(words); i++ {
		w := words[i]
		if w.Loose {
			r.Doubt(shell.DoubtOption, "an argument of find that may be -exec")
		}
		switch w.Text {
		case "-exec", "-execdir", "-ok", "-okdir":
			end := i + 1
			for end < len(words) && words[end].Text != ";" && !(words[end].Text == "+" && words[end-1].Text == "{}") {
				end++
			}
			run := make([]shell.Word, 0, end-i)
			for _, x := range words[i+1 : end] {
				if strings.Contains(x.Text, "{}") {
					x.Known, x.Loose = false, x.Loose || strings.HasPrefix(x.Text, "{}")
				}
				run = append(run, x)
			}
			r.StartCommand(c, run, nil, in)
			i = end
		case "-fprint", "-fprint0", "-fls", "-fprintf":
			if i+1 < len(words) {
				r.AddRedirect(shell.Redirect{Target: words[i+1], Write: true})
			}
		}
	}
}

// fd lists the command behind -x or -X.
func (r inspector) fd(c *shell.Command, in shell.Input) {
	for i, w := range c.Words[1:] {
		if w.Loose {
			r.Doubt(shell.DoubtOption, "an argument of "+c.Name+" that may be --exec")
		}
		name, value, has := strings.Cut(w.Text, "=")
		if name == "-x" || name == "-X" || len(name) > 3 && (strings.HasPrefix("--exec", name) ||
			strings.HasPrefix("--exec-batch", name)) {
			words := append([]shell.Word(nil), c.Words[i+2:]...)
			if has {
				words = append([]shell.Word{{Text: value, Known: w.Known}}, words...)
			}
			r.StartCommand(c, append(words, shell.Word{Loose: true}), nil, in)
			return
		}
		if len(name) > 2 && name[0] == '-' && name[1] != '-' && strings.ContainsAny(name, "xX") { // -Hx
			r.Doubt(shell.DoubtOption, c.Name+" "+shell.Clip(name)+" starts a program")
		}
	}
}

// parallel gives a shell the command with arguments that it reads or finds behind :::.
func (r inspector) parallel(c *shell.Command, in shell.Input) {
	s := shell.Syntax{
		Flags: "0kqtvXmux", Values: "jnNLPIsaCdE",
		Long: []string{"jobs=", "keep-order", "quote", "null", "dry-run", "bar", "progress", "eta", "max-args=",
			"line-buffer", "ungroup", "group", "tag", "will-cite", "halt=", "delay=", "timeout=", "retries=", "xargs",
			"colsep=", "arg-file=", "link", "shuf", "verbose"},
	}
	_, rest, sure := s.Scan(c.Words[1:])
	if !sure {
		r.Doubt(shell.DoubtOption, "an option of parallel is not known")
	}
	end := 0
	for end < len(rest) && !strings.HasPrefix(rest[end].Text, ":::") {
		end++
	}
	if end == 0 {
		r.Doubt(shell.DoubtCode, "parallel runs its arguments or its input as commands")
		for _, w := range rest[min(1, len(rest)):] {
			r.ReadCode(c, w, in)
		}
		return
	}
	code := shell.Join(rest[:end])
	r.ReadCode(c, code, shell.Input{Given: true})
	if end == len(rest) || strings.HasPrefix(rest[0].Text, "{") || strings.ContainsAny(code.Text, ";|&$`'\"") {
		r.Doubt(shell.DoubtCode, "parallel gives a shell arguments that are not known")
	}
}

// entr starts a command when a file changes.
func (r inspector) entr(c *shell.Command, in shell.Input) {
	s := shell.Syntax{Flags: "acdnprsxz"}
	options, rest, sure := s.Scan(c.Words[1:])
	if !sure {
		r.Doubt(shell.DoubtOption, "an option of entr is not known")
	}
	if _, ok := shell.Find(options, "s"); ok {
		r.ReadCode(c, shell.Join(rest), in)
		return
	}
	r.StartCommand(c, rest, nil, in)
}

// daemon is start-stop-daemon.
func (r inspector) daemon(c *shell.Command, in shell.Input) {
	for i, w := range c.Words {
		if name, _, _ := strings.Cut(w.Text, "="); name == "-x" || name == "-a" || len(name) > 2 &&
			(strings.HasPrefix("--exec", name) || strings.HasPrefix("--startas", name)) {
			r.Doubt(shell.DoubtOption, "an option of "+c.Name+" that starts a program")
			if i+1 < len(c.Words) {
				r.StartCommand(c, c.Words[i+1:i+2], nil, in)
			}
		}
	}
}
