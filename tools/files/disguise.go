// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"strconv"
	"strings"
	"unicode"
)

// decodings is how often a path is decoded when it is checked: attackers encode
// twice where they expect two decodings.
const decodings = 3

// disguised tells whether a path would lead out if a program took its backslashes,
// percent codes, overlong or full-width characters for what they resemble. The system
// does not, so this keeps hostile names out of the tree, for other programs' sake:
// those with control characters or a drive letter as well.
func disguised(rel string) bool {
	for range decodings {
		rel = lookalikes.Replace(rel)
		if strings.HasPrefix(rel, "/") || strings.ContainsFunc(rel, unicode.IsControl) || len(rel) > 2 && rel[1:3] == ":/" {
			return true
		}
		for part := range strings.SplitSeq(rel, "/") {
			if part == ".." {
				return true
			}
		}
		plain := unescape(rel)
		if plain == rel {
			return false
		}
		rel = plain
	}
	return true // who encodes that often hides something
}

// lookalikes are the full-width forms, and the overlong and broken UTF-8 forms of
// "." and "/" that decoders once took.
var lookalikes = strings.NewReplacer(
	"\\", "/", "\uff0e", ".", "\uff0f", "/", "\uff3c", "/", "\u2024", ".", "\u2025", "..", "\u2215", "/", "\u2216", "/",
	"\xc0\xae", ".", "\xc0\x2e", ".", "\xe0\x80\xae", ".", "\xf0\x80\x80\xae", ".", "\xf8\x80\x80\x80\xae", ".",
	"\xfc\x80\x80\x80\x80\xae", ".",
	"\xc0\xaf", "/", "\xc0\x2f", "/", "\xe0\x80\xaf", "/", "\xf0\x80\x80\xaf", "/", "\xf8\x80\x80\x80\xaf", "/",
	"\xfc\x80\x80\x80\x80\xaf", "/",
	"\xc1\x9c", "/", "\xc0\x5c", "/", "\xc1\x1c", "/",
)

// unescape decodes %2e and %u002e once, and leaves alone what is none.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch rest := s[i:]; {
		case hasHex(rest, "%u", 4):
			n, _ := strconv.ParseUint(rest[2:6], 16, 16)
			b.WriteRune(rune(n))
			i += 5
		case hasHex(rest, "%", 2):
			n, _ := strconv.ParseUint(rest[1:3], 16, 8)
			b.WriteByte(byte(n))
			i += 2
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// hasHex tells whether s begins with the prefix and so many hexadecimal digits.
func hasHex(s, prefix string, digits int) bool {
	rest, ok := strings.CutPrefix(s, prefix)
	if !ok || len(rest) < digits {
		return false
	}
	return strings.Trim(rest[:digits], "0123456789abcdefABCDEF") == ""
}
