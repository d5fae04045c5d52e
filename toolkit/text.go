// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit

import (
	"strconv"
	"unicode/utf8"
)

// maxShown is how many bytes of a name or an id a formatted value shows.
const maxShown = 80

// clip cuts s to maxShown bytes on a rune boundary and says so with an ellipsis.
func clip(s string) string {
	if len(s) <= maxShown {
		return s
	}
	cut := maxShown - len("…")
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}

// quote clips s and escapes what a terminal or a log could stumble over:
// control characters, bidirectional marks, invalid UTF-8.
func quote(s string) string { return strconv.QuoteToGraphic(clip(s)) }
