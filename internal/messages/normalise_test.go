// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package messages

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestNormalise(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"plain words stay", "plain words stay"},
		{"row 17 of 4,000,000 failed after 2.5e3 tries", "row <num> of <num> failed after <num> tries"},
		{"timeout after 1m30.5s (limit 250ms)", "timeout after <duration> (limit <duration>)"},
		{"user 3f0c7c62-53a9-4a2f-8c1e-6a8a9bb5a111 not found", "user <uuid> not found"},
		{"commit 9fceb02d0ae598e95dc970b74767f19372d61af8 is missing", "commit <hex> is missing"},
		{"at 0xc000123abc", "at <hex>"},
		{"open /var/lib/app/data.json: no such file", "open <path>: no such file"},
		{`open C:\Users\ann\x.txt: denied`, "open <path>: denied"},
		{`column "price" and 'name' and ` + "`id`" + ` unknown`, "column <str> and <str> and <str> unknown"},
		{"can't, won't and it's stay", "can't, won't and it's stay"},
		{"at 2025-03-04T05:06:07.89Z", "at <time>"},
		{"2025-03-04 05:06:07 ERROR x", "<time> ERROR x"},
		{"dial tcp 10.0.0.7:5432: refused", "dial tcp <addr>: refused"},
		{"dial tcp [2001:db8::1]:443: refused", "dial tcp <addr>: refused"},
		{"GET https://example.org/a?b=1: 503", "GET <url>: <num>"},
		{"mail to ann.b@example.org bounced", "mail to <email> bounced"},
		{"worker-12 and shard7 died", "worker-<num> and shard<num> died"},
		{"job x9f8e7d6c5b4a3210zz failed", "job <id> failed"},
		{"key [REDACTED:github-token] is bad", "key [REDACTED:github-token] is bad"},
		{"two\n\tlines \x1b[31mred", "two lines [<num>mred"},
		{"Grüße 12 日本語 7", "Grüße <num> 日本語 <num>"},
		{"bad \xff\xfe bytes", "bad bytes"},
		{"already <num> and <path>", "already <num> and <path>"},
	} {
		if got := Normalise(c.in); got != c.want {
			t.Errorf("%q\n got %q\nwant %q", c.in, got, c.want)
		}
	}
	if got := Normalise(strings.Repeat("long ", 1000)); len(got) > MaxLength || !strings.HasSuffix(got, "…") {
		t.Errorf("a long text: got %d bytes ending in %q", len(got), got[len(got)-3:])
	}
}

// FuzzNormalise: for any text the message is short, valid UTF-8, and has no
// control characters.
func FuzzNormalise(f *testing.F) {
	for _, s := range []string{"", "a 1 b", "'x' /a/b 1.2.3.4 [::1]:80", "12:34:56.7Z 1h2m", "0x", "<num",
		"[REDACTED:", "a@b.c", "http://x", "\xff'"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		m := Normalise(s)
		if len(m) > MaxLength || !utf8.ValidString(m) || strings.ContainsFunc(m, unicode.IsControl) {
			t.Errorf("%q gives %q", s, m)
		}
	})
}
