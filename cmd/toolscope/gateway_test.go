// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// servingHTTP starts toolscope serve at an address, and returns the address.
func servingHTTP(t *testing.T, address string, options ...string) (*exec.Cmd, string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, append([]string{"serve", "--http", address}, options...)...)
	cmd.Env = append(os.Environ(), programEnv+"=toolscope")
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	lines := bufio.NewReader(stderr)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if found := regexp.MustCompile(`serving MCP at (http://\S+)`).FindStringSubmatch(line); found != nil {
			go func() { _, _ = lines.WriteTo(os.Stderr) }()
			return cmd, found[1]
		}
	}
}

// Three servers behind one endpoint: one by a command, one over HTTP that dies and comes back, one that wants a
// sign-in and has policies of its own.
func TestGateway(t *testing.T) {
	quietEnvironment(t)
	t.Setenv("BROWSER", browser(t))
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	s := protectedServer(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dies, address := servingHTTP(t, "127.0.0.1:0")
	dir := t.TempDir()
	config, err := json.Marshal(map[string]any{"mcpServers": map[string]any{
		"first":  map[string]any{"url": address, "priority": 5},
		"second": map[string]any{"command": self, "args": []string{"serve"}, "env": map[string]string{programEnv: "toolscope"}},
		"web":    map[string]any{"url": s.Resource, "oauth": true, "policies": "web.yaml"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	const token = "0123456789abcdef0123"
	for name, text := range map[string]string{
		"mcp.json": string(config), "web.yaml": "tools:\n  admin_reset: {enabled: false}\npolicies:\n  recover: {}\n", "token": token,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	options := []string{"--mcp-config", filepath.Join(dir, "mcp.json"), "--shared-names", "--allowed-origin",
		"https://tools.example"}
	var stderr strings.Builder
	if code := run(append([]string{"serve", "--http", "127.0.0.1:0"}, options...), nil, &stderr, &stderr); code != exitError ||
		!strings.Contains(stderr.String(), "without a token") {
		t.Errorf("without a token: got %d and %s", code, stderr.String())
	}
	_, front := servingHTTP(t, "127.0.0.1:0", append(options, "--token-file", filepath.Join(dir, "token"))...)
	session := clientOf(t, front, withToken(token))
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	if !slices.Contains(names, "calculator") || !slices.Contains(names, "read") {
		t.Errorf("got %q", names)
	}
	callRuns(t, session, "read")
	if res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "admin_reset"}); err != nil || !res.IsError {
		t.Errorf("got %+v, %v, want the server's own policies to refuse", res, err)
	}
	if got := s.Count("403"); got != 0 {
		t.Errorf("got %d calls that reached the server", got)
	}
	compute := func(ctx context.Context) {
		res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "calculator", Arguments: map[string]any{"expression": "6*7"}})
		if err != nil || res.IsError {
			t.Errorf("a call was lost: %v %+v", err, res)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var calls sync.WaitGroup
	done := make(chan struct{})
	for range 4 { // while one server dies and comes back
		calls.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					compute(ctx)
				}
			}
		})
	}
	for range 20 {
		compute(ctx)
	}
	_ = dies.Process.Kill()
	_ = dies.Wait()
	for range 20 {
		compute(ctx)
	}
	servingHTTP(t, strings.TrimSuffix(strings.TrimPrefix(address, "http://"), "/mcp"))
	for range 20 {
		compute(ctx)
	}
	close(done)
	calls.Wait()
	for _, tt := range []struct {
		origin, token string
		want          int
	}{
		{"https://tools.example", token, http.StatusOK}, {"https://evil.example", token, http.StatusForbidden},
		{"https://tools.example", "", http.StatusUnauthorized},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, front, strings.NewReader(initialize))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		req.Header.Set("Sec-Fetch-Site", "cross-site")
		req.Header.Set("Origin", tt.origin)
		req.Header.Set("Authorization", "Bearer "+tt.token)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != tt.want {
			t.Errorf("%+v: got %d", tt, resp.StatusCode)
		}
	}
}

func TestToolsOfACategory(t *testing.T) {
	var stdout, stderr strings.Builder
	if code := run([]string{"tools", "--category", "data"}, nil, &stdout, &stderr); code != exitOK ||
		!strings.Contains(stdout.String(), "calculator") || strings.Contains(stdout.String(), "file_read") {
		t.Errorf("got %d and %s%s", code, stdout.String(), stderr.String())
	}
	if code := run([]string{"tools", "--category", "none"}, nil, &stdout, &stderr); code != exitUsage ||
		!strings.Contains(stderr.String(), "want one of") {
		t.Errorf("got %d and %s", code, stderr.String())
	}
}

// Policies that name no tool are reported, at the start and after a reload; SIGHUP does not end a gateway.
func TestGatewayWarnsOfNames(t *testing.T) {
	quietEnvironment(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	config, err := json.Marshal(map[string]any{"mcpServers": map[string]any{
		"b__b": map[string]any{"command": self, "args": []string{"serve"}, "env": map[string]string{programEnv: "toolscope"}},
		"own": map[string]any{
			"command": self, "args": []string{"serve"}, "env": map[string]string{programEnv: "toolscope"}, "policies": "own.yaml",
		},
	}})
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("mcp.json", string(config))
	write("own.yaml", "tools:\n  calculator: {enabled: false}\npolicies:\n  recover: {}\n")
	write("all.yaml", "tools:\n  own__calculatr: {enabled: false}\n  own__date_now: {enabled: false}\npolicies:\n  recover: {}\n")
	cmd := exec.CommandContext(t.Context(), self, "serve", "--mcp-config", filepath.Join(dir, "mcp.json"),
		"--config", filepath.Join(dir, "all.yaml"))
	cmd.Env = append(os.Environ(), programEnv+"=toolscope", "TOOLSCOPE_TOKEN=")
	var stderr told
	cmd.Stderr = &stderr
	d := talk(t, cmd)
	stderr.find(t, `(own\.yaml: tools: no tool is called "calculator" \(did you mean own__calculator\?\))`)
	stderr.find(t, `(all\.yaml: tools: no tool is called "own__calculatr" \(did you mean own__calculator\?\))`)
	write("own.yaml", "tools:\n  calculator: {enabled: true}\n  own__calculator: {enabled: false}\npolicies:\n  recover: {}\n")
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	stderr.find(t, `(toolscope serve: reloaded .*own\.yaml)`)
	if got := d.ask(callOf("1", "own__calculator", `{"expression":"6*7"}`)); !strings.Contains(got, "turned off") {
		t.Errorf("got %s, want the reloaded policies to refuse", got)
	}
	if got := d.ask(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`); !regexp.MustCompile(
		`"b__b__calculator_[0-9a-f]{8}"`).MatchString(got) ||
		strings.Contains(got, `"b__b__calculator"`) {
		t.Errorf("got %.300s, want names with a hash where two servers could share one", got)
	}
}

// scriptedServer is an MCP server over HTTP with the tools of a list; it answers nothing before free is closed.
func scriptedServer(t *testing.T, tools string, free <-chan struct{}) string {
	t.Helper()
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil || m.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		select {
		case <-free:
		case <-r.Context().Done():
			return
		}
		result := `{}`
		switch m.Method {
		case "initialize":
			result = `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}`
		case "tools/list":
			result = `{"tools":` + tools + `}`
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
	}))
	t.Cleanup(front.Close)
	return front.URL
}

// throughGateway starts a gateway to the only server at an address.
func throughGateway(t *testing.T, address string, stderr *told, options ...string) *dialogue {
	t.Helper()
	quietEnvironment(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "mcp.json")
	if err := os.WriteFile(path, []byte(`{"mcpServers":{"web":{"url":"`+address+`"}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, append([]string{"serve", "--mcp-config", path}, options...)...)
	cmd.Env = append(os.Environ(), programEnv+"=toolscope", "TOOLSCOPE_TOKEN=")
	cmd.Stderr = stderr
	return talk(t, cmd)
}

// A tool that the protocol cannot describe is left out. It takes no other tool with it.
func TestGatewayLeavesOutBadTools(t *testing.T) {
	free := make(chan struct{})
	close(free)
	address := scriptedServer(
		t, `[{"name":"bad","inputSchema":{"type":"string"}},{"name":"good","inputSchema":{"type":"object"}}]`, free,
	)
	var stderr told
	d := throughGateway(t, address, &stderr)
	stderr.find(t, `(left out: .*"web__bad")`)
	got := d.ask(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	if !strings.Contains(got, "web__good") || strings.Contains(got, "web__bad") {
		t.Errorf("got %s, want web__good only", got)
	}
}

// A server that does not answer delays the gateway for some seconds at most. It is reported, and joins when it answers.
func TestGatewayOfASlowServer(t *testing.T) {
	free := make(chan struct{})
	var stderr told
	d := throughGateway(t, scriptedServer(t, `[{"name":"good","inputSchema":{"type":"object"}}]`, free), &stderr,
		"--stats", "127.0.0.1:0")
	stderr.find(t, `(server web: not connected yet)`)
	resp, err := http.Get(stderr.find(t, `statistics at (http://\S+)/`) + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	health, err := io.ReadAll(resp.Body)
	if err != nil || !strings.Contains(string(health), "not connected yet") {
		t.Errorf("got %s, %v, want the server's problem", health, err)
	}
	close(free)
	changed, err := d.out.ReadString('\n')
	if err != nil || !strings.Contains(changed, "notifications/tools/list_changed") {
		t.Errorf("got %s, %v, want a changed list", changed, err)
	}
	if got := d.ask(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}` + "\n"); !strings.Contains(got, "web__good") {
		t.Errorf("got %s, want the server's tool", got)
	}
}

// A server's own policies for tenants need a tenant, as those of all servers do.
func TestGatewayPoliciesNeedATenant(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(programEnv, "toolscope")
	t.Setenv("TOOLSCOPE_TENANT", "")
	dir := t.TempDir()
	config, err := json.Marshal(map[string]any{"mcpServers": map[string]any{
		"own": map[string]any{"command": self, "args": []string{"serve"}, "policies": "own.yaml"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"mcp.json": string(config), "own.yaml": "policies: {budget: {tenant: {calls: 1}}}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	code, _, stderr := invoke("serve", "", "--mcp-config", filepath.Join(dir, "mcp.json"))
	if code == exitOK || !strings.Contains(stderr, "mcpServers.own.policies") || !strings.Contains(stderr, "--tenant NAME") {
		t.Errorf("got %d and %q, want an error that names the server and --tenant", code, stderr)
	}
}
