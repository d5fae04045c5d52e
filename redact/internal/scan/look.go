// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scan

import (
	"github.com/toolscope/toolscope/redact/internal/kinds"
	"github.com/toolscope/toolscope/redact/internal/names"
	"github.com/toolscope/toolscope/redact/internal/syntax"
)

// Look finds the spans of s, which is JSON or text, and reports whether there are any. d is what
// its name says of it.
func (sc *Scanner) Look(s string, d names.Verdict, json bool) bool {
	sc.leads = leadsIn(s)
	if sc.e.Rules == nil && d.Level == names.Harmless && sc.harmless(s) {
		return false
	}
	sc.progress = progress{}
	switch {
	case sc.e.Rules != nil && sc.wholeByRule(s):
	case json && syntax.IsNumber(s):
		sc.documents(s, 0)
	case !syntax.LooksLikeJSON(s) && isBinary(s) && sc.takeSpan(s, 0, len(s), kinds.Binary) > 0:
	default:
		sc.stringValue(s, d, 0)
	}
	if len(sc.Spans) == 0 {
		return false
	}
	sc.normalise(0)
	sc.elsewhere(s)
	return true
}

// harmless reports whether JSON text has nothing in it that wants a walk: it is looked
// at as one piece, whatever its structure. Text with escapes is not.
func (sc *Scanner) harmless(s string) bool {
	if len(s) < 3 || !syntax.LooksLikeJSON(s) || sc.leads&escapeLead != 0 {
		return false
	}
	sc.quick = true
	sc.anchors(s)
	if !sc.suspect {
		sc.views(s, 0)
	}
	clean := !sc.suspect
	sc.quick, sc.suspect = false, false
	if !clean {
		sc.start(sc.budget.share, sc.budget.size)
	}
	return clean
}
