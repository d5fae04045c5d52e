// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

// rule is what the rules say of the value being looked at.
func (sc *scanner) rule() (action, bool) {
	for i := range sc.e.rules {
		if r := &sc.e.rules[i]; pathFits(r.path, sc.frames) {
			return r.action, true
		}
	}
	return actionMask, false
}

// byRule does what a rule says of the value that begins at i, if one does, and returns
// the value's end.
func (sc *scanner) byRule(s string, i, base int) (end int, ok bool) {
	action, ok := sc.rule()
	if !ok {
		return i, false
	}
	end = skipValue(s, i)
	for end > i && isSpace(s[end-1]) {
		end--
	}
	inside := len(sc.frames) > base
	switch action {
	case actionKeep:
		if inside {
			sc.frames[len(sc.frames)-1].kept++
		}
	case actionMask:
		sc.spans = append(sc.spans, span{start: i, end: end, kind: idRule, quote: 1, path: sc.place()})
		if inside {
			sc.frames[len(sc.frames)-1].kept++
		}
	case actionDrop:
		sp := span{start: i, end: end, kind: idRule, drop: true, path: sc.place()}
		if inside {
			sc.dropMember(s, &sp)
		} else {
			sp.drop, sp.repl = false, "null"
		}
		sc.spans = append(sc.spans, sp)
	}
	return end, true
}

// dropMember widens a span from a value to the member or item, and to the comma that
// has to go with it: the one before, if something before it stays.
func (sc *scanner) dropMember(s string, sp *span) {
	f := &sc.frames[len(sc.frames)-1]
	if f.object {
		sp.start = f.keyStart - 1
	}
	if f.kept > 0 {
		p := sp.start
		for p > 0 && isSpace(s[p-1]) {
			p--
		}
		if p > 0 && s[p-1] == ',' {
			sp.start = p - 1
		}
		return
	}
	if p := skipBlank(s, sp.end); p < len(s) && s[p] == ',' {
		sp.end = skipBlank(s, p+1)
	}
}

// wholeByRule does what a rule for "$" says of a text that is no JSON.
func (sc *scanner) wholeByRule(s string) bool {
	action, ok := sc.rule()
	if !ok || looksLikeJSON(s) {
		return false
	}
	if action != actionKeep {
		sc.spans = append(sc.spans, span{start: 0, end: len(s), kind: idRule, drop: action == actionDrop})
	}
	return true
}
