// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package bash

import (
	"slices"
	"strings"
)

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
func (r *reader) interpret(s *interpreter, c *Command, _ input) {
	skip := false // the value of an option
	for _, w := range c.Words[1:] {
		if skip {
			skip = false
			continue
		}
		if w.loose {
			r.line.doubt(DoubtOption, "an argument of "+c.Name+" that may be code")
			return
		}
		if readsInput(w.Text) {
			break
		}
		if len(w.Text) < 2 || w.Text[0] != '-' {
			r.interpretFile(s, c, w)
			return
		}
		var ends, code bool
		if ends, code, skip = s.option(w.Text); code {
			r.line.doubt(DoubtForeign, "code for "+c.Name)
		}
		if ends {
			return
		}
	}
	if s.input {
		r.line.doubt(DoubtForeign, c.Name+" runs code that it reads")
	}
}

// interpretFile is the first operand: the name of a file, or of a command of the interpreter.
func (r *reader) interpretFile(s *interpreter, c *Command, w Word) {
	if slices.Contains(s.subs, w.Text) {
		r.line.doubt(DoubtForeign, "code for "+c.Name)
	}
	if !w.Known {
		r.line.doubt(DoubtCode, c.Name+" runs a file whose name is computed")
	}
}

// readsInput reports whether an operand means what the interpreter reads.
func readsInput(t string) bool {
	return t == "-" || t == "/dev/stdin" || strings.HasPrefix(t, "/dev/fd/") || strings.HasPrefix(t, "/proc/self/")
}

// option says what an option is: ends, it decides what runs, or nothing runs; code, it holds code;
// value, the next word is its value.
func (s *interpreter) option(t string) (ends, code, value bool) {
	if long, ok := strings.CutPrefix(t, "--"); ok {
		name, _, _ := strings.Cut(long, "=")
		code = name != "" && name != "version" && name != "help" &&
			slices.ContainsFunc(s.long, func(l string) bool { return strings.HasPrefix(l, name) })
		return code || name == "version" || name == "help", code, false
	}
	for j := 1; j < len(t); j++ {
		if strings.IndexByte(s.code, t[j]) >= 0 {
			return true, true, false
		}
		if strings.IndexByte(s.values, t[j]) >= 0 {
			return t[j] == 'm', false, j+1 == len(t)
		}
	}
	return len(t) == 2 && (t[1] == 'v' || t[1] == 'V' || t[1] == 'h'), false, false
}
