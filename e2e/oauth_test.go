// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope/internal/oauthtest"
)

// actAs is the variable that makes the test binary the client of the conformance suite, or a browser.
const actAs = "TOOLSCOPE_E2E_ACT_AS"

// acting is a script that runs this binary as something else.
func acting(t *testing.T, as string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), as)
	script := fmt.Sprintf("#!/bin/sh\n%s=%s exec '%s' -test.run='^TestActAs$' \"$1\"\n", actAs, as, self)
	if err := os.WriteFile(file, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestActAs is the other program.
func TestActAs(t *testing.T) {
	address := os.Args[len(os.Args)-1]
	switch os.Getenv(actAs) {
	case "browser":
		resp, err := http.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
	case "client":
		actAsClient(t, address)
	default:
		t.Skip("this is a program of other tests")
	}
}

// actAsClient lists the tools of a server through the proxy, and calls the first one.
func actAsClient(t *testing.T, address string) {
	args := []string{"mcp", "--target", address, "--oauth"}
	var registered struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	}
	if json.Unmarshal([]byte(os.Getenv("MCP_CONFORMANCE_CONTEXT")), &registered) == nil && registered.ID != "" {
		file := filepath.Join(t.TempDir(), "secret")
		if err := os.WriteFile(file, []byte(registered.Secret), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, "--oauth-client-id", registered.ID, "--oauth-client-secret-file", file)
	}
	cmd := exec.Command(os.Getenv("TOOLSCOPE_E2E_COMMAND"), args...)
	cmd.Env = append(os.Environ(), "XDG_STATE_HOME="+t.TempDir())
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test-client", Version: "1"}, nil).
		Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	list, err := session.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) == 0 {
		return // the suite judges
	}
	_, _ = session.CallTool(t.Context(), &mcp.CallToolParams{Name: list.Tools[0].Name, Arguments: map[string]any{}})
}

// TestAuthorizationConformance lets the public suite judge the proxy as an OAuth client, in each of its scenarios.
// docs/oauth.md has a row for each, with the checks that passed and those that cannot. A client metadata document is
// used where the operator has one, so the suite warns that there is none.
func TestAuthorizationConformance(t *testing.T) {
	npmPackages(t)
	t.Setenv("TOOLSCOPE_E2E_COMMAND", command(t))
	t.Setenv("BROWSER", acting(t, "browser"))
	passed, failed := map[string]int{}, map[string]int{}
	for suite, least := range map[string]int{"auth": 180, "backcompat": 10, "draft": 90, "extensions": 30} {
		said := verdictsOf(t, least, conformanceNext, "client", "--command", acting(t, "client"), "--suite", suite)
		for check, n := range said {
			scenario, rest, _ := strings.Cut(check, ": ")
			scenario, isAuth := strings.CutPrefix(scenario, "auth/")
			switch {
			case !isAuth:
			case strings.HasSuffix(rest, ": FAILURE"):
				failed[scenario] += n
				t.Logf("%s", check)
			case strings.HasSuffix(rest, ": SUCCESS"):
				passed[scenario] += n
			}
		}
	}
	text, err := os.ReadFile(filepath.Join("..", "docs", "oauth.md"))
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{}
	for _, row := range regexp.MustCompile(
		"(?m)^\\| `([a-z0-9-]+)` \\| ([0-9]+) \\| ([0-9]+) \\|").FindAllStringSubmatch(string(text), -1) {
		documented[row[1]] = true
		least, err := strconv.Atoi(row[2])
		if err != nil {
			t.Fatal(err)
		}
		if passed[row[1]] < least || fmt.Sprint(failed[row[1]]) != row[3] {
			t.Errorf("%s: got %d checks that passed and %d that failed, and docs/oauth.md says %s and %s", row[1],
				passed[row[1]], failed[row[1]], row[2], row[3])
		}
	}
	for scenario := range passed {
		if !documented[scenario] {
			t.Errorf("%s: docs/oauth.md has no row, want one with %d and %d", scenario, passed[scenario], failed[scenario])
		}
	}
	if len(documented) < 30 {
		t.Errorf("got %d scenarios in docs/oauth.md, want 30 or more", len(documented))
	}
}

// typescript is a client of the TypeScript SDK that lists and calls tools, with an address and a token of its own.
const typescript = `
const [,, modules, address, token, ...tools] = process.argv;
const { Client } = await import(modules + "/@modelcontextprotocol/sdk/dist/esm/client/index.js");
const { StreamableHTTPClientTransport } = await import(modules + "/@modelcontextprotocol/sdk/dist/esm/client/streamableHttp.js");
const client = new Client({ name: "typescript", version: "1" });
const headers = token ? { Authorization: "Bearer " + token } : {};
await client.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers } }));
for (const name of tools) {
  if (name.startsWith("http:")) {
    await fetch(name);
    continue;
  }
  const result = await client.callTool({ name, arguments: {} });
  console.log(result.content[0].text);
}
await client.close();
`

// python does the same with nothing but the standard library of Debian's Python.
const python = `
import json, sys, urllib.request
address, token, tools = sys.argv[1], sys.argv[2], sys.argv[3:]
headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
if token: headers["Authorization"] = "Bearer " + token
def send(message):
    with urllib.request.urlopen(urllib.request.Request(address, json.dumps(message).encode(), headers)) as answer:
        if answer.headers.get("Mcp-Session-Id"): headers["Mcp-Session-Id"] = answer.headers["Mcp-Session-Id"]
        text = answer.read().decode()
    lines = [line[5:] for line in text.splitlines() if line.startswith("data:")] or [text]
    return json.loads(lines[-1]) if lines[-1].strip() else None
client = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "python", "version": "1"}}
send({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": client})
send({"jsonrpc": "2.0", "method": "notifications/initialized"})
for i, name in enumerate(tools):
    if name.startswith("http:"):
        urllib.request.urlopen(name).close()
        continue
    answer = send({"jsonrpc": "2.0", "id": i + 1, "method": "tools/call", "params": {"name": name, "arguments": {}}})
    print(answer["result"]["content"][0]["text"])
`

// TestClientsOfOtherLanguages: clients that know nothing of the sign-in reach a protected server, with expiry, a refresh, a
// revocation and step-up in between; with a token of their own they do so without --oauth.
func TestClientsOfOtherLanguages(t *testing.T) {
	modules := npmPackages(t)
	binary := command(t)
	t.Setenv("BROWSER", acting(t, "browser"))
	server := mcp.NewServer(&mcp.Implementation{Name: "protected", Version: "1"}, nil)
	for _, name := range []string{"read", "admin_reset"} {
		mcp.AddTool(server, &mcp.Tool{Name: name},
			func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: name + " ran"}}}, nil, nil
			})
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"client.mjs": typescript, "client.py": python} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for language, run := range map[string]func(ctx context.Context, args ...string) *exec.Cmd{
		"TypeScript": func(ctx context.Context, args ...string) *exec.Cmd {
			cmd := node(ctx, t, "", append([]string{modules}, args...)...)
			cmd.Args[1] = filepath.Join(dir, "client.mjs")
			return cmd
		},
		"Python": func(ctx context.Context, args ...string) *exec.Cmd {
			return exec.CommandContext(ctx, program(t, "python3"), append([]string{filepath.Join(dir, "client.py")}, args...)...)
		},
	} {
		t.Run(language, func(t *testing.T) {
			t.Setenv("XDG_STATE_HOME", t.TempDir())
			s := oauthtest.New(t, mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
			control := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/expire":
					s.ExpireAccess()
				case "/revoke":
					s.RevokeAll()
				}
			}))
			defer control.Close()
			for _, tt := range []struct {
				option, token string
				tools         []string
			}{
				{"--inject-context", s.Token("tools"), []string{"read"}},
				{"--oauth", "", []string{
					"read", control.URL + "/expire", "read", "admin_reset", control.URL + "/revoke", "admin_reset", "read",
				}},
			} {
				front := freeAddress(t)
				launch(t, exec.Command(binary, "mcp", "--target", s.Resource, "--listen", front, tt.option))
				waitForListener(t, front)
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				out, err := run(ctx, append([]string{"http://" + front + "/mcp", tt.token}, tt.tools...)...).CombinedOutput()
				want := ""
				for _, tool := range tt.tools {
					if !strings.HasPrefix(tool, "http:") {
						want += tool + " ran\n"
					}
				}
				if err != nil || string(out) != want {
					t.Errorf("%s: got %v and %s, want %s", tt.option, err, out, want)
				}
			}
			if got := fmt.Sprint(s.Count("authorize"), s.Count("refresh")); got != "3 1" {
				t.Errorf("got %s sign-ins and refreshes, want 3 (one, the step-up, and one after the revocation) and 1", got)
			}
		})
	}
}
