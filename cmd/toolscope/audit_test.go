// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope/middleware/audit"
)

// audited runs the command.
func audited(args ...string) (code int, out, errs string) {
	var stdout, stderr bytes.Buffer
	code = run(append([]string{"audit"}, args...), strings.NewReader(""), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

func TestAuditIsVerifiedAndShown(t *testing.T) {
	dir := t.TempDir()
	path, key := filepath.Join(dir, "audit.jsonl"), filepath.Join(dir, "audit.key")
	if err := os.WriteFile(key, []byte("a key that is made for a test\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	log, err := audit.Open(path, audit.Options{Key: []byte("a key that is made for a test")})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []audit.Event{
		{Kind: "approval", Tool: "pay", State: "approved", By: "ada", Session: "s-1", Arguments: `{"to":"x"}`},
		{Kind: "call", Tool: "pay", Outcome: "executed", Session: "s-1", Tags: map[string]string{"approval.by": "ada"}},
		{Kind: "call", Tool: "wipe", Outcome: "refused", ErrorType: "permission_denied", Session: "s-2"},
	} {
		e.Time = time.Now()
		if err := log.Write(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	code, out, errs := audited("verify", "--key-file", key, path)
	if code != exitOK || !strings.Contains(out, "as written: 3 entr") || !strings.Contains(out, "head 3:") {
		t.Fatalf("got %d, %q, %s", code, out, errs)
	}
	_, head, _ := strings.Cut(strings.TrimSpace(out), "head ")
	if code, out, _ := audited("verify", path); code != exitError || !strings.Contains(out, "PROBLEM") {
		t.Errorf("without the key: got %d, %q", code, out)
	}
	if code, out, _ := audited("show", path, "--by", "ada"); code != exitOK || strings.Count(out, "\n") != 2 ||
		!strings.Contains(out, "approved  by=ada") || strings.Contains(out, "wipe") {
		t.Errorf("got %d, %q", code, out)
	}
	if code, out, errs := forget(t, "--session", "s-1", "--audit", path); code != exitOK || !strings.Contains(out, "2 lines") {
		t.Fatalf("got %d, %q, %s", code, out, errs)
	}
	if code, out, _ := audited("verify", "--key-file", key, "--head", head, path); code != exitOK ||
		!strings.Contains(out, "2 of them forgotten") {
		t.Errorf("after forget: got %d, %q", code, out)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.Replace(text, []byte("refused"), []byte("allowed"), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, _ := audited("verify", "--key-file", key, path); code != exitError ||
		!strings.Contains(out, "audit.jsonl:3: entry 3 was changed") {
		t.Errorf("changed: got %d, %q", code, out)
	}
	for _, args := range [][]string{{}, {"verify"}, {"show", "a", "b"}, {"check", path}} {
		if code, _, errs := audited(args...); code != exitUsage {
			t.Errorf("%q: got %d, %s", args, code, errs)
		}
	}
}
