// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scan

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/chance"
	"github.com/toolscope/toolscope/redact/internal/kinds"
	"github.com/toolscope/toolscope/redact/internal/operands"
)

const (
	// maxElsewhere is how many values of one text are looked for elsewhere in it.
	maxElsewhere = 4
	// minElsewhere is the shortest value that is, in bytes.
	minElsewhere = 16
)

// elsewhere removes what was found by its name also where it stands in s without one: a
// tool prints what it was given. Only values that look drawn by chance are looked for. A
// host's callback and rules are asked about each place, so with them nothing is added.
func (sc *Scanner) elsewhere(s string) {
	if sc.e.Callback != nil || sc.e.Rules != nil {
		return
	}
	n := len(sc.Spans)
	few := n <= maxElsewhere // what is nowhere else need not be distinguished from a word
	for i, looked := 0, 0; i < n && looked < maxElsewhere; i++ {
		sp := sc.Spans[i]
		v := strings.Trim(s[sp.start:sp.end], `"`)
		if group := sp.Kind.Group(); group != kinds.GroupKey && group != kinds.GroupURL || !mayRepeat(v) ||
			!few && !chance.Random(v) {
			continue
		}
		looked++
		sc.Count(len(s))
		sc.repeats(s, v, n, few, sp)
	}
	if len(sc.Spans) > n {
		sc.normalise(0)
	}
}

// repeats removes what stands outside the first n spans and is v, the value of sp. few tells that v
// was not looked at closely.
func (sc *Scanner) repeats(s, v string, n int, few bool, sp span) {
	for at := 0; ; {
		start := indexRare(s, v, at)
		if start < 0 {
			break
		}
		at = start + len(v)
		if sc.covered(n, start) || start > 0 && chars.IsAlnum(s[start-1]) || at < len(s) && chars.IsAlnum(s[at]) {
			continue
		}
		if few && !chance.Random(v) {
			break
		}
		sc.Spans = append(sc.Spans, span{start: start, end: at, Kind: sp.Kind, repl: sp.repl, drop: sp.drop})
	}
}

// indexRare is where v, which has a digit, first stands in s from at on; -1 if it does not. It
// looks for a byte of v that texts seldom have.
func indexRare(s, v string, at int) int {
	rare := 0
	for i := range len(v) {
		if class := chars.Class[v[i]]; class&chars.Upper != 0 {
			rare = i
			break
		} else if class&chars.Digit != 0 && chars.Class[v[rare]]&chars.Digit == 0 {
			rare = i
		}
	}
	for tries := 0; at+len(v) <= len(s); at++ {
		p := strings.IndexByte(s[at+rare:len(s)-len(v)+rare+1], v[rare])
		if p < 0 {
			return -1
		}
		if at += p; s[at:at+len(v)] == v {
			return at
		}
		if tries++; tries > maxTries { // not so rare
			if p = strings.Index(s[at:], v); p < 0 {
				return -1
			}
			return at + p
		}
	}
	return -1
}

// maxTries is how often indexRare finds the byte before it leaves the search to the library.
const maxTries = 32

// mayRepeat reports whether a value, if it looks drawn by chance, is so unlike a word that it
// names nothing else. It needs no escape in JSON.
func mayRepeat(v string) bool {
	if len(v) < minElsewhere || len(v) > operands.MaxLine || !chars.HasDigit(v) || chars.IsDigits(v) {
		return false
	}
	for i := range len(v) {
		if c := v[i]; chars.Class[c]&chars.B64 == 0 && c != '.' && c != '=' && c != '~' {
			return false
		}
	}
	return true
}

// covered reports whether one of the first n spans holds the byte at i.
func (sc *Scanner) covered(n, i int) bool {
	low, high := 0, n
	for low < high {
		if mid := (low + high) / 2; sc.Spans[mid].end <= i {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low < n && sc.Spans[low].start <= i
}
