// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/internal/canary"
	"github.com/toolscope/toolscope/redact"
)

func filter(t *testing.T, in string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(append([]string{"redact"}, args...), strings.NewReader(in), &out, &errs)
	return out.String(), errs.String(), code
}

func TestRedactText(t *testing.T) {
	secrets := canary.Secrets(5)
	var in strings.Builder
	for _, s := range secrets {
		in.WriteString("before\n" + s.Text + "\nafter\n")
	}
	out, explained, code := filter(t, in.String(), "--explain")
	if code != exitOK || canary.Find(out+explained, secrets) != nil || strings.Count(out, "before\n") != len(secrets) {
		t.Errorf("got code %d, %v left in %q", code, canary.Find(out, secrets), out)
	}
	if !strings.Contains(explained, "github-token") {
		t.Errorf("--explain says %q", explained)
	}
	if out, explained, _ := filter(t, "nothing here\n", "--explain"); out != "nothing here\n" ||
		explained != "nothing found\n" {
		t.Errorf("got %q, %q", out, explained)
	}
	if out, _, _ := filter(t, "mail a.b@mail.example.org", "--secrets-only"); !strings.Contains(out, "a.b@") {
		t.Errorf("--secrets-only: got %q", out)
	}
}

func TestRedactJSON(t *testing.T) {
	in := "{ \"a\": 1e400,\n  \"password\": \"" + canary.Secrets(6)[0].Value + "\" }\n"
	out, _, code := filter(t, in)
	if code != exitOK || !json.Valid([]byte(out)) || !strings.HasPrefix(out, "{ \"a\": 1e400,\n") ||
		!strings.HasSuffix(out, "\" }\n") {
		t.Errorf("got code %d, %q", code, out)
	}
}

func TestRedactJSONLines(t *testing.T) {
	secrets := canary.Secrets(7)
	var in strings.Builder
	for i, s := range secrets {
		line, _ := json.Marshal(map[string]any{"id": i, "text": s.Text})
		in.Write(append(line, '\n'))
	}
	in.WriteString("\nno JSON " + secrets[2].Text + "\n{\"id\":\"x\"}\n")
	out, errs, code := filter(t, in.String(), "--jsonl")
	if code != exitError || !strings.Contains(errs, fmt.Sprintf("line %d is left out", len(secrets)+2)) ||
		!strings.Contains(errs, `want a string`) {
		t.Errorf("got code %d, %q", code, errs)
	}
	if canary.Find(out+errs, secrets) != nil {
		t.Errorf("%v left", canary.Find(out+errs, secrets))
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != len(secrets) {
		t.Fatalf("got %d lines, want %d", len(lines), len(secrets))
	}
	for i, line := range lines {
		var got struct {
			ID   int
			Text string
		}
		if err := json.Unmarshal([]byte(line), &got); err != nil || got.ID != i ||
			!strings.Contains(got.Text, "[REDACTED:") {
			t.Errorf("line %d: %v, %q", i, err, line)
		}
	}
}

func TestRedactConfig(t *testing.T) {
	file := filepath.Join(t.TempDir(), "redact.yaml")
	if err := os.WriteFile(
		file, []byte("preset: secrets-only\nrules:\n  - path: $.note\n    action: mask\n"), 0o600,
	); err != nil {
		t.Fatal(err)
	}
	in := `{"note":"x","mail":"jane@mail.example.org","password":"` + canary.Secrets(9)[0].Value + `"}`
	out, explained, code := filter(t, in, "--config", file, "--explain")
	if want := `{"note":"[REDACTED:rule]","mail":"jane@mail.example.org","password":"[REDACTED:passwd]"}`; code != exitOK ||
		out != want {
		t.Errorf("got code %d, %s", code, out)
	}
	if !strings.Contains(explained, "; at /password\n") || !strings.Contains(explained, "; at /note\n") {
		t.Errorf("--explain says %q, want the places", explained)
	}
	if err := os.WriteFile(file, []byte("preset: secrets\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, errs, code := filter(t, in, "--config", file); code != exitError || out != "" ||
		!strings.Contains(errs, `redact.yaml:1: preset: got "secrets"`) {
		t.Errorf("got code %d, %q, %q", code, out, errs)
	}
	if _, errs, code := filter(t, in, "--config", file, "--secrets-only"); code != exitUsage ||
		!strings.Contains(errs, "want one of them") {
		t.Errorf("got code %d, %q", code, errs)
	}
}

// lines is an endless log with a secret now and then.
type lines struct {
	left    int
	secrets []canary.Secret
	n       int
	held    []byte
}

func (l *lines) Read(p []byte) (int, error) {
	if len(l.held) == 0 {
		if l.left <= 0 {
			return 0, io.EOF
		}
		l.n++
		text := fmt.Sprintf("2026-11-20T10:00:00Z level=info request=%d done\n", l.n)
		if l.n%997 == 0 {
			text = l.secrets[l.n/997%len(l.secrets)].Text + "\n"
		}
		l.held = []byte(text)
	}
	n := copy(p, l.held)
	l.held, l.left = l.held[n:], l.left-n
	return n, nil
}

// A stream larger than its pieces comes out whole, and no secret hides at a border.
func TestRedactStreams(t *testing.T) {
	secrets := canary.Secrets(8)
	var out, errs bytes.Buffer
	if code := run([]string{"redact"}, &lines{left: 12 << 20, secrets: secrets}, &out, &errs); code != exitOK {
		t.Fatalf("got code %d: %s", code, errs.String())
	}
	if found := canary.Find(out.String(), secrets); found != nil {
		t.Errorf("%v left", found)
	}
	marks := strings.Count(out.String(), "[REDACTED:")
	if plain := strings.Count(out.String(), " done\n"); plain < 200_000 || marks < plain/997 {
		t.Errorf("got %d plain lines and %d marks", plain, marks)
	}
}

func TestRedactUsage(t *testing.T) {
	if out, _, code := filter(t, "", "--list"); code != exitOK || strings.Count(out, "\n") != len(redact.Kinds())+1 {
		t.Errorf("--list: got code %d, %d lines", code, strings.Count(out, "\n"))
	}
	if out, _, code := filter(t, "", "--help"); code != exitOK || !strings.Contains(out, "--jsonl") {
		t.Errorf("--help: got code %d, %q", code, out)
	}
	if _, errs, code := filter(t, "", "file.txt"); code != exitUsage ||
		!strings.Contains(errs, `got argument "file.txt"`) {
		t.Errorf("got code %d, %q", code, errs)
	}
	if _, _, code := filter(t, "", "--frobnicate"); code != exitUsage {
		t.Errorf("got code %d", code)
	}
}

// Who follows a log sees each of its lines before the next one comes.
func TestRedactLinesComeAtOnce(t *testing.T) {
	in, write := io.Pipe()
	read, out := io.Pipe()
	done := make(chan int)
	go func() {
		var errs strings.Builder
		code := run([]string{"redact", "--jsonl"}, in, out, &errs)
		_ = out.Close()
		done <- code
	}()
	lines := bufio.NewScanner(read)
	for i := range 3 {
		fmt.Fprintf(write, "{\"id\":%d,\"text\":\"hello\"}\n", i)
		if !lines.Scan() || lines.Text() != fmt.Sprintf(`{"id":%d,"text":"hello"}`, i) {
			t.Fatalf("got %q, %v", lines.Text(), lines.Err())
		}
	}
	_ = write.Close()
	if code := <-done; code != exitOK || lines.Scan() {
		t.Errorf("got %d and %q more", code, lines.Text())
	}
}
