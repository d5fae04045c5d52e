// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scan

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/chance"
	"github.com/toolscope/toolscope/redact/internal/kinds"
	"github.com/toolscope/toolscope/redact/internal/names"
	"github.com/toolscope/toolscope/redact/internal/operands"
	"github.com/toolscope/toolscope/redact/internal/values"
)

// flowList removes the items of a list that is a name's value: ['a', 'b'] and
// "- a" lines below "names:".
func (sc *Scanner) flowList(s string, o values.Operand, d names.Verdict) int {
	if d.Level < names.Secret && (d.Kind != kinds.Token || s[o.Start] != '[') || o.Quoted || o.Op != ':' && o.Op != '=' {
		return 0
	}
	if s[o.Start] == '[' {
		return sc.bracketList(s, o.Start, d)
	}
	line := chars.LastByte(s[max(0, o.Start-64):o.Start], '\n')
	if line < 0 || strings.TrimLeft(s[max(0, o.Start-64)+line+1:o.Start], " \t") != "- " {
		return 0
	}
	return sc.dashList(s, o.Start, d)
}

// maxRules is how much of a list is read to find out whether it has rules, in bytes.
const maxRules = 200

// bracketList removes the strings of the list that begins at p.
func (sc *Scanner) bracketList(s string, p int, d names.Verdict) int {
	list, _, _ := strings.Cut(s[p:min(len(s), p+maxRules)], "]")
	if values.HasRules(list) {
		return 0
	}
	last := 0
	for q := p + 1; q < len(s) && q-p < chance.MaxValue; q++ {
		switch c := s[q]; c {
		case '"', '\'':
			end := operands.QuoteEnd(s, q+1, c)
			if v := s[q+1 : end]; sc.judge(v, "", d, values.Operand{Op: ',', Quoted: true}, false) {
				if n := sc.takeNamed(s, q+1, end, d.Kind); n > 0 {
					last = n
				}
			}
			q = end
		case ']', '\n', '{', '}', '(':
			return last
		default:
			if end := chars.Skip(s, q, chars.URL); end-q >= minElsewhere && end < len(s) && (s[end] == ',' || s[end] == ']') &&
				chance.Random(s[q:end]) {
				if n := sc.takeNamed(s, q, end, d.Kind); n > 0 {
					last = n
				}
				q = end - 1
			}
		}
	}
	return last
}

// dashList removes the items of the YAML list whose first one is at p.
func (sc *Scanner) dashList(s string, p int, d names.Verdict) int {
	last := 0
	for n := 0; n < 64; n++ {
		o := operands.ValueAt(s, p, values.Operand{Op: ':'})
		if o.End <= o.Start {
			break
		}
		sc.spend(o.End - p)
		if sc.judge(s[o.Start:o.End], "", d, o, false) {
			if n := sc.takeNamed(s, o.Start, o.End, d.Kind); n > 0 {
				last = n
			}
		}
		nl := strings.IndexByte(s[o.End:min(len(s), o.End+64)], '\n')
		if nl < 0 {
			break
		}
		p = o.End + nl + 1
		p = chars.Skip(s, p, chars.Blank|chars.Tab)
		if !strings.HasPrefix(s[p:], "- ") {
			break
		}
		p += 2
	}
	return last
}
