// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"fmt"
	"strings"
	"testing"
)

// A token is found when a character of it is written in one encoding, whose first character is written in another, when two
// stand in it, and when an encoding hides a character that is not seen.
func TestEncodingsWithinEachOther(t *testing.T) {
	encodings := map[string]string{"JSON": `\u%04x`, "percent": "%%%02x", "entity": "&#%d;"}
	token := "gh" + "p_" + strings.Repeat("aB3dE5fG7h", 3) + "J9kL1m"
	encode := func(s string, at int, format string) string {
		return s[:at] + fmt.Sprintf(format, s[at]) + s[at+1:]
	}
	check := func(name, text string) {
		if out, _ := Default().Text("run " + text + " end"); !strings.Contains(out, "[REDACTED:") || strings.Contains(out, "G7h") {
			t.Errorf("%s: %q became %q", name, text, out)
		}
	}
	for inner, a := range encodings {
		for outer, b := range encodings {
			check(inner+" in "+outer, encode(encode(token, 12, a), 12, b))
			check(inner+" beside "+outer, encode(encode(token, 20, a), 12, b))
		}
	}
	for _, hidden := range []string{"&#8203;", "&shy;", "&#65279;", `\u200b`, `\u00ad`, "%E2%80%8B"} {
		check(hidden, token[:12]+hidden+token[12:])
		for name, a := range encodings {
			check(hidden+" beside "+name, token[:12]+hidden+encode(token[12:], 8, a))
			check("\u200b beside "+name, token[:12]+"\u200b"+encode(token[12:], 8, a))
		}
	}
}
