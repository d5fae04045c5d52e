// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/toolscope/toolscope/internal/canary"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/middleware/audit"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

func open(t *testing.T, path string, o audit.Options) *audit.Log {
	t.Helper()
	l, err := audit.Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// events are the file's lines.
func events(t *testing.T, path string) (all []audit.Event) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		var e audit.Event
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		all = append(all, e)
	}
	return all
}

// The log tells of a call that waits for a person in the order in which it happened.
func TestApprovalsAndCallsAreWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	log := open(t, path, audit.Options{Sync: true})
	policy, err := approve.New(approve.Options{Tell: log.Approval, Askers: []approve.Asker{approve.AskerFunc(
		func(_ context.Context, r approve.Request) (approve.Answer, error) {
			return approve.Answer{Approved: strings.Contains(r.Arguments, "yes"), By: "ada", Note: "noted"}, nil
		})}})
	if err != nil {
		t.Fatal(err)
	}
	r := new(toolkit.Registry)
	if err := r.Register(tooltest.Echo(toolkit.Definition{Name: "pay", RequiresApproval: true}),
		tooltest.Echo(toolkit.Definition{Name: "read"})); err != nil {
		t.Fatal(err)
	}
	handle := toolkit.Observe(r.Lookup, log)(middleware.Wrap(r.Handle, policy))
	ctx := toolkit.WithSession(t.Context(), toolkit.Session{ID: "s1", Tenant: "acme", Agent: "planner", Turn: 2})
	for _, c := range []toolkit.Call{{Name: "read", ID: "1"},
		{Name: "pay", ID: "2", Arguments: json.RawMessage(`"yes"`)}, {Name: "pay", ID: "3", Arguments: json.RawMessage(`"no"`)}} {
		_, _ = handle(ctx, c)
	}
	var got []string
	for _, e := range events(t, path) {
		got = append(got, fmt.Sprintf("%s %s %s %s%s %s", e.Kind, e.CallID, e.Tool, e.State, e.Outcome, e.ErrorType))
		if e.Session != "s1" || e.Tenant != "acme" || e.Agent != "planner" || e.Time.IsZero() || e.Arguments == "" {
			t.Errorf("got %+v", e)
		}
		if e.Kind == "call" && (e.Turn != 2 || len(e.SHA256) != 64 || e.Tags["approval.by"] != "ada" || e.Tags["approval.id"] == "") {
			t.Errorf("got %+v", e)
		}
		if e.State == "rejected" && (e.By != "ada" || e.Note != "noted" || len(e.Digest) != 64) {
			t.Errorf("got %+v", e)
		}
	}
	want := []string{
		"approval 2 pay pending ", "approval 2 pay approved ", "call 2 pay executed ",
		"approval 3 pay pending ", "approval 3 pay rejected ", "call 3 pay refused approval_denied",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func ended(arguments string, err error) *toolkit.Ended {
	return &toolkit.Ended{Call: toolkit.Call{Name: "x", Arguments: json.RawMessage(arguments)}, Err: err,
		ErrorType: toolkit.TypeOf(err)}
}

func TestWhatIsWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	log := open(t, path, audit.Options{})
	plain, tagged, refused := ended(`{}`, nil), ended(`{}`, nil), ended(`{}`, errors.New("no"))
	tagged.Disposition.Tags = []toolkit.Tag{{Key: "permission.decision", Value: "allow"}}
	refused.Disposition.Outcome = toolkit.OutcomeRefused
	other := ended(`{}`, nil)
	other.Disposition.Tags = []toolkit.Tag{{Key: "cache", Value: "miss"}}
	for _, e := range []*toolkit.Ended{plain, tagged, refused, other} {
		log.End(t.Context(), e)
	}
	if got := events(t, path); len(got) != 2 || got[0].Tags["permission.decision"] != "allow" ||
		got[1].Outcome != "refused" || got[1].Error != "no" {
		t.Errorf("got %+v", got)
	}
	all := open(t, path, audit.Options{All: true, WithoutArguments: true})
	all.End(t.Context(), plain)
	if got := events(t, path); len(got) != 3 || got[2].Arguments != "" || got[2].SHA256 == "" {
		t.Errorf("got %+v", got)
	}
}

func TestNothingSecretIsWritten(t *testing.T) {
	secrets := canary.Secrets(11)
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	log := open(t, path, audit.Options{All: true})
	for _, s := range secrets {
		text, _ := json.Marshal(s.Text)
		e := ended(`{"text":`+string(text)+`}`, errors.New(s.Text))
		e.Call.ID, e.Call.Name = s.Text, s.Text
		e.Info.Session = &toolkit.Session{ID: s.Text, Tenant: s.Text, Agent: s.Text}
		e.Disposition.Tags = []toolkit.Tag{{Key: "approval.by", Value: s.Text}}
		log.End(t.Context(), e)
		log.Approval(approve.Decision{Request: approve.Request{Tool: s.Text, CallID: s.Text, Session: s.Text,
			Tenant: s.Text, Agent: s.Text, Rule: s.Text, Reason: s.Text}, By: s.Text, Note: s.Text})
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if leaked := canary.Find(string(text), secrets); len(leaked) != 0 || len(text) == 0 {
		t.Errorf("leaked %v in %d bytes", leaked, len(text))
	}
}

func TestATornLineSpoilsNoOther(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	if err := os.WriteFile(path, []byte("{\"event\":\"call\"}\n{\"event\":\"ca"), 0o600); err != nil {
		t.Fatal(err)
	}
	log := open(t, path, audit.Options{})
	for range 2 {
		if err := log.Write(audit.Event{Kind: "call", Tool: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	if len(lines) != 5 || lines[1] != `{"event":"ca` || !json.Valid([]byte(lines[2])) || !json.Valid([]byte(lines[3])) {
		t.Errorf("got %q", lines)
	}
}

func TestManyWritersOfTwoProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	a, b := open(t, path, audit.Options{}), open(t, path, audit.Options{})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 200 {
				if err := []*audit.Log{a, b}[i%2].Write(audit.Event{Kind: "call", Tool: strings.Repeat("x", 500)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if got := events(t, path); len(got) != 1600 {
		t.Errorf("got %d lines, want 1600", len(got))
	}
}

func TestTroublesAreCountedAndTold(t *testing.T) {
	var told []error
	log := open(t, filepath.Join(t.TempDir(), "audit.jsonl"),
		audit.Options{OnError: func(err error) { told = append(told, err); panic("host") }})
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Errorf("a second Close: %v", err)
	}
	refused := ended(`{}`, errors.New("no"))
	refused.Disposition.Outcome = toolkit.OutcomeRefused
	log.End(t.Context(), refused)
	if log.Lost() != 1 || len(told) != 1 || !strings.Contains(told[0].Error(), "closed") {
		t.Errorf("%d lost, told %v", log.Lost(), told)
	}
	if runtime.GOOS == "linux" {
		if full, err := audit.Open("/dev/full", audit.Options{}); err == nil || !strings.Contains(err.Error(), "want a file") {
			t.Errorf("got %v, %v, want a device refused", full, err)
		}
	}
}

func TestOpenNamesWhatIsWrong(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{"", dir, filepath.Join(dir, "no", "where")} {
		if _, err := audit.Open(path, audit.Options{}); err == nil || !strings.HasPrefix(err.Error(), "audit: ") {
			t.Errorf("%q: got %v", path, err)
		}
	}
	path := filepath.Join(dir, "log")
	open(t, path, audit.Options{})
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("got %v, %v, want a file for its owner only", info.Mode(), err)
	}
}

func Example() {
	dir, err := os.MkdirTemp("", "audit")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	log, err := audit.Open(filepath.Join(dir, "audit.jsonl"), audit.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	handle := toolkit.Observe(nil, log)(func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
		return middleware.Refuse(call, &toolkit.Error{Kind: toolkit.ErrPermissionDenied, Message: "not here"})
	})
	_, _ = handle(context.Background(), toolkit.Call{Name: "wipe", Arguments: json.RawMessage(`{"disk":"sda"}`)})
	if err := log.Close(); err != nil {
		fmt.Println(err)
		return
	}
	text, _ := os.ReadFile(filepath.Join(dir, "audit.jsonl"))
	var e audit.Event
	_ = json.Unmarshal(text, &e)
	fmt.Println(e.Kind, e.Tool, e.Outcome, e.ErrorType, e.Arguments)
	// Output: call wipe refused permission_denied {"disk":"sda"}
}
