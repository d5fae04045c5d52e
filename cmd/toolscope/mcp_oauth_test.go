// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope/internal/oauthtest"
)

// protectedServer is an MCP server of the SDK's behind an authorization server.
func protectedServer(t *testing.T) *oauthtest.Server {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "protected", Version: "1"}, nil)
	for _, name := range []string{"read", "admin_reset", "never_granted"} {
		mcp.AddTool(server, &mcp.Tool{Name: name},
			func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: name + " ran"}}}, nil, nil
			})
	}
	return oauthtest.New(t, mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
}

// browser is a program that opens pages as a browser does, and at once.
func browser(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "browser")
	script := fmt.Sprintf("#!/bin/sh\n%s=browser exec '%s' \"$1\"\n", programEnv, self)
	if err := os.WriteFile(file, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return file
}

// openPage is the browser.
func openPage(page string) int {
	resp, err := http.Get(page)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	_ = resp.Body.Close()
	return 0
}

// withToken sends a token of the client's own.
type withToken string

func (w withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(w))
	return http.DefaultTransport.RoundTrip(r)
}

func clientOf(t *testing.T, address string, over http.RoundTripper) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: address, HTTPClient: &http.Client{Transport: over}, DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

func callRuns(t *testing.T, session *mcp.ClientSession, tool string) {
	t.Helper()
	res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool})
	if err != nil {
		t.Errorf("%s: %v", tool, err)
		return
	}
	if text, ok := res.Content[0].(*mcp.TextContent); !ok || text.Text != tool+" ran" {
		t.Errorf("%s: got %+v", tool, res.Content[0])
	}
}

// A client that knows nothing of OAuth reaches a protected server through --oauth, with expiry, step-up and
// revocation in between. Nothing of the sign-in is in the log.
func TestProxySignsIn(t *testing.T) {
	s := protectedServer(t)
	t.Setenv("BROWSER", browser(t))
	var exported exportedBodies
	collector := httptest.NewServer(&exported)
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf")
	stats := freePort(t)
	options := append(transparent(t), "--oauth", "--otlp", collector.URL, "--log-methods", "--stats", stats)
	state := t.TempDir()
	cmd, address := proxyHTTPInto(t, state, &exported, strings.TrimSuffix(s.Resource, "/mcp"), options...)
	session := clientOf(t, address, withToken("of-the-client"))
	callRuns(t, session, "read")
	s.ExpireAccess()
	callRuns(t, session, "read")
	callRuns(t, session, "admin_reset")
	s.RevokeAll()
	callRuns(t, session, "admin_reset")
	s.SetLife(time.Second)
	s.ExpireAccess()
	callRuns(t, session, "read")
	if got := s.Count("authorize"); got != 3 {
		t.Errorf("got %d sign-ins, want the first, the step-up, and one after the revocation", got)
	}
	_ = session.Close()
	for _, page := range []string{"/", "/healthz", "/metrics", "/api/v1/mcp", "/api/v1/calls", "/api/v1/traces"} {
		if resp, err := http.Get("http://" + stats + page); err == nil {
			_, _ = io.Copy(&exported, resp.Body)
			_ = resp.Body.Close()
		}
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("got %v, want code 0", err)
	}
	log, err := os.ReadFile(logOf(options))
	if err != nil || strings.Count(string(log), `"record":"end"`) != 5 {
		t.Errorf("got %v and %s", err, log)
	}
	text := exported.String()
	if !strings.Contains(text, "tools/call") {
		t.Errorf("got %d bytes of spans and pages without a call", len(text))
	}
	for _, secret := range append(s.Secrets(), "of-the-client") {
		if strings.Contains(string(log), secret) {
			t.Errorf("%.10s… is in the log", secret)
		}
		if strings.Contains(text, secret) {
			t.Errorf("%.10s… is in the spans, the statistics or standard error", secret)
		}
	}
	checkState(t, state, append(s.Secrets(), "of-the-client"))
}

// checkState: of the files that a proxy keeps only one has tokens, and only its owner can read it.
func checkState(t *testing.T, dir string, secrets []string) {
	t.Helper()
	var with []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(secrets, func(s string) bool { return strings.Contains(string(text), s) }) {
			return nil
		}
		with = append(with, path)
		info, err := d.Info()
		if err == nil && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has tokens and mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil || len(with) != 1 || !strings.Contains(with[0], filepath.Join("toolscope", "oauth")) {
		t.Errorf("got tokens in %q and %v, want them in one file of toolscope/oauth", with, err)
	}
}

// exportedBodies keeps what is exported to it.
type exportedBodies struct {
	mu   sync.Mutex
	text strings.Builder
}

func (e *exportedBodies) Write(p []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.text.Write(p)
}

func (e *exportedBodies) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		if plain, err := gzip.NewReader(body); err == nil {
			body = plain
		}
	}
	_, _ = io.Copy(e, body)
}

func (e *exportedBodies) String() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.text.String()
}

// freePort is an address that no program listens at.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// logOf is the file of --log.
func logOf(options []string) string {
	for i, o := range options {
		if o == "--log" {
			return options[i+1]
		}
	}
	return ""
}

// A client that has a token of its own needs no --oauth.
func TestProxyPassesTokensOn(t *testing.T) {
	s := protectedServer(t)
	cmd, address := proxyHTTP(t, strings.TrimSuffix(s.Resource, "/mcp"))
	callRuns(t, clientOf(t, address, withToken(s.Token("tools"))), "read")
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

func TestLoginAndLogout(t *testing.T) {
	s := protectedServer(t)
	t.Setenv("BROWSER", browser(t))
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	var all strings.Builder
	command := func(want int, args ...string) string {
		t.Helper()
		var stdout, stderr strings.Builder
		if code := run(args, strings.NewReader(""), &stdout, &stderr); code != want {
			t.Errorf("%q: got code %d, want %d: %s", args, code, want, stderr.String())
		}
		all.WriteString(stdout.String() + stderr.String())
		return stdout.String() + stderr.String()
	}
	if got := command(exitError, "whoami"); !strings.Contains(got, "signed in to no server") {
		t.Errorf("got %s", got)
	}
	if got := command(exitOK, "login", s.Resource); !strings.Contains(got, "signed in to "+s.Resource+" at "+s.URL) {
		t.Errorf("got %s", got)
	}
	command(exitOK, "login", s.Resource)
	if got := s.Count("authorize"); got != 1 {
		t.Errorf("got %d sign-ins, want none while the token is valid", got)
	}
	if got := command(exitOK, "whoami"); !strings.Contains(got, s.Resource) || !strings.Contains(got, "renewed in ") {
		t.Errorf("got %s", got)
	}
	if got := command(exitOK, "whoami", "--json"); !strings.Contains(got, `"scopes":["tools"]`) {
		t.Errorf("got %s", got)
	}
	command(exitOK, "logout", s.Resource)
	if got := command(exitError, "logout", s.Resource); !strings.Contains(got, "not signed in") {
		t.Errorf("got %s", got)
	}
	s.Deny(true)
	if got := command(exitError, "login", s.Resource); !strings.Contains(got, "access_denied") {
		t.Errorf("got %s", got)
	}
	for _, args := range [][]string{
		{"login"}, {"login", "mcp.example.com"}, {"logout", "x", "y"}, {"whoami", "x"}, {"login", s.Resource, "--oauth-port", "70000"},
		{"login", s.Resource, "--oauth-resource", "x"}, {"login", s.Resource, "--oauth-client-secret-file", "x"},
		{"mcp", "--oauth", "--", "server"},
	} {
		command(exitUsage, args...)
	}
	if got := command(exitError, "login", "http://mcp.example.com/mcp"); !strings.Contains(got, "want https") {
		t.Errorf("got %s", got)
	}
	for _, secret := range s.Secrets() {
		if strings.Contains(all.String(), secret) {
			t.Errorf("%.10s… was printed", secret)
		}
	}
}
