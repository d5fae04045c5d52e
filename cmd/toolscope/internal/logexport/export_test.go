// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package logexport

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/toolscope/toolscope/internal/calllog"
	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/toolkit"
)

var update = flag.Bool("update", false, "write the files of testdata anew")

// secret is what must not come out.
var secret = "ghp_" + strings.Repeat("a1B2", 9)

// calls is a log with a call of each kind.
func calls() []string {
	return []string{
		`{"time":"2026-11-21T12:00:00.5Z","tool":"search","duration_us":250000,"session":"s-1","agent":"planner",` +
			`"turn":1,"id":"call_1","arguments":{"q":"ducks","token":"` + secret + `"},"result":"found 3"}`,
		`{"time":"2026-11-21T12:00:01Z","tool":"read_file","duration_us":800,"session":"s-1",` +
			`"arguments":{"path":"a.txt"},"result":{"lines":["<b>","two"]}}`,
		`{"time":"2026-11-21T12:00:02Z","tool":"search","outcome":"cache_hit","duration_us":3,"session":"s-1",` +
			`"result":"found 3"}`,
		`{"time":"2026-11-21T12:00:03Z","tool":"search","duration_us":5000000,"session":"s-2",` +
			`"error_type":"timeout","error":"no answer; token=` + secret + `"}`,
		`{"time":"2026-11-21T13:00:04Z","tool":"rm\u001b[2J\u202e","outcome":"refused",` +
			`"error_type":"permission_denied","error":"a rule refused </script><script>alert(1)</script>"}`,
		`{"time":"2026-11-21T13:00:05Z","tool":"traced","duration_us":1000,` +
			`"trace_id":"0123456789abcdef0123456789abcdef","span_id":"0123456789abcdef",` +
			`"parent_span_id":"fedcba9876543210"}`,
		`{"tool":"untimed","duration_us":1000}`,
	}
}

// exported runs a log through an export.
func exported(t *testing.T, sink Sink, filter Filter, cleaner *Cleaner) *Export {
	t.Helper()
	e := &Export{Filter: filter, Cleaner: cleaner, Sink: sink}
	for _, line := range calls() {
		if err := e.AddLine([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	return e
}

// compare compares a text with a file of testdata.
func compare(t *testing.T, name, got string) {
	t.Helper()
	if strings.Contains(got, secret) {
		t.Errorf("%s has the secret in it", name)
	}
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.ReplaceAll(string(want), "\r\n", "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestText(t *testing.T) {
	var b strings.Builder
	if e := exported(t, NewText(&b, time.UTC), Filter{}, nil); e.Exported != 7 {
		t.Errorf("got %d calls, want 7", e.Exported)
	}
	if strings.ContainsAny(b.String(), "\x1b\u202e") {
		t.Error("got characters that a terminal acts on")
	}
	compare(t, "calls.txt", b.String())
}

func TestHAR(t *testing.T) {
	var b bytes.Buffer
	e := exported(t, NewHAR(&b, "v1"), Filter{}, nil)
	if e.Exported != 6 || e.Untimed != 1 {
		t.Errorf("got %d calls and %d without a time, want 6 and 1", e.Exported, e.Untimed)
	}
	validHAR(t, b.Bytes())
	var indented bytes.Buffer
	if err := json.Indent(&indented, b.Bytes(), "", " "); err != nil {
		t.Fatal(err)
	}
	compare(t, "calls.har", indented.String())
}

func TestHAROfNothing(t *testing.T) {
	var b bytes.Buffer
	exported(t, NewHAR(&b, "v1"), Filter{Tools: []string{"none"}}, nil)
	validHAR(t, b.Bytes())
}

// validHAR holds an archive to the specification.
func validHAR(t *testing.T, text []byte) {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile("testdata/har-1.2.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(v); err != nil {
		t.Error(err)
	}
}

var (
	styles  = regexp.MustCompile(`(?s)<style>(.*)</style>`)
	scripts = regexp.MustCompile(`(?s)<script type="module">(.*)</script>`)
	hashes  = regexp.MustCompile(`'sha256-[^']*'`)
)

func TestHTML(t *testing.T) {
	var b strings.Builder
	exported(
		t,
		NewHTML(&b, HTML{Title: "A <title>", Notes: func() []string { return []string{"one line could not be read"} }}),
		Filter{},
		nil,
	)
	page := b.String()
	style := styles.FindStringSubmatch(page)
	if style == nil {
		t.Fatal("got no style sheet")
	}
	script := scripts.FindStringSubmatch(page)
	if script == nil {
		t.Fatal("got no script")
	}
	for source, text := range map[string]string{"style-src": style[1], "script-src": script[1]} {
		sum := sha256.Sum256([]byte(text))
		if want := source + " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(page, want) {
			t.Errorf("the policy does not allow what the page has: want %s", want)
		}
	}
	page = strings.Replace(strings.Replace(page, style[1], "\n", 1), script[1], "\n", 1)
	page = hashes.ReplaceAllString(page, "'sha256-HASH'")
	for _, never := range []string{
		"javascript:", " style=", " onclick", "src=", "@import", "url(", "https://", "\x1b", "\u202e",
	} {
		if strings.Contains(page, never) {
			t.Errorf("got %q in the page", never)
		}
	}
	if n := strings.Count(page, "http://"); n != strings.Count(page, "xmlns='http://www.w3.org/2000/svg'") {
		t.Errorf("got %d addresses in the page, want none", n)
	}
	compare(t, "calls.html", page)
}

func TestFilters(t *testing.T) {
	at := func(text string) time.Time {
		parsed, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	for name, c := range map[string]struct {
		filter Filter
		want   uint64
	}{
		"all":                {Filter{}, 7},
		"a tool":             {Filter{Tools: []string{"search"}}, 3},
		"tools":              {Filter{Tools: []string{"read*", "traced"}}, 2},
		"a session":          {Filter{Sessions: []string{"s-1"}}, 3},
		"outcomes":           {Filter{Outcomes: []toolkit.Outcome{toolkit.OutcomeCacheHit, toolkit.OutcomeRefused}}, 2},
		"errors":             {Filter{ErrorsOnly: true}, 2},
		"a kind of error":    {Filter{ErrorTypes: []string{"timeout"}}, 1},
		"since":              {Filter{Since: at("2026-11-21T12:00:03Z")}, 3},
		"until":              {Filter{Until: at("2026-11-21T12:00:03Z")}, 3},
		"between":            {Filter{Since: at("2026-11-21T12:00:01Z"), Until: at("2026-11-21T13:00:00Z")}, 3},
		"slow":               {Filter{MinDuration: 100 * time.Millisecond}, 2},
		"slow, of a session": {Filter{MinDuration: 100 * time.Millisecond, Sessions: []string{"s-2"}}, 1},
	} {
		var b strings.Builder
		if e := exported(t, NewText(&b, time.UTC), c.filter, nil); e.Exported != c.want || e.Filtered != 7-c.want {
			t.Errorf("%s: got %d calls, %d left out, want %d", name, e.Exported, e.Filtered, c.want)
		}
	}
}

// Redaction on the way only ever removes more: a redactor that would keep everything
// changes nothing.
func TestRedactionIsOnlyTightened(t *testing.T) {
	redactor := func(o redact.Options) *redact.Redactor {
		r, err := redact.New(o)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	line := fmt.Sprintf(
		`{"tool":"t","duration_us":1,"error":"%s","session":"%s","intent":"as %s","arguments":{"a":"10.0.0.17",`+
			`"b":"%s"},"result":"10.0.0.17 %s"}`,
		secret,
		secret,
		secret,
		secret,
		secret,
	)
	text := func(c *Cleaner) string {
		var b strings.Builder
		e := &Export{Cleaner: c, Sink: NewText(&b, time.UTC)}
		if err := errors.Join(e.AddLine([]byte(line)), e.Close()); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(b.String(), secret) {
			t.Errorf("the secret came out: %s", b.String())
		}
		return b.String()
	}
	plain := text(nil)
	if !strings.Contains(plain, "10.0.0.17") || !strings.Contains(plain, "[REDACTED:github-token]") {
		t.Errorf("default: got %s", plain)
	}
	if got := text(NewCleaner(redactor(redact.Options{Preset: redact.Off}))); got != plain {
		t.Errorf("a redactor that is off changed something: %s", got)
	}
	if got := text(NewCleaner(redactor(redact.Options{
		Preset: redact.Off, Rules: []redact.Rule{{Path: "$.b", Action: redact.Keep}},
	}))); got != plain {
		t.Errorf("a rule that keeps brought something back: %s", got)
	}
	if got := text(NewCleaner(redactor(redact.Options{Preset: redact.Strict}))); strings.Contains(got, "10.0.0.17") {
		t.Errorf("strict: got %s", got)
	}
	without := NewCleaner()
	without.NoContent = true
	if got := text(without); strings.Contains(got, "arguments") || strings.Contains(got, "intent") ||
		strings.Contains(got, "result") {
		t.Errorf("without content: got %s", got)
	}
}

func TestWhatASinkSays(t *testing.T) {
	broken := errors.New("disk full")
	e := &Export{Sink: &failing{err: broken}}
	for range 3 {
		if err := e.AddLine([]byte(calls()[0])); err != nil {
			t.Errorf("got %v, want the sink's error at the end only", err)
		}
	}
	if err := e.Close(); !errors.Is(err, broken) || e.Exported != 0 {
		t.Errorf("got %v after %d calls, want %v after none", err, e.Exported, broken)
	}
	if err := (&Export{Sink: &failing{}}).AddLine([]byte("{}")); err == nil {
		t.Error("got no error of a line that is none")
	}
}

// failing is a sink that does not take calls.
type failing struct{ err error }

func (f *failing) Add(*calllog.Call) error { return f.err }
func (f *failing) Close() error            { return nil }
