// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redact

import (
	"bytes"
	"encoding/json"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/toolscope/toolscope/internal/canary"
	"github.com/toolscope/toolscope/redact/internal/cut"
	"github.com/toolscope/toolscope/redact/internal/kinds"
	"github.com/toolscope/toolscope/redact/internal/marks"
	"github.com/toolscope/toolscope/redact/internal/rules"
)

func TestTextMax(t *testing.T) {
	secret := canary.Secrets(11)[0]
	for _, c := range []struct{ name, text string }{
		{"ASCII", strings.Repeat("abc def ", 500)},
		{"four bytes a letter", strings.Repeat("\U0001F600", 1000)},
		{"one word", strings.Repeat("x", 4000)},
		{"secrets all over", strings.Repeat("password="+secret.Value+" ", 100)},
		{"large", strings.Repeat("password="+secret.Value+" Ä ", 60_000)},
	} {
		for _, limit := range []int{1, 2, 3, 10, 30, 40, 64, 65, 66, 67, 100, 1000} {
			out, report := Default().TextMax(c.text, limit)
			switch {
			case len(out) > limit:
				t.Errorf("%s: got %d bytes, want %d at most", c.name, len(out), limit)
			case !utf8.ValidString(out):
				t.Errorf("%s: at %d no UTF-8: %q", c.name, limit, out)
			case canary.Find(out, []canary.Secret{secret}) != nil:
				t.Errorf("%s: at %d it survives in %q", c.name, limit, out)
			case !report.Truncated || report.Size != len(c.text):
				t.Errorf("%s: at %d got report %+v, want it cut, of %d bytes", c.name, limit, report, len(c.text))
			case strings.Count(out, marks.Head) != strings.Count(out, marks.Text(kinds.PasswdName)):
				t.Errorf("%s: at %d a mark is cut in two: %q", c.name, limit, out)
			}
		}
	}
}

// TestMaxNoLimit: what fits, and what has no limit, is not cut.
func TestMaxNoLimit(t *testing.T) {
	const text = "a harmless sentence of 35 bytes here"
	for _, limit := range []int{-1, 0, len(text), len(text) + 1} {
		if out, report := Default().TextMax(text, limit); out != text || report.Truncated || report.Size != len(text) {
			t.Errorf("TextMax %d: got %q and %+v", limit, out, report)
		}
		doc := []byte(object("text", text))
		if out, report := Default().JSONMax(doc, max(limit, 0)*2); !bytes.Equal(out, doc) || report.Truncated {
			t.Errorf("JSONMax %d: got %q and %+v", limit*2, out, report)
		}
	}
}

func TestMaxKeepsHeadAndTail(t *testing.T) {
	out, _ := Default().TextMax("BEGIN"+strings.Repeat(" more", 1000)+" END", 200)
	if !strings.HasPrefix(out, "BEGIN") || !strings.HasSuffix(out, "END") || !strings.Contains(out, "bytes cut]") {
		t.Errorf("got %q, want head, note and tail", out)
	}
}

func TestJSONMaxStaysValid(t *testing.T) {
	secret := canary.Secrets(12)[0]
	item := `{"id":12345,"password":"` + secret.Value + `","note":"a \"quoted\" \u00e4 line\n"}`
	for _, c := range []struct{ name, doc string }{
		{"one long string", object("text", strings.Repeat("word \\ \" \n ä ", 2000))},
		{"many items", "[" + strings.Repeat(item+",", 500) + "1]"},
		{"items in an object", `{"items":[` + strings.Repeat(item+",", 500) + `1],"next":null}`},
		{"deep", strings.Repeat(`{"a":1,"b":`, 50) + `[` + strings.Repeat(item+",", 100) + `0]` + strings.Repeat("}", 50)},
		{"JSON in JSON", object("text", "["+strings.Repeat(item+",", 500)+"1]")},
		{"numbers", "[" + strings.Repeat("123456,", 5000) + "1]"},
		{"large", "[" + strings.Repeat(item+",", 30_000) + "1]"},
	} {
		for _, limit := range []int{512, 513, 514, 515, 1000, 4096} {
			in := []byte(c.doc)
			out, report := Default().JSONMax(in, limit)
			switch {
			case len(out) > limit:
				t.Errorf("%s: got %d bytes, want %d at most", c.name, len(out), limit)
			case !json.Valid(out):
				t.Errorf("%s: at %d no JSON: %s", c.name, limit, out)
			case canary.Find(unescapeAll(string(out)), []canary.Secret{secret}) != nil:
				t.Errorf("%s: at %d it survives in %s", c.name, limit, out)
			case !report.Truncated || report.Size != len(c.doc):
				t.Errorf("%s: at %d got report %+v, want it cut, of %d bytes", c.name, limit, report, len(c.doc))
			case string(in) != c.doc:
				t.Errorf("%s: the input was written to", c.name)
			}
		}
	}
}

// TestMaxTailWithinAKey: the tail of a large text may lie within a private key whose head is
// far before, and shows none of its lines.
func TestMaxTailWithinAKey(t *testing.T) {
	const line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDbq3x7Yw5kT2Zp\n"
	for _, lines := range []int{20, 200, 900} {
		for _, behind := range []string{"", "\ndone", strings.Repeat("\nnothing here", 100)} {
			key := rules.PemBegin + " PRIVATE " + "KEY-----\n" + strings.Repeat(line, lines) + rules.PemEnd +
				" PRIVATE " + "KEY-----"
			out, _ := Default().TextMax(strings.Repeat("some words of a log\n", 10_000)+key+behind, 4096)
			if strings.Contains(out, line[:16]) {
				t.Errorf("%d lines, %d bytes behind it: the key is seen in %q", lines, len(behind), out)
			}
		}
	}
}

// TestMaxWorkIsBounded: of a huge result only what may be shown is examined. The
// secrets found tell how much that was; the memory, that nothing was copied.
func TestMaxWorkIsBounded(t *testing.T) {
	size := 100 << 20
	if testing.Short() {
		size = 8 << 20
	}
	const limit = 16 << 10
	line := "password=" + canary.Secrets(13)[0].Value + " and some words\n"
	text := strings.Repeat(line, size/len(line))
	doc := []byte(`["` + strings.Repeat(strings.TrimSpace(line)+`","`, size/len(line)) + `"]`)
	scanned := 2*(limit+cut.Overlap)/len(line) + 2
	for name, run := range map[string]func() (int, Report){
		"TextMax": func() (int, Report) { out, r := Default().TextMax(text, limit); return len(out), r },
		"JSONMax": func() (int, Report) { out, r := Default().JSONMax(doc, limit); return len(out), r },
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		n, report := run()
		runtime.ReadMemStats(&after)
		if n > limit || !report.Truncated {
			t.Errorf("%s: got %d bytes, %+v", name, n, report)
		}
		if found := report.Findings.Count(); found == 0 || found > scanned {
			t.Errorf("%s: got %d secrets, want at most the %d of head and tail", name, found, scanned)
		}
		if got := after.TotalAlloc - before.TotalAlloc; got > 2<<20 {
			t.Errorf("%s: got %d bytes allocated, want 2 MiB at most", name, got)
		}
	}
}
