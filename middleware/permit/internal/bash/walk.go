// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package bash

import (
	"github.com/toolscope/toolscope/middleware/permit/internal/shell"
)

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

func (r *reader) stmts(list []*syntax.Stmt, in shell.Input) {
	for _, s := range list {
		r.stmt(s, in)
	}
}

func (r *reader) stmt(s *syntax.Stmt, in shell.Input) {
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

func (r *reader) cmd(cmd syntax.Command, in shell.Input) {
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
		r.line.Doubt(shell.DoubtName, "the function "+name+" gives a name another meaning")
		r.stmt(c.Body, in)
	case *syntax.ArithmCmd:
		r.arithmetic(c.X)
	case *syntax.LetClause:
		r.addCommand("let", in)
		for _, x := range c.Exprs {
			r.arithmetic(x)
		}
	case *syntax.TestClause:
		r.test(c.X)
	case *syntax.DeclClause:
		r.declare(c, in)
	case *syntax.TimeClause:
		r.addCommand("time", in)
		r.stmt(c.Stmt, in)
	case *syntax.CoprocClause:
		// Bash takes the first word for a name before a compound command only, our
		// parser takes it so more often.
		r.line.Doubt(shell.DoubtSyntax, "a coprocess")
		defer func(old bool) { r.background = old }(r.background)
		r.background = true
		if c.Name != nil {
			r.command(r.reserve(), []shell.Word{r.word(c.Name)}, nil, in)
		}
		r.stmt(c.Stmt, in)
	default:
		r.line.Doubt(shell.DoubtSyntax, "a form of command that is not known")
	}
}

// binary is a chain of lists and pipes. The parser nests them to the left, as deep as
// there are, so the left side is a loop.
func (r *reader) binary(b *syntax.BinaryCmd, in shell.Input) {
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
			in = shell.Input{Given: true, Text: r.output(last)}
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
func printed(c *shell.Command) string {
	words := c.Words
	switch c.Name {
	case "echo":
		words = words[1:]
		for len(words) > 0 && (words[0].Text == "-n" || words[0].Text == "-e") {
			words = words[1:]
		}
		return shell.Join(words).Text
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
			r.SetVariable(shell.Assign{Name: l.Name.Value, Value: r.word(w)})
		}
		if len(l.Items) == 0 {
			r.SetVariable(shell.Assign{Name: l.Name.Value})
		}
	case *syntax.CStyleLoop:
		r.arithmetic(l.Init)
		r.arithmetic(l.Cond)
		r.arithmetic(l.Post)
	}
}

// subst lists the commands of a substitution that ends at end, and guesses what it prints.
func (r *reader) subst(stmts []*syntax.Stmt, end syntax.Pos) string {
	defer r.leave()
	if !r.enter() {
		return ""
	}
	defer func(quotes int, end uint) { r.quotes, r.end = quotes, end }(r.quotes, r.end)
	r.quotes, r.end = 0, end.Offset() // a substitution quotes anew
	before := len(r.line.Commands)
	r.stmts(stmts, shell.Input{})
	if len(stmts) == 1 && len(r.line.Commands) == before+1 {
		return printed(&r.line.Commands[before])
	}
	return ""
}

func (r *reader) redirect(d *syntax.Redirect, in shell.Input) shell.Input {
	if d.Op == syntax.Hdoc || d.Op == syntax.DashHdoc {
		return r.hdoc(d)
	}
	if d.N != nil && len(d.N.Value) > 1 && d.N.Value[0] == '{' {
		r.SetVariable(shell.Assign{Name: d.N.Value[1 : len(d.N.Value)-1]})
	}
	target := r.word(d.Word)
	if target.Pipe { // > >(tee log): its commands are listed
		if d.Op == syntax.RdrIn {
			return shell.Input{Given: true}
		}
		return in
	}
	switch d.Op {
	case syntax.WordHdoc:
		return shell.Input{Text: target.Text, Given: true, Known: target.Known}
	case syntax.DplIn, syntax.DplOut:
		if !target.Known || !descriptor(target.Text) {
			r.AddRedirect(shell.Redirect{Target: target, Read: d.Op == syntax.DplIn, Write: true})
		}
		if d.Op == syntax.DplIn {
			return shell.Input{Given: true}
		}
		return in
	case syntax.RdrIn:
		r.AddRedirect(shell.Redirect{Target: target, Read: true})
		return shell.Input{Given: true}
	case syntax.RdrInOut:
		r.AddRedirect(shell.Redirect{Target: target, Read: true, Write: true})
		return shell.Input{Given: true}
	default:
		r.AddRedirect(shell.Redirect{Target: target, Write: true})
		return in
	}
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

// declare is declare, local, export, readonly, typeset, nameref.
func (r *reader) declare(d *syntax.DeclClause, in shell.Input) {
	slot := r.reserve()
	words := []shell.Word{{Text: d.Variant.Value, Known: true}}
	integer := false
	for _, a := range d.Args {
		if a.Naked && a.Name == nil {
			w := r.declareOption(a)
			words = append(words, w)
			integer = integer || strings.HasPrefix(w.Text, "-") && strings.ContainsAny(w.Text, "inf")
			continue
		}
		v := r.assign(a)
		if !a.Naked {
			words = append(words, shell.Word{Text: v.Name + "=" + v.Value.Text, Known: v.Value.Known})
			r.declareValue(v, a.Array != nil, integer)
			continue
		}
		words = append(words, shell.Word{Text: v.Name, Known: a.Index == nil})
		if d.Variant.Value == "export" && shell.Dangerous(v.Name) {
			r.line.Doubt(shell.DoubtVariable, "the variable "+v.Name+" changes what runs")
		}
	}
	if d.Variant.Value == "nameref" || integer && len(d.Args) > 1 {
		r.line.Doubt(shell.DoubtArithmetic, "the variables' values are evaluated as numbers or names")
	}
	r.command(slot, words, nil, in)
}

// declareOption is a word of a declaration that is written as an option, or a name that is computed.
func (r *reader) declareOption(a *syntax.Assign) shell.Word {
	w := r.word(a.Value)
	if !w.Known || w.Text != "" && w.Text[0] != '-' && w.Text[0] != '+' {
		r.line.Doubt(shell.DoubtVariable, "the name of a variable is computed")
	}
	return w
}

// declareValue is a variable that a declaration sets.
func (r *reader) declareValue(v shell.Assign, array, integer bool) {
	if !array && !integer && strings.HasPrefix(strings.TrimLeft(v.Value.Text, " \t\n"), "(") &&
		(!v.Value.Known || strings.ContainsAny(v.Value.Text, "$`<>")) {
		r.line.Doubt(shell.DoubtCode, "the value of "+v.Name+" may be expanded again, as the values of an array")
	}
	r.SetVariable(v)
	r.line.Assigns = append(r.line.Assigns, v)
	if integer && !shell.IsNumber(v.Value.Text) {
		r.line.Doubt(shell.DoubtArithmetic, "the value of "+v.Name+" is evaluated")
	}
}
