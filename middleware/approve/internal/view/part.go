// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package view

import "strings"

// The kinds of parts. "" is text as it is.
const (
	Name      = "name"      // a member's name
	Layout    = "layout"    // indentation and punctuation that is not part of a value
	Operator  = "operator"  // a character that separates or redirects commands
	Expansion = "expansion" // a character that begins an expansion or a substitution
	Quote     = "quote"     // a quotation mark or a backslash
	Hidden    = "hidden"    // the mark of something that a screen would not show as it is
	Foreign   = "foreign"   // a word of a command with letters outside ASCII
	Masked    = "masked"    // the mark of a secret that is a single word
	Note      = "note"      // a remark about the whole
)

// A Part is a piece of a call as a person sees it. All parts together are the whole text.
type Part struct {
	Text    string `json:"text"`              // text, in which every character is visible
	Kind    string `json:"kind,omitempty"`    // name, layout, operator, expansion, quote, hidden, foreign, masked or note
	Changed bool   `json:"changed,omitempty"` // whether it differs from the earlier approved call
}

// Text returns the parts as one text.
func Text(parts []Part) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

// Cut returns the parts that fit into max bytes, and whether others are missing.
func Cut(parts []Part, max int) ([]Part, bool) {
	for i, p := range parts {
		if max -= len(p.Text); max < 0 {
			return parts[:i:i], true
		}
	}
	return parts, false
}
