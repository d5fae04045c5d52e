// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package programs

import (
	"slices"
	"strings"

	"github.com/toolscope/toolscope/middleware/permit/internal/shell"
)

// An interpreter runs code of another language.
type interpreter struct {
	shell.Syntax
	code  string // letters with which the arguments hold code
	long  []string
	input bool     // reads code from its input if there is no operand
	subs  []string // first operands that are followed by code
}

var interpreters = map[string]*interpreter{
	"python": {
		Syntax: shell.Syntax{Flags: "bBdEhiIOPqsSuvVx?", Values: "WXQm", Long: []string{"help", "version", "check-hash-based-pycs="}},
		code:   "c", input: true,
	},
	"pypy":    {Syntax: shell.Syntax{Flags: "bBdEhiIOPqsSuvVx?", Values: "WXQm"}, code: "c", input: true},
	"ipython": {code: "c", input: true},
	"perl":    {code: "eEnpMmxd", input: true},
	"ruby":    {code: "enpr", input: true},
	"irb":     {input: true},
	"node": {
		code:  "epr",
		long:  []string{"eval", "print", "require", "import", "loader", "experimental-loader", "env-file", "experimental-config-file"},
		input: true,
	},
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
	"groovy": {code: "e"}, "scala": {code: "e"}, "jshell": {input: true}, "ghc": {code: "e"},
	"elixir": {code: "e", long: []string{"eval", "rpc-eval"}}, "erl": {code: "es", long: []string{"eval"}},
	"guile": {code: "c", input: true}, "racket": {code: "e"}, "sbcl": {long: []string{"eval", "load"}, input: true},
	"clojure": {code: "e"}, "octave": {long: []string{"eval"}, input: true}, "swipl": {code: "gt"},
	"gnuplot": {code: "e", input: true}, "m4": {input: true}, "bc": nil, "jrunscript": {code: "e", input: true},
}

// interpret doubts code for an interpreter. A file of code is a program like any
// other.
func (r inspector) interpret(s *interpreter, c *shell.Command, _ shell.Input) {
	skip := false // the value of an option
	for _, w := range c.Words[1:] {
		if skip {
			skip = false
			continue
		}
		if w.Loose {
			r.Doubt(shell.DoubtOption, "an argument of "+c.Name+" that may be code")
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
			r.Doubt(shell.DoubtForeign, "code for "+c.Name)
		}
		if ends {
			return
		}
	}
	if s.input {
		r.Doubt(shell.DoubtForeign, c.Name+" runs code that it reads")
	}
}

// interpretFile is the first operand: the name of a file, or of a command of the interpreter.
func (r inspector) interpretFile(s *interpreter, c *shell.Command, w shell.Word) {
	if slices.Contains(s.subs, w.Text) {
		r.Doubt(shell.DoubtForeign, "code for "+c.Name)
	}
	if !w.Known {
		r.Doubt(shell.DoubtCode, c.Name+" runs a file whose name is computed")
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
		if strings.IndexByte(s.Values, t[j]) >= 0 {
			return t[j] == 'm', false, j+1 == len(t)
		}
	}
	return len(t) == 2 && (t[1] == 'v' || t[1] == 'V' || t[1] == 'h'), false, false
}
