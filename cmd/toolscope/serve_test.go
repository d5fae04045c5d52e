// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestServeWords(t *testing.T) {
	t.Setenv("TOOLSCOPE_TOKEN", "")
	for _, tt := range []struct {
		args   string
		code   int
		output string
	}{
		{"serve --help", exitOK, "--http ADDR"},
		{"serve here", exitUsage, `got argument "here"`},
		{"serve --dir no/such/dir", exitError, "Roots[0].Path"},
		{"serve --http nonsense", exitError, "--http"},
		{"serve --http :0", exitError, "other machines reach"},
		{"serve --http 127.0.0.1:0 --shell", exitError, "without a token"},
		{"serve --http 127.0.0.1:0 --python strict", exitError, "without a token"},
		{"serve --http 127.0.0.1:0 --all", exitError, "without a token"},
		{"serve --stats nonsense", exitError, "--stats"},
		{"serve --token-file no/such/file", exitError, "--token-file"},
		{"serve --config no/such/file", exitError, "no/such/file"},
	} {
		var stdout, stderr bytes.Buffer
		if code := run(strings.Fields(tt.args), strings.NewReader(""), &stdout, &stderr); code != tt.code ||
			!strings.Contains(stdout.String()+stderr.String(), tt.output) {
			t.Errorf(
				"%s: got code %d and %s%s, want %d and %q",
				tt.args,
				code,
				stdout.String(),
				stderr.String(),
				tt.code,
				tt.output,
			)
		}
	}
	t.Setenv("TOOLSCOPE_TOKEN", "short")
	var stderr bytes.Buffer
	if code := run([]string{"serve", "--http", "127.0.0.1:0"}, nil, io.Discard, &stderr); code != exitError ||
		!strings.Contains(stderr.String(), "got 5 bytes") {
		t.Errorf("a short token: got code %d and %s", code, stderr.String())
	}
}

// useServer lists the tools of a server in dir and reads a file with one, and is refused
// another, by a revision.
func useServer(t *testing.T, transport mcp.Transport, revision string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	session, err := mcp.NewClient(
		&mcp.Implementation{Name: "test"},
		nil,
	).Connect(
		ctx,
		transport,
		&mcp.ClientSessionOptions{ProtocolVersion: revision},
	)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if got := session.InitializeResult().ProtocolVersion; got != revision {
		t.Errorf("got revision %s, want %s", got, revision)
	}
	list, err := session.ListTools(ctx, nil)
	if err != nil || len(list.Tools) < 5 {
		t.Fatalf("got %v and %v", list, err)
	}
	res, err := session.CallTool(
		ctx,
		&mcp.CallToolParams{Name: "file_read", Arguments: map[string]any{"path": "a.txt"}},
	)
	if err != nil || res.IsError || !strings.Contains(res.Content[0].(*mcp.TextContent).Text, "hello") {
		t.Errorf("got %+v and %v", res, err)
	}
	if res, err = session.CallTool(
		ctx, &mcp.CallToolParams{Name: "file_read", Arguments: map[string]any{"path": 7}},
	); err != nil ||
		!res.IsError {
		t.Errorf("wrong arguments: got %+v and %v, want a result with isError", res, err)
	}
	if _, err = session.CallTool(
		ctx,
		&mcp.CallToolParams{Name: "file_write", Arguments: map[string]any{"path": "a.txt", "content": "x"}},
	); err == nil {
		t.Error("got no error for a tool that is not served")
	}
}

func servedDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("hello\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// served runs a server until it ends, and returns an error unless its exit code is 0.
func served(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	if code := execute(ctx, args, stdin, stdout, stderr); code != exitOK {
		return fmt.Errorf("exit code %d", code)
	}
	return nil
}

func TestServeStdio(t *testing.T) {
	t.Setenv("TOOLSCOPE_TOKEN", "")
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	args := []string{"serve", "--dir", servedDir(t)}
	ended := make(chan error, 1)
	go func() { ended <- served(t.Context(), args, toServer, fromServer, io.Discard) }()
	useServer(t, &mcp.IOTransport{Reader: toClient, Writer: fromClient}, "2025-11-25")
	if err := <-ended; err != nil {
		t.Errorf("got %v when the client closed, want none", err)
	}
}

// TestServeStdioIsOneSession checks that policies which count across calls do so for the
// one client of a process, whose revision has no sessions.
func TestServeStdioIsOneSession(t *testing.T) {
	t.Setenv("TOOLSCOPE_TOKEN", "")
	file := filepath.Join(t.TempDir(), "toolscope.yaml")
	if err := os.WriteFile(file, []byte("policies:\n  loop: {signal: 2, advice: -1, stop: 3}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	args := []string{"serve", "--dir", servedDir(t), "--config", file}
	ended := make(chan error, 1)
	go func() { ended <- served(t.Context(), args, toServer, fromServer, io.Discard) }()
	session, err := mcp.NewClient(
		&mcp.Implementation{Name: "test"},
		nil,
	).Connect(
		t.Context(),
		&mcp.IOTransport{Reader: toClient, Writer: fromClient},
		&mcp.ClientSessionOptions{ProtocolVersion: "2026-07-28"},
	)
	if err != nil {
		t.Fatal(err)
	}
	var refused []bool
	for range 3 {
		res, err := session.CallTool(
			t.Context(),
			&mcp.CallToolParams{Name: "file_read", Arguments: map[string]any{"path": "a.txt"}},
		)
		if err != nil {
			t.Fatal(err)
		}
		refused = append(refused, res.IsError)
	}
	if !slices.Equal(refused, []bool{false, false, true}) {
		t.Errorf("got %v for three calls alike, want the third one refused as a loop", refused)
	}
	if err := errors.Join(session.Close(), <-ended); err != nil {
		t.Error(err)
	}
}

// told is a buffer that may be read while it is written.
type told struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (w *told) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}

func (w *told) find(t *testing.T, pattern string) string {
	t.Helper()
	re := regexp.MustCompile(pattern)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		w.mu.Lock()
		m := re.FindStringSubmatch(w.text.String())
		w.mu.Unlock()
		if m != nil {
			return m[1]
		}
		if time.Now().After(deadline) {
			t.Fatalf("nothing told matches %s", pattern)
		}
	}
}

type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

func TestServeHTTP(t *testing.T) {
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	token := strings.Repeat("t0ken-", 4)
	t.Setenv("TOOLSCOPE_TOKEN", token)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var stderr told
	args := []string{"serve", "--dir", servedDir(t), "--http", "127.0.0.1:0", "--stats", "127.0.0.1:0"}
	ended := make(chan error, 1)
	go func() { ended <- served(ctx, args, strings.NewReader(""), io.Discard, &stderr) }()
	endpoint := stderr.find(t, `serving MCP at (\S+)`)
	for _, revision := range []string{"2025-06-18", "2026-07-28"} {
		useServer(
			t,
			&mcp.StreamableClientTransport{Endpoint: endpoint, HTTPClient: &http.Client{Transport: bearer(token)}},
			revision,
		)
	}

	res, err := http.Post(endpoint, "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusUnauthorized {
		t.Errorf("without a token: got %s", res.Status)
	}
	res, err = http.Get(stderr.find(t, `statistics at (\S+)`) + "api/v1/summary")
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(res.Body)
	res.Body.Close()
	if !bytes.Contains(body, []byte("file_read")) {
		t.Errorf("got the statistics %s %.300s", res.Status, body)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("got %v when asked to end, want none", err)
	}
	http.DefaultClient.CloseIdleConnections()
}
