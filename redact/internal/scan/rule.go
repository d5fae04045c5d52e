// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scan

import (
	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/kinds"
	"github.com/toolscope/toolscope/redact/internal/syntax"
)

// rule is what the rules say of the value being looked at.
func (sc *Scanner) rule() (Action, bool) {
	for i := range sc.e.Rules {
		if r := &sc.e.Rules[i]; pathFits(r.Path, sc.frames) {
			return r.Action, true
		}
	}
	return actionMask, false
}

// byRule does what a rule says of the value that begins at i, if one does, and returns
// the value's end.
func (sc *Scanner) byRule(s string, i, base int) (end int, ok bool) {
	action, ok := sc.rule()
	if !ok {
		return i, false
	}
	end = syntax.SkipValue(s, i)
	end = chars.SkipBack(s, i, end, chars.Space)
	inside := len(sc.frames) > base
	switch action {
	case actionKeep:
		if inside {
			sc.frames[len(sc.frames)-1].kept++
		}
	case actionMask:
		sc.Spans = append(sc.Spans, span{start: i, end: end, Kind: kinds.Rule, quote: 1, Path: sc.place()})
		if inside {
			sc.frames[len(sc.frames)-1].kept++
		}
	case actionDrop:
		sp := span{start: i, end: end, Kind: kinds.Rule, drop: true, Path: sc.place()}
		if inside {
			sc.dropMember(s, &sp)
		} else {
			sp.drop, sp.repl = false, "null"
		}
		sc.Spans = append(sc.Spans, sp)
	}
	return end, true
}

// dropMember widens a span from a value to the member or item, and to the comma that
// has to go with it: the one before, if something before it stays.
func (sc *Scanner) dropMember(s string, sp *span) {
	f := &sc.frames[len(sc.frames)-1]
	if f.object {
		sp.start = f.keyStart - 1
	}
	if f.kept > 0 {
		p := sp.start
		p = chars.SkipBack(s, 0, p, chars.Space)
		if p > 0 && s[p-1] == ',' {
			sp.start = p - 1
		}
		return
	}
	if p := syntax.SkipBlank(s, sp.end); p < len(s) && s[p] == ',' {
		sp.end = syntax.SkipBlank(s, p+1)
	}
}

// wholeByRule does what a rule for "$" says of a text that is no JSON.
func (sc *Scanner) wholeByRule(s string) bool {
	action, ok := sc.rule()
	if !ok || syntax.LooksLikeJSON(s) {
		return false
	}
	if action != actionKeep {
		sc.Spans = append(sc.Spans, span{start: 0, end: len(s), Kind: kinds.Rule, drop: action == actionDrop})
	}
	return true
}
