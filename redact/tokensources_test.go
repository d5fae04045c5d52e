// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"hash/crc32"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope/redact/internal/rules"
)

// maxUnchecked is how many rules name their issuer's documentation without a date. It may only fall.
const maxUnchecked = 47

func TestEveryTokenRuleHasASource(t *testing.T) {
	unchecked := 0
	for i := range rules.TokenRules {
		r := &rules.TokenRules[i]
		if r.Source == nil || !strings.HasPrefix(r.Source.URL, "https://") {
			t.Errorf("%s: got %v, want a source", r.Kind, r.Source)
			continue
		}
		if r.Source.Checked == "" {
			unchecked++
		} else if _, err := time.Parse(time.DateOnly, r.Source.Checked); err != nil {
			t.Errorf("%s: %v", r.Kind, err)
		}
	}
	if unchecked > maxUnchecked {
		t.Errorf("got %d rules whose source has no date, want %d at most", unchecked, maxUnchecked)
	}
}

// withChecksum appends the checksum that GitHub and npm give a token's body.
func withChecksum(prefix, body string) string {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	var end [6]byte
	sum := crc32.ChecksumIEEE([]byte(body))
	for i := len(end) - 1; i >= 0; i-- {
		end[i], sum = digits[sum%62], sum/62
	}
	return prefix + body + string(end[:])
}

// TestChecksumProvesAToken puts tokens where their shape alone is not enough. The first one is of the public
// description of the format, long revoked.
func TestChecksumProvesAToken(t *testing.T) {
	if got, want := withChecksum("ghp_", "zQWBuTSOoRi4A9sp"+"HcVY5ncnsDkxkJ"), "0mLq17"; !strings.HasSuffix(got, want) {
		t.Fatalf("got a checksum of %s, want %s", got[len(got)-6:], want)
	}
	for _, token := range []string{withChecksum("ghp_", strings.Repeat("abcdeabcde", 3)),
		withChecksum("npm_", strings.Repeat("zebra2zebr", 3)), withChecksum("ghs_", strings.Repeat("0", 29)+"1")} {
		for _, around := range []string{"%", "x-%", "name.%", "x9Kq2LmZ0p%x8Kq", "v1.2-%-suffix"} {
			text := strings.ReplaceAll(around, "%", token)
			if out, _ := Default().Text(text); strings.Contains(out, token[4:20]) {
				t.Errorf("%.12s… in %q stays", token, around)
			}
		}
	}
	// A checksum that does not fit lets no token pass.
	token := withChecksum("ghp_", "x8Kq2LmZ0pVt9RwB7yNcA1sD4eFg5h")
	token = token[:len(token)-1] + map[bool]string{true: "B", false: "A"}[strings.HasSuffix(token, "A")]
	if out, _ := Default().Text("token is " + token + " here"); strings.Contains(out, token[4:]) {
		t.Error("a token whose checksum does not fit stays")
	}
}
