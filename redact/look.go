// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import "strings"

// look finds the spans of s, which is JSON or text, and reports whether there are any. d is what
// its name says of it.
func (sc *scanner) look(s string, d verdict, json bool) bool {
	if sc.e.rules == nil && d.level == harmless && sc.harmless(s) {
		return false
	}
	sc.settled, sc.named, sc.counted, sc.read = 0, 0, 0, 0
	switch {
	case sc.e.rules != nil && sc.wholeByRule(s):
	case json && isNumber(s):
		sc.documents(s, 0)
	default:
		sc.stringValue(s, d, 0)
	}
	if len(sc.spans) == 0 {
		return false
	}
	sc.normalise(0)
	sc.elsewhere(s)
	return true
}

// isNumber reports whether JSON text is a number alone.
func isNumber(s string) bool {
	for i := range len(s) {
		if !isDigit(s[i]) && !isSpace(s[i]) && strings.IndexByte("+-.eE", s[i]) < 0 {
			return false
		}
	}
	return true
}

// harmless reports whether JSON text has nothing in it that wants a walk: it is looked
// at as one piece, whatever its structure. Text with escapes is not.
func (sc *scanner) harmless(s string) bool {
	if len(s) < 3 {
		return false
	}
	if !looksLikeJSON(s) || strings.IndexByte(s, '\\') >= 0 {
		return false
	}
	sc.quick = true
	sc.anchors(s)
	if !sc.suspect {
		sc.views(s, 0)
	}
	clean := !sc.suspect
	sc.quick, sc.suspect = false, false
	return clean
}
