// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package calllog_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/calllog"
	reader "github.com/toolscope/toolscope/internal/calllog"
	"github.com/toolscope/toolscope/toolkit"
)

// logged runs calls of a handler and reads what was written down of them.
func logged(t *testing.T, handler toolkit.Handler, calls ...toolkit.Call) []reader.Call {
	t.Helper()
	path := filepath.Join(t.TempDir(), "calls.jsonl")
	log, err := calllog.Open(path, calllog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	scope, err := toolscope.New(toolscope.Options{
		TracerProvider: sdktrace.NewTracerProvider(),
		Observers:      []toolkit.Observer{log},
	})
	if err != nil {
		t.Fatal(err)
	}
	known := &toolkit.Definition{Name: "known"}
	handler = scope.Wrap(handler, toolkit.Lookup(func(name string) *toolkit.Definition {
		if name == known.Name {
			return known
		}
		return nil
	}))
	ctx := toolkit.WithSession(t.Context(), toolkit.Session{ID: "s", Agent: "a", Turn: 3})
	for _, c := range calls {
		_, _ = handler(ctx, c) // what came of it is in the log
	}
	if err := log.Close(); err != nil || log.Dropped() != 0 {
		t.Fatalf("got %v and %d dropped", err, log.Dropped())
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("got %v and %v, want a file of the user's alone", info, err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var list []reader.Call
	begun := 0
	for line := range strings.Lines(string(text)) {
		c, err := reader.Read([]byte(line))
		if other := (*reader.NoCall)(nil); errors.As(err, &other) && other.Record == "begin" {
			begun++
			continue
		}
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		list = append(list, c)
	}
	if begun != len(calls) {
		t.Errorf("got %d calls that begin, want %d", begun, len(calls))
	}
	return list
}

func TestLinesAreReadBack(t *testing.T) {
	token := "ghp" + "_" + strings.Repeat("aB3", 12)
	got := logged(t, func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
		switch string(call.Arguments) {
		case "{}":
			return toolkit.Result{}, errors.New("no, " + token)
		case "broken":
			return toolkit.Result{
				Output: "\xff",
				Parts:  []toolkit.Part{{Kind: toolkit.PartImage, MIMEType: "image/png", Data: make([]byte, 1<<20)}},
			}, nil
		}
		return toolkit.Result{
			Output: "hello " + token,
			Parts:  []toolkit.Part{{Kind: toolkit.PartText, Text: "and more"}},
		}, nil
	},
		toolkit.Call{ID: "1", Name: "known", Arguments: []byte(`{"token":"` + token + `","n":1}`)},
		toolkit.Call{Name: "made up by a model", Arguments: []byte("{}")},
		toolkit.Call{Name: "known", Arguments: []byte("broken")},
	)
	if len(got) != 3 {
		t.Fatalf("got %d lines, want 3", len(got))
	}
	first := got[0]
	if first.Tool != "known" || first.ID != "1" || first.Session != "s" || first.Agent != "a" || first.Turn != 3 ||
		len(first.TraceID) != 32 ||
		len(first.SpanID) != 16 ||
		time.Since(first.End) > time.Hour {
		t.Errorf("got %+v", first)
	}
	if !strings.Contains(string(first.Arguments), `"n":1`) || !strings.Contains(string(first.Result), "and more") {
		t.Errorf("got %s and %s", first.Arguments, first.Result)
	}
	if got[1].Tool != "_unknown" || got[1].ErrorType != "_OTHER" || !strings.HasPrefix(got[1].Error, "no, ") {
		t.Errorf("got %+v", got[1])
	}
	if len(got[2].Result) > 200 || !strings.Contains(string(got[2].Result), "1048576 bytes") {
		t.Errorf("got %.300s", got[2].Result)
	}
	for _, c := range got {
		if strings.Contains(string(c.Arguments)+string(c.Result)+c.Error, token) {
			t.Errorf("the token is in %+v", c)
		}
	}
}

// Several logs share a file, and a log that is closed drops.
func TestLogsShareAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "calls.jsonl")
	var wg sync.WaitGroup
	var last *calllog.Log
	for range 3 {
		log, err := calllog.Open(path, calllog.Options{})
		if err != nil {
			t.Fatal(err)
		}
		last = log
		wg.Go(func() {
			for range 100 {
				log.End(
					t.Context(),
					&toolkit.Ended{Info: toolkit.CallInfo{Tool: &toolkit.Definition{Name: "x"}}, End: time.Unix(1, 0)},
				)
			}
			if err := log.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	text, err := os.ReadFile(path)
	if n := strings.Count(string(text), "\n"); n != 300 || err != nil {
		t.Errorf("got %d lines and %v, want 300", n, err)
	}
	last.End(t.Context(), &toolkit.Ended{})
	if last.Dropped() != 1 {
		t.Errorf("got %d dropped, want 1", last.Dropped())
	}
	if _, err := calllog.Open(filepath.Join(path, "x"), calllog.Options{}); err == nil {
		t.Error("got no error for a path that leads nowhere")
	}
}

// TestALineKeepsTheReasonOfAFailure: the fault of the result says no more than its kind.
func TestALineKeepsTheReasonOfAFailure(t *testing.T) {
	got := logged(t, func(context.Context, toolkit.Call) (toolkit.Result, error) {
		return toolkit.Result{Output: "disk full on sda1", Fault: toolkit.ErrTool}, nil
	}, toolkit.Call{Name: "known"})
	if len(got) != 1 || got[0].Error != "disk full on sda1" || got[0].ErrorType != "tool_error" {
		t.Errorf("got %+v, want the reason as the error", got)
	}
}

// TestALineHasTheIntentOfItsCall: redacted, where the arguments are.
func TestALineHasTheIntentOfItsCall(t *testing.T) {
	token := "ghp" + "_" + strings.Repeat("aB3", 12)
	got := logged(t, func(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{}, nil },
		toolkit.Call{Name: "known", Intent: "to log in with " + token}, toolkit.Call{Name: "known"})
	if got[0].Intent != "to log in with [REDACTED:github-token]" || got[1].Intent != "" {
		t.Errorf("got %q and %q, want the intent without the token, and none", got[0].Intent, got[1].Intent)
	}
}

// A file has a bounded size, and so have those before it, also if several logs write to it. Others may not read it.
func TestRotation(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "calls.jsonl")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 2 {
		log, err := calllog.Open(path, calllog.Options{MaxSize: 2000})
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			for range 200 {
				log.End(t.Context(), &toolkit.Ended{Info: toolkit.CallInfo{Tool: &toolkit.Definition{Name: "x"}}, End: time.Unix(1, 0)})
			}
			if err := log.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 4 {
		t.Errorf("got %d files and %v, want 4", len(files), err)
	}
	for _, f := range files {
		info, err := f.Info()
		if err != nil || info.Size() > 2200 || info.Mode().Perm() != 0o600 { // both may write a last line at once
			t.Errorf("%s: got %v, %v and %v, want at most 2200 bytes of the owner's", f.Name(), info.Size(), info.Mode(), err)
		}
	}
}
