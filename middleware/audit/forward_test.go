// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/toolscope/toolscope/middleware/audit"
)

// A handler gets the members that the file has, and nothing else.
func TestHandlerGetsEachEntry(t *testing.T) {
	var records bytes.Buffer
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	log := open(t, path, audit.Options{Handler: slog.NewJSONHandler(&records, nil)})
	at := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for _, e := range []audit.Event{
		{Time: at, Kind: "call", Tool: "deploy", Session: "s-1", Turn: 3, Outcome: "refused", ErrorType: "permission_denied",
			Tags: map[string]string{"permission.decision": "deny", "permission.rule": "no-deploys"}, DurationMS: 0.5},
		{Time: at, Kind: "approval", Tool: "deploy", State: "approved", By: "ada"},
	} {
		if err := log.Write(e); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		`{"time":"2026-11-22T12:00:00Z","level":"WARN","msg":"audit call","event":"call","tool":"deploy","session":"s-1",` +
			`"turn":3,"outcome":"refused","error_type":"permission_denied",` +
			`"tags":{"permission.decision":"deny","permission.rule":"no-deploys"},"duration_ms":0.5}`,
		`{"time":"2026-11-22T12:00:00Z","level":"INFO","msg":"audit approval","event":"approval","tool":"deploy",` +
			`"state":"approved","by":"ada"}`,
	}
	for i, line := range bytes.Split(bytes.TrimSpace(records.Bytes()), []byte("\n")) {
		if string(line) != want[i] {
			t.Errorf("record %d: got %s, want %s", i, line, want[i])
		}
	}
	all := events(t, path)
	if len(all) != 2 {
		t.Fatalf("got %d entries in the file, want 2", len(all))
	}
	if text, _ := json.Marshal(all[1]); !bytes.Contains(text, []byte(`"by":"ada"`)) {
		t.Errorf("the file has %s", text)
	}
}

// panics is a handler that panics.
type panics struct{ slog.Handler }

func (panics) Enabled(context.Context, slog.Level) bool { panic("a handler") }

// A handler that panics loses no entry.
func TestHandlerPanics(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.jsonl")
	log := open(t, path, audit.Options{Handler: panics{}})
	if err := log.Write(audit.Event{Time: time.Now(), Kind: "stop", Tool: "deploy"}); err != nil {
		t.Fatal(err)
	}
	if got := len(events(t, path)); got != 1 {
		t.Errorf("got %d entries, want 1", got)
	}
}
