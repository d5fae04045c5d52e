// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package bash

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// reader walks the syntax of one line.
type reader struct {
	line       *Line
	depth      int    // of statements and words
	codes      int    // of code inside code
	wraps      int    // of commands started by commands
	via        string // the program that runs the code
	quotes     int    // expansions inside double quotes around the word
	backquotes int    // substitutions in backquotes around it
	// background is on inside what the shell does not wait for.
	background bool
	values     map[string]string // what variables were set to, as far as known
	wild       map[string]bool   // variables that the line may set to something else than a number
	counted    map[string]bool   // variables that arithmetic evaluates
}

// input is what a command reads.
type input struct {
	text  string // the text, or a guess
	given bool   // the line itself says where the input comes from
	known bool   // text is all of it
}

// enter goes one level down; false, with a doubt, if that is too deep. leave goes up.
func (r *reader) enter() bool {
	if r.depth++; r.depth > maxNesting {
		r.line.doubt(DoubtLimit, "the command line is nested too deeply")
		return false
	}
	return true
}

func (r *reader) leave() { r.depth-- }

func (r *reader) stmts(list []*syntax.Stmt, in input) {
	for _, s := range list {
		r.stmt(s, in)
	}
}

func (r *reader) stmt(s *syntax.Stmt, in input) {
	if s == nil {
		return
	}
	defer r.leave()
	if !r.enter() {
		return
	}
	if s.Background || s.Coprocess || s.Disown {
		defer func(old bool) { r.background = old }(r.background)
		r.background = true
	}
	for _, redirect := range s.Redirs {
		in = r.redirect(redirect, in)
	}
	if s.Cmd != nil {
		r.cmd(s.Cmd, in)
	}
}

func (r *reader) cmd(cmd syntax.Command, in input) {
	switch c := cmd.(type) {
	case *syntax.CallExpr:
		r.call(c, in)
	case *syntax.BinaryCmd:
		r.binary(c, in)
	case *syntax.Subshell:
		r.stmts(c.Stmts, in)
	case *syntax.Block:
		r.stmts(c.Stmts, in)
	case *syntax.IfClause:
		for ; c != nil; c = c.Else {
			r.stmts(c.Cond, in)
			r.stmts(c.Then, in)
		}
	case *syntax.WhileClause:
		r.stmts(c.Cond, in)
		r.stmts(c.Do, in)
	case *syntax.ForClause:
		r.loop(c.Loop)
		r.stmts(c.Do, in)
	case *syntax.CaseClause:
		r.word(c.Word)
		for _, item := range c.Items {
			for _, p := range item.Patterns {
				r.word(p)
			}
			r.stmts(item.Stmts, in)
		}
	case *syntax.FuncDecl:
		name := ""
		if c.Name != nil {
			name = c.Name.Value
		}
		r.line.doubt(DoubtName, "the function "+name+" gives a name another meaning")
		r.stmt(c.Body, in)
	case *syntax.ArithmCmd:
		r.arithmetic(c.X)
	case *syntax.LetClause:
		r.add("let", in)
		for _, x := range c.Exprs {
			r.arithmetic(x)
		}
	case *syntax.TestClause:
		r.test(c.X)
	case *syntax.DeclClause:
		r.declare(c, in)
	case *syntax.TimeClause:
		r.add("time", in)
		r.stmt(c.Stmt, in)
	case *syntax.CoprocClause:
		// Bash takes the first word for a name before a compound command only, our
		// parser takes it so more often.
		r.line.doubt(DoubtSyntax, "a coprocess")
		defer func(old bool) { r.background = old }(r.background)
		r.background = true
		if c.Name != nil {
			r.command(r.reserve(), []Word{r.word(c.Name)}, nil, in)
		}
		r.stmt(c.Stmt, in)
	default:
		r.line.doubt(DoubtSyntax, "a form of command that is not known")
	}
}

// binary is a chain of lists and pipes. The parser nests them to the left, as deep as
// there are, so the left side is a loop.
func (r *reader) binary(b *syntax.BinaryCmd, in input) {
	chain := []*syntax.BinaryCmd{b}
	for {
		left, ok := b.X.Cmd.(*syntax.BinaryCmd)
		if !ok || len(b.X.Redirs) > 0 || b.X.Background {
			break
		}
		chain = append(chain, left)
		b = left
	}
	r.stmt(b.X, in)
	last := b.X
	for i := len(chain) - 1; i >= 0; i-- {
		in := in
		if chain[i].Op == syntax.Pipe || chain[i].Op == syntax.PipeAll {
			in = input{given: true, text: r.output(last)}
		}
		r.stmt(chain[i].Y, in)
		last = chain[i].Y
	}
}

// output guesses what the statement that was read last prints.
func (r *reader) output(s *syntax.Stmt) string {
	if _, ok := s.Cmd.(*syntax.CallExpr); !ok || len(r.line.Commands) == 0 {
		return ""
	}
	return printed(&r.line.Commands[len(r.line.Commands)-1])
}

// printed guesses what echo and printf print.
func printed(c *Command) string {
	words := c.Words
	switch c.Name {
	case "echo":
		words = words[1:]
		for len(words) > 0 && (words[0].Text == "-n" || words[0].Text == "-e") {
			words = words[1:]
		}
		return joined(words).Text
	case "printf":
		var text strings.Builder
		for _, w := range words[1:] {
			if w.Text != "%s" && w.Text != "%s\\n" && w.Text != "--" {
				out, _ := ansi(w.Text)
				text.WriteString(out)
			}
		}
		return text.String()
	}
	return ""
}

func (r *reader) loop(l syntax.Loop) {
	switch l := l.(type) {
	case *syntax.WordIter:
		for _, w := range l.Items {
			r.set(Assign{Name: l.Name.Value, Value: r.word(w)})
		}
		if len(l.Items) == 0 {
			r.set(Assign{Name: l.Name.Value})
		}
	case *syntax.CStyleLoop:
		r.arithmetic(l.Init)
		r.arithmetic(l.Cond)
		r.arithmetic(l.Post)
	}
}

// subst lists the commands of a substitution, and guesses what it prints.
func (r *reader) subst(stmts []*syntax.Stmt) string {
	defer r.leave()
	if !r.enter() {
		return ""
	}
	defer func(old int) { r.quotes = old }(r.quotes)
	r.quotes = 0 // a substitution quotes anew
	before := len(r.line.Commands)
	r.stmts(stmts, input{})
	if len(stmts) == 1 && len(r.line.Commands) == before+1 {
		return printed(&r.line.Commands[before])
	}
	return ""
}

func (r *reader) redirect(d *syntax.Redirect, in input) input {
	if d.N != nil && len(d.N.Value) > 1 && d.N.Value[0] == '{' {
		r.set(Assign{Name: d.N.Value[1 : len(d.N.Value)-1]})
	}
	target := r.word(d.Word)
	if target.pipe { // > >(tee log): its commands are listed
		if d.Op == syntax.RdrIn {
			return input{given: true}
		}
		return in
	}
	switch d.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		body := r.hdoc(d)
		return input{text: body.Text, given: true, known: body.Known}
	case syntax.WordHdoc:
		return input{text: target.Text, given: true, known: target.Known}
	case syntax.DplIn, syntax.DplOut:
		if !target.Known || !descriptor(target.Text) {
			r.addRedirect(Redirect{Target: target, Read: d.Op == syntax.DplIn, Write: true})
		}
		if d.Op == syntax.DplIn {
			return input{given: true}
		}
		return in
	case syntax.RdrIn:
		r.addRedirect(Redirect{Target: target, Read: true})
		return input{given: true}
	case syntax.RdrInOut:
		r.addRedirect(Redirect{Target: target, Read: true, Write: true})
		return input{given: true}
	default:
		r.addRedirect(Redirect{Target: target, Write: true})
		return in
	}
}

// hdoc reads the body of a here-document. The parser keeps the backslashes of one
// whose end is not quoted.
func (r *reader) hdoc(d *syntax.Redirect) Word {
	if d.Hdoc == nil { // empty, or cut off by an error that is told elsewhere
		return Word{Known: true}
	}
	quoted := false
	for _, p := range d.Word.Parts {
		lit, ok := p.(*syntax.Lit)
		quoted = quoted || !ok
		for i := 0; ok && i < len(lit.Value); i++ {
			quoted = quoted || lit.Value[i] == '\\'
		}
	}
	b := wordBuilder{r: r, known: true}
	for _, p := range d.Hdoc.Parts {
		if lit, ok := p.(*syntax.Lit); ok && quoted {
			b.text.WriteString(lit.Value)
			continue
		}
		b.quoted(p)
	}
	return Word{Text: b.text.String(), Known: b.known}
}

// descriptor reports whether the word behind >& names a descriptor and no file.
func descriptor(s string) bool {
	if s == "-" {
		return true
	}
	if n := len(s); n > 1 && s[n-1] == '-' {
		s = s[:n-1]
	}
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}
