// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import "strings"

// flowList removes the items of a list that is a name's value: ['a', 'b'] and
// "- a" lines below "names:".
func (sc *scanner) flowList(s string, o operand, d verdict) int {
	if d.level < secret || o.quoted || o.op != ':' && o.op != '=' {
		return 0
	}
	if s[o.start] == '[' {
		return sc.bracketList(s, o.start, d)
	}
	line := strings.LastIndexByte(s[max(0, o.start-64):o.start], '\n')
	if line < 0 || strings.TrimLeft(s[max(0, o.start-64)+line+1:o.start], " \t") != "- " {
		return 0
	}
	return sc.dashList(s, o.start, d)
}

// bracketList removes the strings of the list that begins at p.
func (sc *scanner) bracketList(s string, p int, d verdict) int {
	last := 0
	for q := p + 1; q < len(s) && q-p < maxValue; q++ {
		switch c := s[q]; c {
		case '"', '\'':
			end := quoteEnd(s, q+1, c)
			if v := s[q+1 : end]; judge(v, "", d, operand{op: ',', quoted: true}, false) {
				if n := sc.takeNamed(s, q+1, end, d.kind); n > 0 {
					last = n
				}
			}
			q = end
		case ']', '\n', '{', '}', '(':
			return last
		}
	}
	return last
}

// dashList removes the items of the YAML list whose first one is at p.
func (sc *scanner) dashList(s string, p int, d verdict) int {
	last := 0
	for n := 0; n < 64; n++ {
		o := valueAt(s, p, operand{op: ':'})
		if o.end <= o.start {
			break
		}
		sc.spend(o.end - p)
		if judge(s[o.start:o.end], "", d, o, false) {
			if n := sc.takeNamed(s, o.start, o.end, d.kind); n > 0 {
				last = n
			}
		}
		nl := strings.IndexByte(s[o.end:min(len(s), o.end+64)], '\n')
		if nl < 0 {
			break
		}
		p = o.end + nl + 1
		for p < len(s) && (s[p] == ' ' || s[p] == '\t') {
			p++
		}
		if !strings.HasPrefix(s[p:], "- ") {
			break
		}
		p += 2
	}
	return last
}
