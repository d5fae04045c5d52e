// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package programs

import (
	"strings"

	"github.com/toolscope/toolscope/middleware/permit/internal/shell"
)

// A shellKind is a program that reads shell code.
type shellKind struct {
	shell.Syntax
	// like is how close its language is to bash's: a shell of another language is
	// understood for simple words only.
	like bool
}

var (
	posixShell = &shellKind{
		shell.Syntax{
			Flags: "abBcefhilmnprstuvxCDEHPT", Values: "oO", Plus: true,
			Long: []string{"login", "noprofile", "norc", "posix", "verbose", "restricted", "noediting", "init-file=",
				"rcfile=", "debugger", "help", "version"},
		},
		true,
	}
	otherShell = &shellKind{
		shell.Syntax{
			Flags: "abcdefghijklmnpqrstuvwxyzBCDEFGHIJKLMNPQRSTUVWXYZ0123456789", Values: "oO", Plus: true,
			Long: []string{"command=", "login", "no-config", "private"},
		},
		false,
	}
)

var shells = map[string]*shellKind{
	"sh": posixShell, "bash": posixShell, "dash": posixShell, "ash": posixShell, "rbash": posixShell,
	"ksh": posixShell, "mksh": posixShell, "lksh": posixShell, "pdksh": posixShell, "posh": posixShell,
	"yash": posixShell,
	"zsh":  otherShell, "fish": otherShell, "csh": otherShell, "tcsh": otherShell, "rc": otherShell,
	"es": otherShell, "elvish": otherShell, "nu": otherShell, "xonsh": otherShell, "pwsh": otherShell,
	"powershell": otherShell, "osh": otherShell, "rksh": otherShell, "rzsh": otherShell,
}

// runsShell lists what a shell runs: a text, its input, or a file.
func (r inspector) runsShell(s *shellKind, c *shell.Command, in shell.Input) {
	options, rest, sure := s.Scan(c.Words[1:])
	if !sure {
		r.Doubt(shell.DoubtOption, "an option of "+c.Name+" is not known")
	}
	for _, o := range options {
		switch o.Name {
		case "i", "l", "login", "rcfile", "init-file":
			r.Doubt(shell.DoubtCode, c.Name+" runs code of start-up files")
		case "help", "version":
			return
		case "O":
			r.Doubt(shell.DoubtName, "a shell option changes how a line is read")
		}
	}
	_, text := shell.Find(options, "c")
	long, fish := shell.Find(options, "command")
	_, input := shell.Find(options, "s")
	switch {
	case fish:
		r.foreign(s, c, long, in)
	case text && len(rest) > 0:
		r.foreign(s, c, rest[0], in)
	case text:
		r.Doubt(shell.DoubtSyntax, c.Name+" -c without code")
	case input || len(rest) == 0 || rest[0].Text == "-" || rest[0].Text == "/dev/stdin" ||
		strings.HasPrefix(rest[0].Text, "/dev/fd/") || strings.HasPrefix(rest[0].Text, "/proc/"):
		r.readsCode(s, c, in)
	case !rest[0].Known:
		r.Doubt(shell.DoubtCode, c.Name+" runs a file whose name is computed")
	}
}

// readsCode is a shell that reads its code from its input.
func (r inspector) readsCode(s *shellKind, c *shell.Command, in shell.Input) {
	if !in.Known {
		r.Doubt(shell.DoubtCode, c.Name+" runs code that it reads")
	}
	if in.Text != "" {
		r.foreign(s, c, shell.Word{Text: in.Text, Known: true}, shell.Input{Given: true})
	}
}

// foreign is code for a shell; if the shell is not like bash, only words that all
// shells read alike are understood.
func (r inspector) foreign(s *shellKind, c *shell.Command, code shell.Word, in shell.Input) {
	if !s.like {
		for _, b := range []byte(code.Text) {
			if !('a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || strings.IndexByte(" _./,:@%+-;\n&|", b) >= 0) {
				r.Doubt(shell.DoubtForeign, "code for "+c.Name+", which reads it in its own way")
				break
			}
		}
	}
	r.ReadCode(c, code, in)
}
