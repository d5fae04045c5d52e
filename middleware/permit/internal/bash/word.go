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

// word reads a word: what the program gets, as far as it can be determined. The commands
// of its substitutions are listed, so a word must be read once.
func (r *reader) word(w *syntax.Word) shell.Word {
	if w == nil {
		return shell.Word{Known: true}
	}
	if len(w.Parts) == 1 {
		if lit, ok := w.Parts[0].(*syntax.Lit); ok && (lit.Value == "[" || !strings.ContainsAny(lit.Value, "\\*?[{~$`<>")) {
			return shell.Word{Text: lit.Value, Known: true}
		}
	}
	b := wordBuilder{r: r, known: true}
	for i, part := range w.Parts {
		b.part(part, i == 0)
	}
	pipe := false
	if len(w.Parts) == 1 {
		_, pipe = w.Parts[0].(*syntax.ProcSubst)
	}
	return shell.Word{Text: b.text.String(), Known: b.known, Loose: b.loose, Split: b.split, Pipe: pipe}
}

// wordBuilder puts a word together.
type wordBuilder struct {
	r                   *reader
	text                strings.Builder
	known, loose, split bool
	open                bool // behind a brace
}

func (b *wordBuilder) part(part syntax.WordPart, first bool) {
	switch p := part.(type) {
	case *syntax.Lit:
		b.literal(p.Value, first)
	case *syntax.SglQuoted:
		if b.r.quotes > 0 && strings.ContainsAny(p.Value, "$`\"\\}") {
			b.r.line.Doubt(shell.DoubtSyntax, "single quotes inside an expansion in double quotes, which may not quote")
		}
		if p.Dollar {
			text, sure := ansi(p.Value)
			if !sure {
				b.unknown(first)
			}
			b.text.WriteString(text)
		} else {
			b.text.WriteString(p.Value)
		}
	case *syntax.DblQuoted:
		if p.Dollar {
			b.unknown(false) // a translation of the text
		}
		for _, q := range p.Parts {
			b.quoted(q)
		}
	case *syntax.ExtGlob:
		b.r.hides(p.Pattern.Value)
		b.unknown(first)
		b.text.WriteString(p.Op.String() + p.Pattern.Value + ")")
	default:
		b.split = true
		b.computed(part)
		b.unknown(true)
	}
}

// quoted is a part inside double quotes.
func (b *wordBuilder) quoted(part syntax.WordPart) {
	lit, ok := part.(*syntax.Lit)
	if !ok {
		if p, ok := part.(*syntax.ParamExp); ok && p.Param != nil && p.Param.Value == "@" || isArrayAll(part) {
			b.split = true // "$@" is several words, or none
			b.unknown(true)
		}
		b.unknown(b.text.Len() == 0)
		b.r.quotes++
		b.computed(part)
		b.r.quotes--
		return
	}
	v := lit.Value
	for i := 0; i < len(v); i++ {
		if v[i] == '\\' && i+1 < len(v) {
			switch v[i+1] {
			case '$', '`', '"', '\\':
				i++
			case '\n':
				i++
				continue
			}
		}
		b.text.WriteByte(v[i])
	}
}

func isArrayAll(part syntax.WordPart) bool {
	p, ok := part.(*syntax.ParamExp)
	if !ok || p.Index == nil {
		return false
	}
	w, ok := p.Index.(*syntax.Word)
	return ok && w.Lit() == "@"
}

// literal is text outside quotes: a backslash quotes, a glob or a brace makes other
// words of it, and a tilde another directory.
func (b *wordBuilder) literal(v string, first bool) {
	for i := 0; i < len(v); i++ {
		switch c := v[i]; c {
		case '\\':
			if i++; i < len(v) && v[i] != '\n' {
				b.text.WriteByte(v[i])
			}
			continue
		case '*', '?', '[':
			b.unknown(first && i == 0)
		case '{':
			b.open = true
		case ',':
			if b.open {
				b.unknown(true)
			}
		case '.':
			if b.open && strings.HasPrefix(v[i:], "..") {
				b.unknown(true)
			}
		case '~':
			if first && i == 0 && len(v) > 1 && v[1] != '/' {
				b.unknown(false) // a user's home, or a directory of the shell's
			}
		case '`':
			b.r.hides("`")
		case '$', '<', '>':
			b.r.hides(v[i:min(i+2, len(v))])
		}
		b.text.WriteByte(v[i])
	}
}

func (b *wordBuilder) unknown(loose bool) {
	b.known = false
	b.loose = b.loose || loose
}

// computed is an expansion or substitution: its commands are listed, and the best
// guess of its text is taken.
func (b *wordBuilder) computed(part syntax.WordPart) {
	switch p := part.(type) {
	case *syntax.ParamExp:
		b.text.WriteString(b.r.param(p))
	case *syntax.CmdSubst:
		if p.Backquotes {
			if b.r.backquotes++; b.r.backquotes > 1 {
				b.r.line.Doubt(shell.DoubtSyntax, "backquotes inside backquotes")
			}
		}
		b.text.WriteString(b.r.subst(p.Stmts, p.Right))
		if p.Backquotes {
			b.r.backquotes--
		}
	case *syntax.ProcSubst:
		b.r.subst(p.Stmts, p.Rparen)
		b.text.WriteString("/dev/fd/63")
	case *syntax.ArithmExp:
		b.r.arithmetic(p.X)
		b.text.WriteString("0")
	default:
		b.r.line.Doubt(shell.DoubtSyntax, "a form of word that is not known")
	}
}
