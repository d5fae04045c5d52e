// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package bash

import (
	"github.com/toolscope/toolscope/internal/sensitive"
	"github.com/toolscope/toolscope/middleware/permit/internal/shell"
)

import (
	"mvdan.cc/sh/v3/syntax"
)

// assign reads an assignment.
func (r *reader) assign(a *syntax.Assign) shell.Assign {
	out := shell.Assign{Value: shell.Word{Known: true}}
	if a.Name != nil {
		out.Name = a.Name.Value
	}
	if a.Index != nil {
		r.arithmetic(a.Index)
		out.Value.Known = false
	}
	if a.Value != nil {
		out.Value = r.word(a.Value)
	}
	if a.Array != nil {
		out.Value.Known = false
		var values []shell.Word
		for _, e := range a.Array.Elems {
			r.arithmetic(e.Index)
			values = append(values, r.word(e.Value))
		}
		out.Value.Text = shell.Join(values).Text
	}
	if a.Append {
		out.Value.Known = false
	}
	return out
}

// param reads an expansion and guesses its value.
func (r *reader) param(p *syntax.ParamExp) string {
	name := ""
	if p.Param != nil {
		name = p.Param.Value
	}
	if p.Excl && p.Names == 0 {
		if index, ok := p.Index.(*syntax.Word); !ok || index.Lit() != "@" && index.Lit() != "*" {
			r.line.Doubt(shell.DoubtArithmetic, "${!"+name+"} is evaluated with a name that is not known")
		}
	}
	if p.NestedParam != nil || len(p.Modifiers) > 0 || p.Flags != nil {
		r.line.Doubt(shell.DoubtSyntax, "an expansion that is not bash's")
	}
	r.arithmetic(p.Index)
	if p.Slice != nil {
		r.arithmetic(p.Slice.Offset)
		r.arithmetic(p.Slice.Length)
	}
	if p.Repl != nil {
		r.word(p.Repl.Orig)
		r.word(p.Repl.With)
	}
	value := r.values[name]
	if value == "" && !r.wild[name] && sensitive.Variable(name) && len(r.line.Secrets) < maxCommands {
		r.line.Secrets = append(r.line.Secrets, name)
	}
	switch {
	case value != "":
	case name == "HOME":
		value = "~"
	case name == "IFS":
		value = " "
	}
	if p.Exp == nil {
		return value
	}
	other := r.word(p.Exp.Word)
	switch p.Exp.Op {
	case syntax.OtherParamOps:
		if other.Text != "Q" && other.Text != "a" && other.Text != "A" && other.Text != "u" && other.Text != "U" &&
			other.Text != "L" && other.Text != "E" && other.Text != "K" && other.Text != "k" {
			r.line.Doubt(shell.DoubtCode, "${"+name+"@"+other.Text+"} is evaluated again")
		}
	case syntax.AssignUnset, syntax.AssignUnsetOrNull:
		other.Known = false
		r.SetVariable(shell.Assign{Name: name, Value: other})
		if value == "" {
			return other.Text
		}
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull:
		if value == "" {
			return other.Text
		}
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
		return other.Text
	}
	return value
}

// hides doubts literal text that bash may still expand.
func (r *reader) hides(text string) {
	for i := range len(text) {
		c, next := text[i], byte(0)
		if i+1 < len(text) {
			next = text[i+1]
		}
		if c == '`' || c == '$' && (next == '(' || next == '{') || (c == '<' || c == '>') && next == '(' {
			r.line.Doubt(shell.DoubtSyntax, "a substitution where our parser does not look for one")
			return
		}
	}
}
