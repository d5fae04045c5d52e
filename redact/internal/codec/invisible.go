// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package codec

import (
	"html"
	"strings"
)

// Characters that are not shown, by their first byte: soft hyphens, zero-width blanks and joiners,
// the byte order mark.
const (
	SoftHyphen Codec = 0xc2
	ZeroWidth  Codec = 0xe2
	ByteOrder  Codec = 0xef
	Entity     Codec = '&' // of HTML
)

var invisible = [...]string{"\u00ad", "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff"}

// InvisibleIn reports whether a character of c stands in s.
func (c Codec) InvisibleIn(s string) bool {
	for _, v := range invisible {
		if v[0] == byte(c) && strings.Contains(s, v) {
			return true
		}
	}
	return false
}

// invisibleAt is the length of the character that is not shown at s[0]; 0 if there is none.
func invisibleAt(s string) int {
	for _, v := range invisible {
		if strings.HasPrefix(s, v) {
			return len(v)
		}
	}
	return 0
}

// maxEntity is the longest entity, in bytes.
const maxEntity = 10

// EntityIn reports whether an entity of HTML stands in s.
func EntityIn(s string) bool {
	for i := strings.IndexByte(s, '&'); i >= 0; {
		if n, _ := entityAt(s[i:]); n > 0 {
			return true
		}
		next := strings.IndexByte(s[i+1:], '&')
		if next < 0 {
			return false
		}
		i += 1 + next
	}
	return false
}

// entityAt is the length of the entity at s[0], and what it stands for; 0 if there is none.
func entityAt(s string) (raw int, text string) {
	end := strings.IndexByte(s[:min(len(s), maxEntity)], ';')
	if end < 3 {
		return 0, ""
	}
	text = html.UnescapeString(s[:end+1])
	if len(text) > end || strings.HasPrefix(text, "&") && text != "&" {
		return 0, ""
	}
	return end + 1, text
}
