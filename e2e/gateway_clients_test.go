// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// inspector is the command-line interface of the MCP Inspector.
const inspector = "@modelcontextprotocol/inspector/clients/launcher/build/index.js"

// gatewayClient is a client of the TypeScript SDK, of a gateway with two servers of the same tools. It calls a tool of
// theirs all the time, and counts those that had no answer. Each line on standard input is answered once 20 further
// calls have returned.
const gatewayClient = `
const [,, modules, address, token] = process.argv;
const { Client } = await import(modules + "/@modelcontextprotocol/sdk/dist/esm/client/index.js");
const { StreamableHTTPClientTransport } = await import(modules + "/@modelcontextprotocol/sdk/dist/esm/client/streamableHttp.js");
const client = new Client({ name: "typescript", version: "1" });
const headers = { Authorization: "Bearer " + token };
await client.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers } }));
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
let calls = 0, lost = 0, stopped = false;
const caller = async () => {
  while (!stopped) {
    const result = await client.callTool({ name: "get-sum", arguments: { a: 2, b: 40 } }).catch((e) => e);
    calls++;
    if (result.isError || !JSON.stringify(result.content ?? "").includes("42")) {
      lost++;
      console.error(result);
    }
    await pause(20);
  }
};
const callers = [caller(), caller()];
const names = (await client.listTools()).tools.map((tool) => tool.name);
console.log(JSON.stringify(names));
for await (const line of (await import("node:readline")).createInterface({ input: process.stdin })) {
  const want = calls + 20;
  while (calls < want) await pause(5);
  console.log(line);
}
stopped = true;
await Promise.all(callers);
await client.close();
console.log(lost, calls >= 60);
`

// TestGatewayServersOfOthers: three reference servers behind one endpoint, under the Inspector and the TypeScript SDK. One
// is killed and comes back while calls are made; the second one of the same tools serves them all.
func TestGatewayServersOfOthers(t *testing.T) {
	modules := npmPackages(t)
	binary := command(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir()) // of the Inspector's files
	m := mark()
	t.Cleanup(func() { wantNoProcess(t, m) })
	address := freeAddress(t)
	serve := func() *exec.Cmd {
		t.Helper()
		cmd := node(context.Background(), t, everything().script, "streamableHttp")
		cmd.Env = append(os.Environ(), "PORT="+address[strings.LastIndexByte(address, ':')+1:], m)
		launch(t, cmd)
		waitForListener(t, address)
		return cmd
	}
	child := func(s npmServer, policies string) map[string]any {
		cmd := node(t.Context(), t, s.script, s.args...)
		return map[string]any{
			"command": cmd.Path, "args": cmd.Args[1:], "policies": policies,
			"env": map[string]string{"TOOLSCOPE_MARK": strings.TrimPrefix(m, "TOOLSCOPE_MARK=")},
		}
	}
	config, err := json.Marshal(map[string]any{"mcpServers": map[string]any{
		"first":  map[string]any{"url": "http://" + address + "/mcp", "priority": 5},
		"second": child(everything(), "second.yaml"),
		"files":  child(filesystem(dir), "files.yaml"),
	}})
	if err != nil {
		t.Fatal(err)
	}
	const token = "0123456789abcdef0123"
	for name, text := range map[string]string{
		"mcp.json": string(config), "token": token, "client.mjs": gatewayClient,
		"files.yaml":  "tools:\n  get_file_info: {enabled: false}\npolicies:\n  recover: {}\n",
		"second.yaml": "policies:\n  recover: {}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	dies := serve()
	front := freeAddress(t)
	gateway := exec.Command(binary, "serve", "--mcp-config", filepath.Join(dir, "mcp.json"), "--shared-names", "--http", front,
		"--token-file", filepath.Join(dir, "token"))
	gateway.Stderr = os.Stderr
	if err := gateway.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = gateway.Process.Signal(syscall.SIGTERM); _ = gateway.Wait() })
	waitForListener(t, front)
	endpoint := "http://" + front + "/mcp"
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	inspect := func(want string, args ...string) {
		t.Helper()
		out, err := node(ctx, t, inspector, append([]string{
			"--cli", endpoint, "--transport", "http", "--header", "Authorization: Bearer " + token, "--method",
		}, args...)...).CombinedOutput()
		if !strings.Contains(string(out), want) {
			t.Errorf("the Inspector with %q: got %v and %s, want %q", args, err, out, want)
		}
	}
	client := node(ctx, t, "", modules, endpoint, token)
	client.Args[1] = filepath.Join(dir, "client.mjs")
	client.Stderr = os.Stderr
	in, err := client.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := client.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	launch(t, client)
	lines := bufio.NewReader(out)
	says := func(want string) {
		t.Helper()
		if line, err := lines.ReadString('\n'); err != nil || !strings.Contains(line, want) {
			t.Fatalf("the TypeScript SDK: got %s, %v, want %s", line, err, want)
		}
	}
	says(`"get-sum"`)
	for i, change := range []func(){
		func() {},
		func() { _ = dies.Process.Kill(); _ = dies.Wait() },
		func() { inspect("42", "tools/call", "--tool-name", "get-sum", "--tool-arg", "a=2", "b=40") },
		func() { serve() },
	} {
		change()
		_, _ = fmt.Fprintln(in, i)
		says(fmt.Sprint(i))
	}
	_ = in.Close()
	says("0 true")
	inspect(`"read_text_file"`, "tools/list")
	inspect("turned off", "tools/call", "--tool-name", "get_file_info", "--tool-arg", "path="+dir)
}
