// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package bash

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/toolscope/toolscope/middleware/permit/internal/shell"
)

// hdoc reads a here-document. Where it ends is what bash and the parser can disagree about, and all behind it would
// be commands for one and text for the other: see docs/design.md. So the end tag must be plain.
func (r *reader) hdoc(d *syntax.Redirect) shell.Input {
	tag, quoted, ok := plainTag(d.Word)
	if !ok {
		r.line.Doubt(shell.DoubtSyntax, "the end tag of a here-document is not a plain name")
	} else if quoted && r.codes == 1 {
		d.Word.Parts = []syntax.WordPart{&syntax.SglQuoted{Value: tag}} // as it is printed, and run
	}
	if _, behind, _ := strings.Cut(r.text, "<<"); !quoted && strings.Contains(behind, "\\\n") {
		r.line.Doubt(shell.DoubtSyntax, "a backslash at the end of a line of a here-document, which may hide its end")
	}
	if d.N != nil && len(d.N.Value) > 1 && d.N.Value[0] == '{' {
		r.SetVariable(shell.Assign{Name: d.N.Value[1 : len(d.N.Value)-1]})
	}
	body := shell.Word{Known: true}
	if d.Hdoc != nil {
		if r.end > 0 && d.Hdoc.Pos().Offset() > r.end {
			r.line.Doubt(shell.DoubtSyntax, "a here-document behind the substitution that it is for")
		}
		if r.endsEarlier(d.Hdoc, tag) {
			r.line.Doubt(shell.DoubtSyntax, "a here-document with its end tag inside, where bash ends it")
		}
		body = r.hdocBody(d.Hdoc, quoted)
	}
	return shell.Input{Text: body.Text, Given: true, Known: body.Known}
}

// endsEarlier reports whether a line of the body is the end tag: bash takes it for the end whatever it belongs to, a
// substitution or another here-document.
func (r *reader) endsEarlier(body *syntax.Word, tag string) bool {
	from, to := int(body.Pos().Offset()), int(body.End().Offset())
	if from > to || to > len(r.text) {
		return true
	}
	text := strings.TrimRight(r.text[from:to], "\n")
	end := max(strings.LastIndexByte(text, '\n'), 0) // the last line is the end itself
	for line := range strings.SplitSeq(text[:end], "\n") {
		if end > 0 && strings.TrimLeft(line, "\t") == tag {
			return true
		}
	}
	return false
}

// plainTag is the end tag of a here-document, and whether it is quoted, as in <<EOF, <<'EOF', <<"EOF" or <<\EOF. ok
// reports that the tag has only letters, digits and underscores.
func plainTag(w *syntax.Word) (tag string, quoted, ok bool) {
	if len(w.Parts) != 1 {
		return "", true, false
	}
	switch p := w.Parts[0].(type) {
	case *syntax.Lit:
		tag, quoted = strings.CutPrefix(p.Value, "\\")
	case *syntax.SglQuoted:
		tag, quoted, ok = p.Value, true, p.Dollar
		if ok {
			return "", true, false
		}
	case *syntax.DblQuoted:
		quoted = true
		if lit, is := onlyPart(p.Parts).(*syntax.Lit); is && !p.Dollar {
			tag = lit.Value
		}
	}
	return tag, quoted, shell.IsPlainName(tag)
}

func onlyPart(parts []syntax.WordPart) syntax.WordPart {
	if len(parts) != 1 {
		return nil
	}
	return parts[0]
}

// hdocBody reads the text of a here-document. The parser keeps the backslashes of one whose end tag is not quoted.
func (r *reader) hdocBody(body *syntax.Word, quoted bool) shell.Word {
	b := wordBuilder{r: r, known: true}
	for _, p := range body.Parts {
		lit, ok := p.(*syntax.Lit)
		if ok && quoted {
			b.text.WriteString(lit.Value)
			continue
		}
		b.quoted(p)
	}
	return shell.Word{Text: b.text.String(), Known: b.known}
}
