// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/toolscope/toolscope/toolkit"
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
		if got := normalise(c.in); got != c.want {
			t.Errorf("%q\n got %q\nwant %q", c.in, got, c.want)
		}
	}
	if got := normalise(strings.Repeat("long ", 1000)); len(got) > maxMessage || !strings.HasSuffix(got, "…") {
		t.Errorf("a long text: got %d bytes ending in %q", len(got), got[len(got)-3:])
	}
}

// FuzzNormalise: for any text the message is short, valid UTF-8, and has no
// control characters.
func FuzzNormalise(f *testing.F) {
	for _, s := range []string{"", "a 1 b", "'x' /a/b 1.2.3.4 [::1]:80", "12:34:56.7Z 1h2m", "0x", "<num", "[REDACTED:", "a@b.c", "http://x", "\xff'"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		m := normalise(s)
		if len(m) > maxMessage || !utf8.ValidString(m) || strings.ContainsFunc(m, unicode.IsControl) {
			t.Errorf("%q gives %q", s, m)
		}
	})
}

func TestErrorsAreGrouped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder(t)
		tool := &toolkit.Definition{Name: "db"}
		for i := range 10 {
			record(r, call(tool, time.Millisecond, sampled(byte(i+1)), failing("tool_error", fmt.Sprintf("row %d of /tmp/f%d is locked", i, i))))
			time.Sleep(3 * time.Second)
		}
		record(r,
			call(tool, time.Millisecond, failing("timeout", "row 3 of /tmp/f is locked")), // another type
			call(tool, time.Millisecond, func(e *toolkit.Ended) {
				e.ErrorType, e.Ending, e.Panic = "panic", toolkit.EndingPanicked, errors.New("index 7 out of range")
			}),
			call(tool, time.Millisecond, func(e *toolkit.Ended) { e.ErrorType, e.Err = "tool_error", panickyError{} }),
		)
		s := r.Snapshot(Window{Last: time.Minute})
		if len(s.Errors) != 4 || s.OtherErrors != 0 || s.MaxUnlisted != 0 {
			t.Fatalf("got %d groups, %d others, want 4 and none: %+v", len(s.Errors), s.OtherErrors, s.Errors)
		}
		g := s.Errors[0]
		if g.Message != "row <num> of <path> is locked" || g.Example != "row 0 of /tmp/f0 is locked" || g.Count != 10 || g.CountMax != 10 {
			t.Errorf("got %+v", g)
		}
		if g.LastSeen.Sub(g.FirstSeen) != 27*time.Second {
			t.Errorf("first and last seen: got %v apart, want 27 s", g.LastSeen.Sub(g.FirstSeen))
		}
		if len(g.TraceIDs) != maxTraces || !strings.HasPrefix(g.TraceIDs[0], "0a00") || !strings.HasPrefix(g.TraceIDs[4], "0600") {
			t.Errorf("got traces %v, want the latest five", g.TraceIDs)
		}
		sum := uint64(0)
		for _, n := range g.Trend {
			sum += n
		}
		if len(g.Trend) != trendParts || sum != g.Count {
			t.Errorf("got trend %v, want %d parts with %d in all", g.Trend, trendParts, g.Count)
		}
	})
}

type panickyError struct{}

func (panickyError) Error() string { panic("no text") }

func TestHeavyHittersSurviveAFlood(t *testing.T) {
	r := newRecorder(t, Options{MaxErrorGroups: 64})
	tool := &toolkit.Definition{Name: "t"}
	const flood, each = 50_000, 2_000
	heavy := 0
	for i := range flood {
		record(r, call(tool, time.Millisecond, failing("tool_error", "noise "+word(i))))
		if i%(flood/each) == 0 {
			record(r, call(tool, time.Millisecond, failing("tool_error", "the disk is full")))
			heavy++
		}
	}
	s := r.Snapshot(Window{})
	g := s.Errors[0]
	if g.Message != "the disk is full" || g.Count > uint64(heavy) || g.CountMax < uint64(heavy) {
		t.Errorf("got %q with %d to %d, want the frequent one with %d in between", g.Message, g.Count, g.CountMax, heavy)
	}
	if len(s.Errors) > 64 {
		t.Errorf("got %d groups, want at most 64", len(s.Errors))
	}
	listed := s.OtherErrors
	for _, g := range s.Errors {
		listed += g.Count
	}
	if listed != flood+uint64(heavy) || s.MaxUnlisted == 0 {
		t.Errorf("got %d errors in all and %d unlisted at most, want %d", listed, s.MaxUnlisted, flood+heavy)
	}
}

// word is a text without digits that differs for each i.
func word(i int) string {
	b := []byte("qqqqqqqq")
	for at := range b {
		b[at] = byte('g' + i%16)
		i /= 16
	}
	return string(b)
}

func TestNoSecretIsStored(t *testing.T) {
	r := newRecorder(t)
	secret := "gh" + "p_" + strings.Repeat("aB3", 12)
	tool := &toolkit.Definition{Name: "t"}
	e := call(tool, time.Millisecond, failing("tool_error", "denied for token "+secret), in("session of "+secret, 1))
	e.Info.Session.Agent = "agent " + secret
	e.Disposition.Repeat = 1
	record(r, e)
	for name, v := range map[string]any{
		"recent": r.Recent(Filter{}), "snapshot": r.Snapshot(Window{}), "sessions": r.Sessions(0), "loops": r.Loops(),
	} {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), secret[8:]) {
			t.Errorf("%s holds the secret: %s", name, text)
		}
	}
	if got := r.Recent(Filter{})[0].Error; !strings.Contains(got, "REDACTED") {
		t.Errorf("got error text %q, want a mark of the redactor", got)
	}
}
