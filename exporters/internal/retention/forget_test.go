// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package retention_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope/exporters/internal/retention"
	"github.com/toolscope/toolscope/internal/calllog"
	"github.com/toolscope/toolscope/middleware/audit"
)

// put writes a file, compressed if its name says so.
func put(t testing.TB, path, text string) string {
	t.Helper()
	var b bytes.Buffer
	if strings.HasSuffix(path, ".gz") {
		zip := gzip.NewWriter(&b)
		_, _ = io.WriteString(zip, text) // a buffer takes everything
		if err := zip.Close(); err != nil {
			t.Fatal(err)
		}
	} else {
		b.WriteString(text)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o640); err != nil {
		t.Fatal(err)
	}
	return path
}

// text is what a file holds, decompressed.
func text(t testing.TB, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(path, ".gz") {
		return string(raw)
	}
	zip, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	if raw, err = io.ReadAll(zip); err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

const calls = `{"tool":"read","duration_us":1,"session":"a","error":"secret of a"}
{"tool":"read","duration_us":2,"session":"b","tenant":"x"}
{"session":"\u0061","tool":"spelled in another way","duration_us":3,"tenant":"x"}
{"tool":"in a text","duration_us":4,"error":"session a said \"a\""}

{"tool":"nested","duration_us":5,"about":{"session":"a"}}
{"session":"b","session":"a","tool":"the last counts","duration_us":6}
{"session":"a","tool":"torn","dur
{"session":"b","tool":"torn","dur`

func TestCallLog(t *testing.T) {
	for _, c := range []struct {
		name    string
		forget  retention.Forget
		removed []string // words of the lines that go
	}{
		{"a session", retention.Forget{Session: "a"}, []string{"secret", "spelled", "counts", `"a","tool":"torn"`}},
		{"of a tenant", retention.Forget{Session: "a", Tenant: "x"}, []string{"spelled", `"a","tool":"torn"`}},
		{"no session's", retention.Forget{Session: "c"}, nil},
		{"a dry run", retention.Forget{Session: "a", DryRun: true}, nil},
	} {
		for _, name := range []string{"calls.jsonl", "calls.jsonl.gz"} {
			t.Run(c.name+" "+name, func(t *testing.T) {
				path := put(t, filepath.Join(t.TempDir(), name), calls)
				then := time.Now().Add(-time.Hour).Truncate(time.Second)
				if err := os.Chtimes(path, then, then); err != nil {
					t.Fatal(err)
				}
				r, err := c.forget.CallLog(path)
				want := len(c.removed)
				if c.forget.DryRun {
					want = 4
				}
				if err != nil || r.Removed != want || r.Files != 1 {
					t.Fatalf("got %+v, %v, want %d removed", r, err, want)
				}
				got := strings.Split(strings.TrimSuffix(text(t, path), "\n"), "\n")
				before := strings.Split(calls, "\n")
				if len(got) != len(before) {
					t.Fatalf("got %d lines, want %d", len(got), len(before))
				}
				for i, line := range before {
					want := line
					for _, word := range c.removed {
						if strings.Contains(line, word) {
							want = strings.Repeat(" ", len(line))
						}
					}
					if got[i] != want {
						t.Errorf("line %d: got %q, want %q", i+1, got[i], want)
					}
				}
				if info, err := os.Stat(path); err != nil || info.ModTime().Sub(then) > time.Second ||
					info.Mode().Perm() != 0o640 && filepath.Separator == '/' {
					t.Errorf("got %v, %v, want the file's time and mode as they were", info, err)
				}
				if again, err := c.forget.CallLog(path); err != nil || again.Removed != 0 && !c.forget.DryRun {
					t.Errorf("a second time: got %+v, %v, want nothing left", again, err)
				}
			})
		}
	}
}

// What is left of a call log is a call log.
func TestReportAfterwards(t *testing.T) {
	path := put(t, filepath.Join(t.TempDir(), "calls.jsonl"), strings.Join(strings.Split(calls, "\n")[:7], "\n")+"\n")
	if _, err := (retention.Forget{Session: "a"}).CallLog(path); err != nil {
		t.Fatal(err)
	}
	log := calllog.New(nil)
	for line := range strings.Lines(text(t, path)) {
		if strings.TrimSpace(line) == "" {
			continue // as toolscope report does
		}
		if err := log.AddLine([]byte(line)); err != nil {
			t.Errorf("%q: %v", line, err)
		}
	}
	if s := log.Sessions(); len(s) != 1 || s[0].Session != "b" {
		t.Errorf("got %+v, want only b", s)
	}
}

// A program goes on appending to a log in which a session is forgotten.
func TestAuditBesideItsWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit[1].jsonl")
	log, err := audit.Open(path, audit.Options{MaxBytes: 2000})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	at := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	write := func(n int) {
		for i := range n {
			if err := log.Write(audit.Event{Time: at, Kind: "call", Tool: "read", CallID: fmt.Sprintf("call-%d", i),
				Session: []string{"a", "b"}[i%2]}); err != nil {
				t.Error(err)
			}
		}
	}
	write(40)
	done := make(chan struct{})
	go func() { defer close(done); write(200) }()
	total := 0
	for range 20 {
		r, err := retention.Forget{Session: "a"}.Audit(path)
		if err != nil {
			t.Error(err)
		}
		total += r.Removed
	}
	<-done
	r, err := retention.Forget{Session: "a"}.Audit(path)
	if total += r.Removed; err != nil || total != 120 {
		t.Errorf("got %d removed, %v, want 120", total, err)
	}
	paths, err := filepath.Glob(strings.NewReplacer("[", "[[]").Replace(path) + "*")
	if err != nil || len(paths) < 3 {
		t.Fatalf("got %q, %v, want the log and some that were set aside", paths, err)
	}
	forgotten, others := 0, 0
	for _, p := range paths {
		for line := range strings.Lines(text(t, p)) {
			var e struct {
				audit.Event
				Forgotten time.Time
			}
			switch err := json.Unmarshal([]byte(line), &e); {
			case err != nil:
				t.Errorf("%q: %v", line, err)
			case e.Kind == "forgotten" && e.Session == "" && e.CallID == "" && e.Time.Equal(at) && !e.Forgotten.IsZero():
				forgotten++
			case e.Session == "b":
				others++
			default:
				t.Errorf("got %q", line)
			}
		}
	}
	if forgotten != 120 || others != 120 {
		t.Errorf("got %d entries forgotten and %d others, want 120 of each", forgotten, others)
	}
	if r, err := audit.Verify(path, nil, ""); err != nil || len(r.Problems) > 0 || r.Forgotten != 120 || r.Entries != 240 {
		t.Errorf("got %+v, %v, want the chain whole", r, err)
	}
}

const spansLine = `{"resourceSpans":[{"resource":{"attributes":[{"key":"toolscope.session.id",` +
	`"value":{"stringValue":"a"}}]},"scopeSpans":[{"scope":{},"spans":[` +
	`{"traceId":"01","name":"of ` +
	`a","attributes":[{"key":"toolscope.session.id","value":{"stringValue":"a"}},{"key":"toolscope.tenant",` +
	`"value":{"stringValue":"x"}}]}, ` +
	`{"traceId":"01","name":"below it"},` +
	`{"traceId":"01","name":"of b","attributes":[{"key":"session.id","value":{"stringValue":"b"}}]} , ` +
	`{"traceId":"02","name":"elsewhere","attributes":[{"key":"n","value":{"intValue":"7"}}]},` +
	`{"traceId":"03","name":"talk","attributes":[{"key":"gen_ai.conversation.id","value":{"stringValue":"a"}}]}` +
	`]},{"spans":[{"traceId":"01","name":"another scope"}]},{"spans":[]}]}]}`

func TestSpans(t *testing.T) {
	for _, c := range []struct {
		name    string
		forget  retention.Forget
		removed int
		left    string
	}{
		{"a session", retention.Forget{Session: "a"}, 8, "of b,elsewhere;;"},
		{"of a tenant", retention.Forget{Session: "a", Tenant: "x"}, 6, "of b,elsewhere,talk;;"},
		{"the one in the middle", retention.Forget{Session: "b"}, 6, "of a,elsewhere,talk;;"},
		{"no session's", retention.Forget{Session: "c"}, 0, "of a,below it,of b,elsewhere,talk;another scope;"},
		{"a dry run", retention.Forget{Session: "a", DryRun: true}, 8, "of a,below it,of b,elsewhere,talk;another scope;"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			paths := []string{put(t, filepath.Join(dir, "spans-1.jsonl"), spansLine+"\n"),
				put(t, filepath.Join(dir, "spans-0.jsonl.gz"), spansLine+"\n")}
			put(t, filepath.Join(dir, "notes.txt"), `"a"`)
			r, err := c.forget.Spans(dir)
			if err != nil || r.Removed != c.removed || r.Files != 2 {
				t.Errorf("got %+v, %v, want %d removed", r, err, c.removed)
			}
			for _, path := range paths {
				after := text(t, path)
				var l struct {
					ResourceSpans []struct {
						ScopeSpans []struct{ Spans []struct{ Name string } }
					}
				}
				if err := json.Unmarshal([]byte(after), &l); err != nil || len(after) != len(spansLine)+1 {
					t.Fatalf("%s: %v", after, err)
				}
				got := ""
				for i, s := range l.ResourceSpans[0].ScopeSpans {
					if i > 0 {
						got += ";"
					}
					for j, span := range s.Spans {
						if j > 0 {
							got += ","
						}
						got += span.Name
					}
				}
				if got != c.left {
					t.Errorf("%s: got %q left, want %q", filepath.Base(path), got, c.left)
				}
			}
		})
	}
}

func TestWhatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	broken := filepath.Join(dir, "broken.jsonl.gz")
	if err := os.WriteFile(broken, []byte("no gzip"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := retention.Forget{Session: "a"}
	for name, call := range map[string]func() (retention.Report, error){
		"no session":  func() (retention.Report, error) { return retention.Forget{}.CallLog(broken) },
		"no sessions": func() (retention.Report, error) { return retention.Forget{}.Spans(dir) },
		"no file":     func() (retention.Report, error) { return f.Audit(filepath.Join(dir, "none")) },
		"no gzip":     func() (retention.Report, error) { return f.CallLog(broken) },
		"spans":       func() (retention.Report, error) { return f.Spans(dir) },
		"no folder":   func() (retention.Report, error) { return f.Spans(filepath.Join(dir, "none")) },
		"a directory": func() (retention.Report, error) { return f.CallLog(dir) },
	} {
		if r, err := call(); err == nil || r.Removed != 0 || !strings.HasPrefix(err.Error(), "retention: ") {
			t.Errorf("%s: got %+v, %v", name, r, err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); len(left) != 0 {
		t.Errorf("got %q left over", left)
	}
}

func ExampleForget() {
	dir, err := os.MkdirTemp("", "retention")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "calls.jsonl")
	lines := `{"tool":"search","session":"s-41","duration_us":120}
{"tool":"search","session":"s-42","duration_us":340}
`
	if err := os.WriteFile(path, []byte(lines), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	report, err := retention.Forget{Session: "s-42"}.CallLog(path)
	fmt.Println(report.Removed, err)
	left, _ := os.ReadFile(path)
	fmt.Print(strings.TrimSpace(string(left)))
	// Output:
	// 1 <nil>
	// {"tool":"search","session":"s-41","duration_us":120}
}
