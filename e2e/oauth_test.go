// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
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
// A client metadata document is used where the operator has one, so the suite warns that there is none.
func TestAuthorizationConformance(t *testing.T) {
	npmPackages(t)
	t.Setenv("TOOLSCOPE_E2E_COMMAND", command(t))
	t.Setenv("BROWSER", acting(t, "browser"))
	said := verdicts(t, conformanceNext, "client", "--command", acting(t, "client"), "--suite", "auth")
	passed := 0
	for check, n := range said {
		switch {
		case strings.HasSuffix(check, ": FAILURE"):
			t.Errorf("%s", check)
		case strings.HasSuffix(check, ": SUCCESS"):
			passed += n
		}
	}
	if passed < 200 {
		t.Errorf("got %d checks that passed, want 200 or more", passed)
	}
	t.Logf("%d checks passed", passed)
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
  const result = await client.callTool({ name, arguments: {} });
  console.log(result.content[0].text);
}
await client.close();
`

// TestTypeScriptClient: a client that knows nothing of the sign-in reaches a protected server, with step-up; one with
// a token of its own does so without --oauth.
func TestTypeScriptClient(t *testing.T) {
	modules := npmPackages(t)
	binary := command(t)
	t.Setenv("BROWSER", acting(t, "browser"))
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	server := mcp.NewServer(&mcp.Implementation{Name: "protected", Version: "1"}, nil)
	for _, name := range []string{"read", "admin_reset"} {
		mcp.AddTool(server, &mcp.Tool{Name: name}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: name + " ran"}}}, nil, nil
		})
	}
	s := oauthtest.New(t, mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	script := filepath.Join(t.TempDir(), "client.mjs")
	if err := os.WriteFile(script, []byte(typescript), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		option, token string
		tools         []string
	}{{"--oauth", "", []string{"read", "admin_reset", "read"}}, {"--inject-context", s.Token("tools"), []string{"read"}}} {
		front := freeAddress(t)
		launch(t, exec.Command(binary, "mcp", "--target", s.Resource, "--listen", front, tt.option))
		waitForListener(t, front)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		run := node(ctx, t, "", append([]string{modules, "http://" + front + "/mcp", tt.token}, tt.tools...)...)
		run.Args[1] = script
		out, err := run.CombinedOutput()
		if want := strings.Join(tt.tools, " ran\n") + " ran\n"; err != nil || string(out) != want {
			t.Errorf("%s: got %v and %s, want %s", tt.option, err, out, want)
		}
	}
	if got := s.Count("authorize"); got != 2 {
		t.Errorf("got %d sign-ins, want one and the step-up", got)
	}
}
