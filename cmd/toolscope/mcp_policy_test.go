// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// dialogue is a client that waits for each answer.
type dialogue struct {
	t    *testing.T
	in   io.WriteCloser
	out  *bufio.Reader
	wait func() // until the process has ended
}

func converse(t *testing.T, server string, options ...string) *dialogue {
	t.Helper()
	return talk(t, proxied(t, server, options...))
}

// talk begins a session with a command, and lists its tools.
func talk(t *testing.T, cmd *exec.Cmd) *dialogue {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	wait := sync.OnceFunc(func() { _ = cmd.Wait() })
	t.Cleanup(func() { in.Close(); wait() })
	d := &dialogue{t, in, bufio.NewReader(out), wait}
	d.ask(initialize)
	d.ask(listTools)
	return d
}

// ask sends a request and returns the line that answers.
func (d *dialogue) ask(request string) string {
	d.t.Helper()
	if _, err := io.WriteString(d.in, request); err != nil {
		d.t.Fatal(err)
	}
	line, err := d.out.ReadString('\n')
	if err != nil {
		d.t.Fatal(err)
	}
	return line
}

// end ends the session, and returns what else came. The proxy closes its output before it writes the last lines of its
// log, so that a client does not wait for a disk: they are all there only when its process has ended.
func (d *dialogue) end() string {
	d.t.Helper()
	d.in.Close()
	rest, err := io.ReadAll(d.out)
	if err != nil {
		d.t.Error(err)
	}
	d.wait()
	return string(rest)
}

func withConfig(t *testing.T, text string) []string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "policies.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return append(transparent(t), "--config", file)
}

// Policies answer in the server's place; what they leave alone passes byte for byte.
func TestPoliciesGovernProxiedCalls(t *testing.T) {
	options := withConfig(t, "tools: {flood: {enabled: false}}\npolicies:\n  permit: {}\n  timeout: {default: 300ms}\n")
	d := converse(t, "mcp", options...)
	bare := converse(t, "mcp")
	call := callOf(`"a"`, "echo", `{"x":  1}`)
	if got, want := d.ask(call), bare.ask(call); got != want {
		t.Errorf("allowed: got %s, want %s", got, want)
	}
	if got := d.ask(callOf("5", "flood", "{}")); !strings.Contains(got, `"id":5`) ||
		!strings.Contains(got, "turned off") ||
		!strings.Contains(got, `"isError":true`) {
		t.Errorf("denied: got %s", got)
	}
	if got := d.ask(callOf("6", "hang", "{}")); !strings.Contains(got, `"id":6`) ||
		!strings.Contains(got, `"isError":true`) {
		t.Errorf("too slow: got %s", got)
	}
	if got := d.ask("[" + strings.TrimSpace(callOf("7", "echo", "{}")) + "]\n"); !strings.Contains(got, "batch") {
		t.Errorf("a batch: got %s", got)
	}
	if got := d.ask(`{"jsonrpc":"2.0","id":8,"method":"ping","method":"tools/call",` +
		`"params":{"name":"flood"}}` + "\n"); !strings.Contains(
		got,
		"twice",
	) {
		t.Errorf("a member twice: got %s", got)
	}
	if got := d.ask(`{"jsonrpc":"2.0","id":9,"method":"ping"}` + "\n"); got != `{"result":{},"jsonrpc":"2.0","id":9}`+"\n" {
		t.Errorf("another method: got %s", got)
	}
	if rest := d.end(); rest != "" {
		t.Errorf("got %q after the end", rest)
	}
	types := map[string]int{}
	for _, line := range logged(t, options) {
		types[fmt.Sprint(line["tool"], " ", line["outcome"], " ", line["error_type"])]++
	}
	if types["echo executed <nil>"] != 1 || types["flood refused permission_denied"] != 1 ||
		types["hang executed timeout"] != 1 {
		t.Errorf("got %v", types)
	}
}

// A stored answer is the server's, with the id of who asks now.
func TestCacheAnswersForTheServer(t *testing.T) {
	options := withConfig(t, "policies:\n  cache:\n    tools: [echo]\n")
	d := converse(t, "mcp", options...)
	first := d.ask(callOf("1", "echo", `{"x":1}`))
	again := d.ask(callOf(`"second"`, "echo", `{ "x" : 1 }`))
	if want := strings.Replace(first, `"id":1`, `"id":"second"`, 1); again != want {
		t.Errorf("got %s, want %s", again, want)
	}
	d.end()
	if lines := logged(t, options); len(lines) != 2 || lines[1]["outcome"] != "cache_hit" {
		t.Errorf("got %v, want a hit", lines)
	}
}

// Only on request are bytes other than they were: the call that goes on carries the context of
// its span.
func TestContextIsInjectedOnRequest(t *testing.T) {
	options := append(transparent(t), "--inject-context", "--client-spans")
	d := converse(t, "mcp", options...)
	var answer struct {
		Result struct{ Content []struct{ Text string } }
	}
	got := d.ask(callOf("1", "echo", `{"x":1}`))
	if err := json.Unmarshal([]byte(got), &answer); err != nil {
		t.Fatal(err)
	}
	d.end()
	lines := logged(t, options)
	if len(lines) != 1 ||
		!strings.Contains(answer.Result.Content[0].Text, `"traceparent":"00-`+fmt.Sprint(lines[0]["trace_id"])) {
		t.Errorf("got %s and %v, want the trace's id", got, lines)
	}
}

// A tool that is not what it was in the session before is refused while tools are pinned, until it is
// accepted.
func TestPinnedToolsAcrossSessions(t *testing.T) {
	state := t.TempDir()
	session := func(options ...string) (list, answer string) {
		cmd := proxied(t, "mcp", append(transparent(t), options...)...)
		cmd.Env = append(cmd.Env, "XDG_STATE_HOME="+state)
		d := talk(t, cmd)
		return d.ask(listTools), d.ask(callOf("1", "echo", "{}"))
	}
	unaccepted := func() {
		cmd := proxied(t, "mcp", append(transparent(t), "--pin-tools")...)
		cmd.Env = append(cmd.Env, "XDG_STATE_HOME="+state)
		if got := runWith(t, cmd, initialize); got.status.ExitStatus() != exitError ||
			!strings.Contains(got.stderr, "--accept-tools") {
			t.Errorf("pinned and not accepted: got %+v, want an error that says how to accept", got)
		}
	}
	unaccepted()
	if _, got := session(); strings.Contains(got, "isError") { // it is remembered on trust
		t.Fatalf("the first session: got %s", got)
	}
	unaccepted()
	all, got := session("--pin-tools", "--accept-tools")
	if strings.Contains(got, "isError") || !strings.Contains(all, `"echo"`) {
		t.Fatalf("accepted: got %s and %s", all, got)
	}
	files, err := filepath.Glob(filepath.Join(state, "toolscope", "mcp", "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("got %q and %v, want one file", files, err)
	}
	var file map[string]any
	text, err := os.ReadFile(files[0])
	if err != nil || json.Unmarshal(text, &file) != nil {
		t.Fatalf("got %s and %v", text, err)
	}
	file["tools"].(map[string]any)["echo"] = strings.Repeat("0", 64)
	if text, err = json.Marshal(file); err != nil || os.WriteFile(files[0], text, 0o600) != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		options []string
		refused bool
	}{
		{[]string{"--pin-tools"}, true}, {nil, false}, {[]string{"--pin-tools", "--accept-tools"}, false},
		{[]string{"--pin-tools"}, false},
	} {
		list, got := session(tt.options...)
		if strings.Contains(got, "not what was accepted") != tt.refused {
			t.Errorf("%q: got %s, want it refused: %t", tt.options, got, tt.refused)
		}
		want := all
		if tt.refused {
			i := strings.Index(all, `{"name":"echo"`)
			end := i + strings.Index(all[i:], "},{") + len("},")
			want = all[:i] + all[end:]
		}
		if list != want {
			t.Errorf("%q: got the list %s, want %s", tt.options, list, want)
		}
	}
}

// Lines of more than 16 MiB, with a carriage return or without an end do not hide a list.
func TestPinnedToolsInOddLines(t *testing.T) {
	state := t.TempDir()
	pinned := func(server, input string, options ...string) ended {
		cmd := proxied(t, server, append(append(transparent(t), "--pin-tools"), options...)...)
		cmd.Env = append(cmd.Env, "XDG_STATE_HOME="+state)
		return runWith(t, cmd, input)
	}
	// The server sends back what it gets, so an answer is one that the client sent.
	const list = `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"evil"}]}}`
	pinned("cat", listTools+`{"jsonrpc":"2.0","id":"list","result":{"tools":[]}}`+"\n", "--accept-tools")
	for name, tt := range map[string]struct{ input, want string }{
		"a line":         {list + "\n", `{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}` + "\n"},
		"without an end": {list, `{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}` + "\n"},
	} {
		if got := pinned("cat", tt.input); !strings.Contains(got.stdout, tt.want) ||
			strings.Contains(got.stdout, "evil") {
			t.Errorf("%s: got %.300q, want %q", name, got.stdout, tt.want)
		}
	}
	pinned("mcp", initialize+listTools, "--accept-tools")
	got := pinned("mcp", initialize+callOf(`"big"`, "big", "{}")+callOf("2", "echo", "{}"))
	if len(got.stdout) > 1<<20 || !strings.Contains(got.stdout, `"id":"big","error"`) ||
		!strings.Contains(got.stdout, `"id":2,`) && !strings.Contains(got.stdout, `"id":2}`) {
		t.Errorf("more than 16 MiB: got %d bytes, %.900q", len(got.stdout), got.stdout)
	}
}

// Calls under policies end with their server, and with their client.
func TestGovernedCallsEnd(t *testing.T) {
	began := time.Now()
	options := withConfig(t, "policies:\n  recover: {}\n")
	got := runWith(t, proxied(t, "mcp", options...), initialize+callOf("1", "hang", "{}")+callOf("2", "die", "{}"))
	if !got.status.Signaled() || !strings.HasSuffix(got.stdout, `"resu`) {
		t.Errorf("got %q and %v, want the server's last bytes and its signal", got.stdout, got.status)
	}
	got = runWith(t, proxied(t, "mcp", options...), initialize+callOf("1", "hang", "{}")+callOf("2", "echo", "{}"))
	if got.status.ExitStatus() != exitFake || !strings.Contains(got.stdout, `"id":2`) {
		t.Errorf("got %q and %v, want an answer and code %d", got.stdout, got.status, exitFake)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
}

// A large answer passes under policies, too.
func TestGovernedLargeAnswer(t *testing.T) {
	options := withConfig(t, "policies:\n  recover: {}\n  cache: {}\n")
	input := initialize + callOf(`"big"`, "big", "{}") + callOf("2", "echo", "{}")
	want, got := runWith(t, proxied(t, "mcp"), input), runWith(t, proxied(t, "mcp", options...), input)
	if len(got.stdout) != len(want.stdout) || got.status != want.status {
		t.Errorf("got %d bytes and %v, want %d and %v", len(got.stdout), got.status, len(want.stdout), want.status)
	}
	long := `{"jsonrpc":"2.0","id":"l","method":"tools/call","params":{"name":"echo","arguments":{"x":"` + strings.Repeat(
		"x",
		17<<20,
	) + `"}}}` + "\n"
	got = runWith(t, proxied(t, "mcp", options...), initialize+long+callOf("2", "echo", "{}"))
	if !strings.Contains(got.stdout, `"id":"l"`) || !strings.Contains(got.stdout, "16 MiB") ||
		!strings.Contains(got.stdout, `"id":2`) {
		t.Errorf("got %.600s", got.stdout)
	}
}

// Calls of the proxy, and of the server, count in the budget of --tenant.
func TestATenantsBudgetOfServers(t *testing.T) {
	t.Setenv("TOOLSCOPE_TOKEN", "")
	config := withConfig(t, "policies: {budget: {tenant: {calls: 1}}}\n")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	serve := exec.CommandContext(t.Context(), self, "serve", "--dir", servedDir(t), "--config", config[len(config)-1])
	serve.Env = append(os.Environ(), programEnv+"=toolscope", "TOOLSCOPE_TENANT=acme")
	for name, c := range map[string]struct {
		d    *dialogue
		call string
	}{
		"proxy":  {converse(t, "mcp", append(config, "--tenant", "acme")...), callOf("1", "echo", `{"x":1}`)},
		"server": {talk(t, serve), callOf("1", "file_read", `{"path":"a.txt"}`)},
	} {
		if got := c.d.ask(c.call); strings.Contains(got, `"isError":true`) {
			t.Errorf("%s: got %s, want an answer", name, got)
		}
		if got := c.d.ask(strings.Replace(c.call, `"id":1`, `"id":2`, 1)); !strings.Contains(got, "budget") {
			t.Errorf("%s: got %s, want the tenant's budget exceeded", name, got)
		}
	}
}
