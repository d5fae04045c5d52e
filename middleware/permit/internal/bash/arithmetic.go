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

// arithmetic walks an expression. Bash evaluates the value of each variable in it as
// an expression again, and an index in such a value runs its substitutions: a name
// is as dangerous as what it may hold, which [reader.finish] looks at.
func (r *reader) arithmetic(x syntax.ArithmExpr) {
	if x == nil {
		return
	}
	defer r.leave()
	if !r.enter() {
		return
	}
	switch x := x.(type) {
	case *syntax.BinaryArithm:
		if w, ok := x.X.(*syntax.Word); ok && assigning(x.Op) {
			if name := w.Lit(); name != "" {
				r.SetVariable(shell.Assign{Name: name, Value: shell.Word{Known: true}})
			}
		}
		r.arithmetic(x.X)
		r.arithmetic(x.Y)
	case *syntax.UnaryArithm:
		r.arithmetic(x.X)
	case *syntax.ParenArithm:
		r.arithmetic(x.X)
	case *syntax.FlagsArithm:
		r.line.Doubt(shell.DoubtSyntax, "arithmetic that is not bash's")
	case *syntax.Word:
		if x == nil {
			return
		}
		r.number(x)
	default:
		r.line.Doubt(shell.DoubtSyntax, "a form of arithmetic that is not known")
	}
}

func assigning(op syntax.BinAritOperator) bool {
	switch op {
	case syntax.Assgn, syntax.AddAssgn, syntax.SubAssgn, syntax.MulAssgn, syntax.QuoAssgn, syntax.RemAssgn,
		syntax.AndAssgn, syntax.OrAssgn, syntax.XorAssgn, syntax.ShlAssgn, syntax.ShrAssgn:
		return true
	}
	return false
}

// number is a word that bash evaluates as an expression.
func (r *reader) number(w *syntax.Word) {
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			r.hides(p.Value)
			r.count(p.Value)
		case *syntax.ParamExp:
			r.counts(p)
		case *syntax.DblQuoted:
			for _, q := range p.Parts {
				switch q := q.(type) {
				case *syntax.ParamExp:
					r.counts(q)
				case *syntax.Lit:
					r.hides(q.Value)
					r.count(q.Value)
				case *syntax.CmdSubst:
					r.line.Doubt(shell.DoubtArithmetic, "the output of a command is evaluated as a number")
				}
			}
		case *syntax.SglQuoted:
			r.hides(p.Value)
			r.count(p.Value)
		case *syntax.CmdSubst:
			r.line.Doubt(shell.DoubtArithmetic, "the output of a command is evaluated as a number")
		}
	}
	r.word(w)
}

// counts is an expansion inside an expression.
func (r *reader) counts(p *syntax.ParamExp) {
	if p.Param == nil || p.Length {
		return
	}
	switch name := p.Param.Value; {
	case name == "#" || name == "?" || name == "$" || name == "!":
	case name == "@" || name == "*" || shell.IsNumber(name):
		r.line.Doubt(shell.DoubtArithmetic, "the argument $"+name+" is evaluated as a number")
	default:
		r.count(name)
	}
}

// count notes the names in a text that is evaluated.
func (r *reader) count(text string) {
	for name := range strings.FieldsFuncSeq(text, func(c rune) bool {
		return c != '_' && !('a' <= c && c <= 'z') && !('A' <= c && c <= 'Z') && !('0' <= c && c <= '9')
	}) {
		if shell.IsNumber(name) {
			continue
		}
		if r.counted == nil {
			r.counted = map[string]bool{}
		}
		r.counted[name] = true
	}
}

// finish looks at the variables that arithmetic evaluates and the line sets, in
// whatever order.
func (r *reader) finish() {
	first := ""
	for name := range r.counted {
		if r.wild[name] && (first == "" || name < first) {
			first = name
		}
	}
	if first != "" {
		r.line.Doubt(shell.DoubtArithmetic, "the value of "+first+" is evaluated as a number")
	}
}

// test walks [[ … ]].
func (r *reader) test(x syntax.TestExpr) {
	if x == nil {
		return
	}
	defer r.leave()
	if !r.enter() {
		return
	}
	switch x := x.(type) {
	case *syntax.BinaryTest:
		switch x.Op {
		case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
			for _, side := range []syntax.TestExpr{x.X, x.Y} {
				if w, ok := side.(*syntax.Word); ok {
					r.number(w)
				}
			}
			return
		}
		r.test(x.X)
		r.test(x.Y)
	case *syntax.UnaryTest:
		if x.Op == syntax.TsVarSet || x.Op == syntax.TsRefVar {
			if w, ok := x.X.(*syntax.Word); ok && !shell.IsPlainName(w.Lit()) {
				r.line.Doubt(shell.DoubtArithmetic, "the name of a variable is evaluated")
			}
		}
		r.test(x.X)
	case *syntax.ParenTest:
		r.test(x.X)
	case *syntax.Word:
		r.word(x)
	default:
		r.line.Doubt(shell.DoubtSyntax, "a form of test that is not known")
	}
}
