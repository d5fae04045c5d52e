// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scan

import (
	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/kinds"
	"github.com/toolscope/toolscope/redact/internal/names"
	"github.com/toolscope/toolscope/redact/internal/personal"
)

// digits looks at the run of digits around i.
func (sc *Scanner) digits(s string, i int) int {
	if i < sc.counted {
		return 0
	}
	if end := timeEnd(s, i); end > 0 && !sc.m.optional {
		sc.counted = end
		return end
	}
	start := sc.runStart(s, i)
	end, n := separatedRun(s, start)
	sc.Count(end - start)
	sc.counted = max(end, i+1)
	if sc.m.optional {
		if next := sc.optionalNumber(s, i, start, end); next > 0 {
			return next
		}
	}
	if n < 7 {
		if (n == 3 || n == 6) && start > 3 && chars.IsUpper(s[start-1]) {
			if a, b, ok := personal.LetteredIDAt(s, start); ok && sc.e.On.Has(names.NationalID) {
				return sc.takeSpan(s, a, b, names.NationalID)
			}
		}
		return 0
	}
	for from := start; from < end; {
		a, b, kind, ok := personal.MatchDigits(s, from, end, &sc.e.On)
		if !ok || b <= from || a < from {
			break
		}
		member := "" // if the number begins its value
		if !sc.quick && a <= 1 && len(s) <= maxDigitRun {
			member = sc.memberName()
		}
		if kind.Group() != kinds.GroupPersonal || !personal.NamesThing(s, a, member) {
			sc.takeSpan(s, a, b, kind)
		}
		if sc.quick && sc.suspect {
			return len(s)
		}
		from = b
		for from < end && !chars.IsDigit(s[from]) {
			from++
		}
	}
	if sc.settled > i {
		return sc.settled
	}
	return 0
}

// word looks at the run of letters and digits that begins at i.
func (sc *Scanner) word(s string, i int) int {
	if i > 0 && chars.IsAlnum(s[i-1]) || !mayBeWord(s, i) {
		return 0
	}
	end := i
	for end < len(s) && end-i <= 128 && chars.IsAlnum(s[end]) {
		end++
	}
	if !wordShape(s, i, end) {
		return 0
	}
	a, b, kind, ok := personal.MatchWord(s, i, end, &sc.e.On)
	if !ok || a < 0 || b > len(s) || a >= b {
		return 0
	}
	return sc.takeSpan(s, a, b, kind)
}
