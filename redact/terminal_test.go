// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"strings"
	"testing"

	"github.com/toolscope/toolscope/internal/canary"
)

// TestTerminalColours: what a terminal shows in colour is found as if it were plain, and
// a colour behind it stays.
func TestTerminalColours(t *testing.T) {
	const red, plain = "\x1b[1;31m", "\x1b[0m"
	m := newMaker(5)
	token, password := "gh"+"p_"+m.randomText(36, letters62), m.drawn(16)
	for _, text := range []string{
		">>>" + red + token + plain + "<<<",
		red + "password" + plain + ": " + red + password + plain,
		red + "DB_PASS" + plain + red + "WORD=" + password + plain,
		token[:9] + red + token[9:] + plain,
	} {
		for _, in := range []string{text, object("stdout", text)} {
			out, found := Default().Text(in)
			if canary.Find(unescapeAll(out), []canary.Secret{{Value: token}, {Value: password}}) != nil ||
				found.Count() != 1 || strings.Count(out, "[0m") == 0 {
				t.Errorf("%q became %q", in, out)
			}
		}
	}
	for _, text := range []string{red + "PASS" + plain + " ok: 3 of 3", "\x1b", "\x1b[", "\x1b[1;",
		red + "max_tokens" + plain + "=4096"} {
		if out, _ := Default().Text(text); out != text {
			t.Errorf("%q became %q", text, out)
		}
	}
}
