// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package bash

import "strings"

// A shellKind is a program that reads shell code.
type shellKind struct {
	syntaxOf
	// like is how close its language is to bash's: a shell of another language is
	// understood for simple words only.
	like bool
}

var (
	posixShell = &shellKind{syntaxOf{flags: "abBcefhilmnprstuvxCDEHPT", values: "oO", plus: true, long: []string{"login", "noprofile", "norc", "posix", "verbose", "restricted", "noediting", "init-file=", "rcfile=", "debugger", "help", "version"}}, true}
	otherShell = &shellKind{syntaxOf{flags: "abcdefghijklmnpqrstuvwxyzBCDEFGHIJKLMNPQRSTUVWXYZ0123456789", values: "oO", plus: true, long: []string{"command=", "login", "no-config", "private"}}, false}
)

var shells = map[string]*shellKind{
	"sh": posixShell, "bash": posixShell, "dash": posixShell, "ash": posixShell, "rbash": posixShell, "ksh": posixShell, "mksh": posixShell, "lksh": posixShell, "pdksh": posixShell, "posh": posixShell, "yash": posixShell,
	"zsh": otherShell, "fish": otherShell, "csh": otherShell, "tcsh": otherShell, "rc": otherShell, "es": otherShell, "elvish": otherShell, "nu": otherShell, "xonsh": otherShell, "pwsh": otherShell, "powershell": otherShell, "osh": otherShell, "rksh": otherShell, "rzsh": otherShell,
}

// runsShell lists what a shell is told to run: a text, its input, or a file.
func (r *reader) runsShell(s *shellKind, c *Command, in input) {
	options, rest, sure := s.scan(c.Words[1:])
	if !sure {
		r.line.doubt(DoubtOption, "an option of "+c.Name+" is not known")
	}
	for _, o := range options {
		switch o.name {
		case "i", "l", "login", "rcfile", "init-file":
			r.line.doubt(DoubtCode, c.Name+" runs code of start-up files")
		case "help", "version":
			return
		case "O":
			r.line.doubt(DoubtName, "a shell option changes how a line is read")
		}
	}
	_, text := find(options, "c")
	long, fish := find(options, "command")
	_, input := find(options, "s")
	switch {
	case fish:
		r.foreign(s, c, long, in)
	case text && len(rest) > 0:
		r.foreign(s, c, rest[0], in)
	case text:
		r.line.doubt(DoubtSyntax, c.Name+" -c without code")
	case input || len(rest) == 0 || rest[0].Text == "-" || rest[0].Text == "/dev/stdin" || strings.HasPrefix(rest[0].Text, "/dev/fd/") || strings.HasPrefix(rest[0].Text, "/proc/"):
		r.readsCode(s, c, in)
	case !rest[0].Known:
		r.line.doubt(DoubtCode, c.Name+" runs a file whose name is computed")
	}
}

// readsCode is a shell that reads its code from its input.
func (r *reader) readsCode(s *shellKind, c *Command, in input) {
	if !in.known {
		r.line.doubt(DoubtCode, c.Name+" runs code that it reads")
	}
	if in.text != "" {
		r.foreign(s, c, Word{Text: in.text, Known: true}, input{given: true})
	}
}

// foreign is code for a shell; if the shell is not like bash, only words that all
// shells read alike are understood.
func (r *reader) foreign(s *shellKind, c *Command, code Word, in input) {
	if !s.like {
		for _, b := range []byte(code.Text) {
			if !('a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || strings.IndexByte(" _./,:@%+-;\n&|", b) >= 0) {
				r.line.doubt(DoubtForeign, "code for "+c.Name+", which reads it in its own way")
				break
			}
		}
	}
	r.shell(c, code, in)
}

// An interpreter runs code of another language.
type interpreter struct {
	syntaxOf
	code  string // letters with which the arguments hold code
	long  []string
	input bool     // reads code from its input if there is no operand
	subs  []string // first operands that are followed by code
}

var interpreters = map[string]*interpreter{
	"python":    {syntaxOf: syntaxOf{flags: "bBdEhiIOPqsSuvVx?", values: "WXQm", long: []string{"help", "version", "check-hash-based-pycs="}}, code: "c", input: true},
	"pypy":      {syntaxOf: syntaxOf{flags: "bBdEhiIOPqsSuvVx?", values: "WXQm"}, code: "c", input: true},
	"ipython":   {code: "c", input: true},
	"perl":      {code: "eEnpMmxd", input: true},
	"ruby":      {code: "enpr", input: true},
	"irb":       {input: true},
	"node":      {code: "epr", long: []string{"eval", "print", "require", "import", "loader", "experimental-loader", "env-file", "experimental-config-file"}, input: true},
	"nodejs":    {code: "epr", long: []string{"eval", "print", "require", "import", "loader", "experimental-loader"}, input: true},
	"deno":      {subs: []string{"eval", "repl"}, input: true},
	"bun":       {code: "ep", long: []string{"eval", "print", "preload"}, subs: []string{"exec"}},
	"php":       {code: "rBREd", long: []string{"run", "process-code", "define"}, input: true},
	"lua":       {code: "el", input: true},
	"luajit":    {code: "el", input: true},
	"rscript":   {code: "e"},
	"julia":     {code: "eEL", long: []string{"eval", "print", "load"}, input: true},
	"osascript": {code: "el", input: true},
	"tclsh":     {input: true}, "wish": {input: true}, "expect": {code: "c", input: true},
	"groovy": {code: "e"}, "scala": {code: "e"}, "jshell": {input: true}, "ghc": {code: "e"}, "elixir": {code: "e", long: []string{"eval", "rpc-eval"}}, "erl": {code: "es", long: []string{"eval"}},
	"guile": {code: "c", input: true}, "racket": {code: "e"}, "sbcl": {long: []string{"eval", "load"}, input: true}, "clojure": {code: "e"}, "octave": {long: []string{"eval"}, input: true}, "swipl": {code: "gt"},
	"gnuplot": {code: "e", input: true}, "m4": {input: true}, "bc": nil, "jrunscript": {code: "e", input: true},
}

// interpret doubts code for an interpreter. A file of code is a program like any
// other.
func (r *reader) interpret(s *interpreter, c *Command, in input) {
	operand := false
	for i := 1; i < len(c.Words); i++ {
		w := c.Words[i]
		if w.loose {
			r.line.doubt(DoubtOption, "an argument of "+c.Name+" that may be code")
			return
		}
		t := w.Text
		if t == "-" || t == "/dev/stdin" || strings.HasPrefix(t, "/dev/fd/") || strings.HasPrefix(t, "/proc/self/") {
			break
		}
		if name, ok := strings.CutPrefix(t, "--"); ok {
			name, _, _ = strings.Cut(name, "=")
			if name == "" {
				continue
			}
			if name == "version" || name == "help" {
				return
			}
			for _, l := range s.long {
				if strings.HasPrefix(l, name) {
					r.line.doubt(DoubtForeign, "code for "+c.Name)
					return
				}
			}
			continue
		}
		if len(t) > 1 && t[0] == '-' {
			j := 1
			for ; j < len(t); j++ {
				if strings.IndexByte(s.code, t[j]) >= 0 {
					r.line.doubt(DoubtForeign, "code for "+c.Name)
					return
				}
				if strings.IndexByte(s.values, t[j]) >= 0 {
					operand = operand || t[j] == 'm'
					if j+1 == len(t) {
						i++ // its value
					}
					break
				}
			}
			if j == 2 && len(t) == 2 && (t[1] == 'v' || t[1] == 'V' || t[1] == 'h') {
				return
			}
			if operand {
				return
			}
			continue
		}
		for _, sub := range s.subs {
			if t == sub {
				r.line.doubt(DoubtForeign, "code for "+c.Name)
			}
		}
		if !w.Known {
			r.line.doubt(DoubtCode, c.Name+" runs a file whose name is computed")
		}
		return
	}
	if s.input {
		r.line.doubt(DoubtForeign, c.Name+" runs code that it reads")
	}
}
