// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package marks

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
	"github.com/toolscope/toolscope/redact/internal/kinds"
)

// Head begins every mark.
const Head = "[REDACTED:"

// Max is longer than any mark, in bytes.
const Max = 96

// Text is what stands for a removed value.
func Text(kind string) string { return Head + kind + "]" }

// OfKind is the mark of a kind.
func OfKind(kind kinds.ID) string { return Text(kind.Name()) }

// IsMark reports whether v is a mark, and nothing else.
func IsMark(v string) bool {
	if !strings.HasPrefix(v, Head) || v[len(v)-1] != ']' || len(v) > Max {
		return false
	}
	name, tag, tagged := strings.Cut(v[len(Head):len(v)-1], ":")
	if _, ok := kinds.ByName[name]; !ok {
		return false
	}
	if !tagged {
		return true
	}
	if len(tag) != 2*TagBytes {
		return false
	}
	for i := range len(tag) {
		if chars.Class[tag[i]]&chars.Hex == 0 {
			return false
		}
	}
	return true
}

// Leads reports whether v begins with a mark, and nothing is glued to it. bare tells that a blank
// ends the value that v begins with.
func Leads(v string, bare bool) bool {
	if !strings.HasPrefix(v, Head) {
		return false
	}
	end := strings.IndexByte(v[:min(len(v), Max)], ']') + 1
	return end > 0 && IsMark(v[:end]) && (end == len(v) || bare && v[end] == ' ' || strings.IndexByte("\n\"',;&)}", v[end]) >= 0)
}

// TagBytes is the length of a keyed tag: enough to correlate by, too little to search
// values with.
const TagBytes = 4
