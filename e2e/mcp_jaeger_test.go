// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/e2e/jaeger"
	"github.com/toolscope/toolscope/exporters"
	"github.com/toolscope/toolscope/internal/canary"
	"github.com/toolscope/toolscope/mcp/toolmcp"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

// mcpServer builds the instrumented server.
func mcpServer(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "mcpserver")
	if out, err := exec.Command("go", "build", "-o", binary, "./mcpserver").CombinedOutput(); err != nil {
		t.Fatalf("building the MCP server: %v\n%s", err, out)
	}
	return binary
}

// overStdio is a transport to a process of our own.
func overStdio(t *testing.T, binary string, server *jaeger.Server) mcp.Transport {
	cmd := exec.Command(binary)
	cmd.Env = append(os.Environ(), "OTEL_EXPORTER_OTLP_ENDPOINT="+server.OTLP)
	cmd.Stderr = os.Stderr
	t.Cleanup(func() {
		if cmd.ProcessState == nil {
			t.Error("the server did not end with its session")
		}
	})
	return &mcp.CommandTransport{Command: cmd}
}

// overHTTP is a transport to a server that runs until the test ends.
func overHTTP(t *testing.T, binary string, server *jaeger.Server) mcp.Transport {
	return overHTTPWith(t, binary, server, "-stateless=false")
}

// overStatelessHTTP is the same to one without sessions.
func overStatelessHTTP(t *testing.T, binary string, server *jaeger.Server) mcp.Transport {
	return overHTTPWith(t, binary, server, "-stateless")
}

func overHTTPWith(t *testing.T, binary string, server *jaeger.Server, mode string) mcp.Transport {
	cmd := exec.Command(binary, "-http", "127.0.0.1:0", mode)
	cmd.Env = append(os.Environ(), "OTEL_EXPORTER_OTLP_ENDPOINT="+server.OTLP, "OTEL_BSP_SCHEDULE_DELAY=100")
	endpoint := startAndFind(t, cmd, regexp.MustCompile(`http://[0-9.:]+/`))
	return &mcp.StreamableClientTransport{Endpoint: endpoint}
}

// startAndFind starts a server that ends by SIGTERM, and returns what it says of
// itself on standard error.
func startAndFind(t *testing.T, cmd *exec.Cmd, what *regexp.Regexp) string {
	t.Helper()
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		err := cmd.Wait()
		if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
			t.Error(err)
		}
	})
	var said strings.Builder
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		if found := what.FindString(lines.Text()); found != "" {
			go io.Copy(io.Discard, stderr)
			return found
		}
		said.WriteString(lines.Text() + "\n")
	}
	t.Fatalf("%s said nowhere where it listens:\n%s", cmd.Path, said.String())
	return ""
}

// TestMCPTraceInJaeger runs an agent in this process and a server in another, over each
// transport and each kind of revision, and reads from a real Jaeger one trace that goes
// from the agent into the server.
func TestMCPTraceInJaeger(t *testing.T) {
	server, binary := startJaeger(t), mcpServer(t)
	for name, c := range map[string]struct {
		transport func(*testing.T, string, *jaeger.Server) mcp.Transport
		revision  string
		separate  bool
		network   string
	}{
		"stdio":            {overStdio, "2025-11-25", false, "pipe"},
		"stdio, stateless": {overStdio, "2026-07-28", true, "pipe"},
		"HTTP":             {overHTTP, "2025-11-25", true, "tcp"},
		"HTTP, stateless":  {overStatelessHTTP, "2026-07-28", false, "tcp"},
	} {
		t.Run(name, func(t *testing.T) {
			host := newMCPHost(t, server, c.transport(t, binary, server), c.revision, c.separate)
			host.run(t)
			trace := host.trace(t, server)
			checkMCPTrace(t, trace, c.separate, c.revision, c.network)
		})
	}
}

// An mcpHost is an agent's process with a session.
type mcpHost struct {
	service   string
	scope     *toolscope.Scope
	providers *exporters.Providers
	session   *mcp.ClientSession
	secrets   []canary.Secret
	raw       string
}

func newMCPHost(t *testing.T, server *jaeger.Server, transport mcp.Transport, revision string, separate bool) *mcpHost {
	t.Helper()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.OTLP)
	h := &mcpHost{service: "host of " + t.Name(), secrets: canary.Secrets(uint64(time.Now().UnixNano()))}
	var err error
	if h.providers, err = exporters.Setup(t.Context(), exporters.Options{ServiceName: h.service}); err != nil {
		t.Fatal(err)
	}
	if h.scope, err = toolscope.New(toolscope.Options{
		TracerProvider: h.providers.TracerProvider,
		MeterProvider:  h.providers.MeterProvider,
	}); err != nil {
		t.Fatal(err)
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "host", Version: "1"}, nil)
	toolmcp.Instrument(client, h.scope, toolmcp.Options{Transport: transport, SeparateSpans: separate})
	h.session, err = client.Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// run lets an agent call tools, with secrets in their arguments, get a prompt and read a
// resource.
func (h *mcpHost) run(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	tools := map[string]*toolkit.Definition{
		"accounts__balance":       {Name: "accounts__balance"},
		"accounts__close_account": {Name: "accounts__close_account"},
	}
	execute := h.scope.Wrap(func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		res, err := h.session.CallTool(
			ctx,
			&mcp.CallToolParams{Name: strings.TrimPrefix(call.Name, "accounts__"), Arguments: call.Arguments},
		)
		if err != nil {
			return toolkit.Result{}, err
		}
		text := res.Content[0].(*mcp.TextContent).Text
		return toolkit.Result{Output: text, Fault: toolkit.SoftError(res.IsError, text)}, nil
	}, toolkit.Lookup(func(name string) *toolkit.Definition { return tools[name] }))

	ctx, agent := h.scope.StartAgent(ctx, tracing.Agent{Name: "teller", Conversation: "conversation 1"})
	for i, s := range h.secrets {
		args, err := json.Marshal(map[string]string{"customer": "Ada, " + s.Text, "password": s.Value})
		if err != nil {
			t.Fatal(err)
		}
		name := "accounts__balance"
		if i%2 == 1 {
			name = "accounts__close_account"
		}
		if _, err := execute(ctx, toolkit.Call{ID: "call", Name: name, Arguments: args}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := h.session.GetPrompt(
		ctx, &mcp.GetPromptParams{Name: "greet", Arguments: map[string]string{"customer": h.secrets[2].Text}},
	); err != nil {
		t.Fatal(err)
	}
	if _, err := h.session.ReadResource(ctx, &mcp.ReadResourceParams{URI: "accounts://terms"}); err != nil {
		t.Fatal(err)
	}
	agent.End(nil)
	if err := h.session.Close(); err != nil {
		t.Error(err)
	}
	if err := errors.Join(h.scope.Shutdown(ctx), h.providers.Shutdown(ctx)); err != nil {
		t.Error(err)
	}
}

// trace waits until Jaeger has all spans of the agent's trace.
func (h *mcpHost) trace(t *testing.T, server *jaeger.Server) *jaeger.Trace {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	want := len(h.secrets) + 2 // that the server made
	for {
		traces, raw, err := server.RawTraces(ctx, h.service)
		if err != nil {
			t.Fatal(err)
		}
		h.raw = string(raw)
		for i := range traces {
			served, root := 0, false
			for _, s := range traces[i].Spans {
				root = root || s.OperationName == "invoke_agent teller"
				if traces[i].Processes[s.ProcessID].ServiceName == "mcp-server" {
					served++
				}
			}
			if root && served >= want {
				if found := canary.Find(h.raw, h.secrets); found != nil {
					t.Errorf("Jaeger shows %v", found)
				}
				return &traces[i]
			}
		}
		select {
		case <-ctx.Done():
			t.Fatalf("Jaeger has no trace of the agent with %d spans of the server: %.2000s", want, h.raw)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// checkMCPTrace checks names, kinds, parents and attributes.
func checkMCPTrace(t *testing.T, trace *jaeger.Trace, separate bool, revision, network string) {
	t.Helper()
	spans := make(map[string]*jaeger.Span)
	for i := range trace.Spans {
		spans[trace.Spans[i].SpanID] = &trace.Spans[i]
	}
	counts := make(map[string]int)
	for _, s := range spans {
		kind, _ := s.Tag("span.kind")
		service := trace.Processes[s.ProcessID].ServiceName
		where := "host"
		if service == "mcp-server" {
			where = "server"
		}
		counts[where+" "+kind+" "+s.OperationName]++
		parent := spans[s.Parent()]
		tag := func(key, want string) {
			t.Helper()
			if got, _ := s.Tag(key); got != want {
				t.Errorf("%s %s: %s: got %q, want %q", where, s.OperationName, key, got, want)
			}
		}
		under := func(prefix string) {
			t.Helper()
			if parent == nil || !strings.HasPrefix(parent.OperationName, prefix) ||
				trace.Processes[parent.ProcessID].ServiceName == "mcp-server" {
				t.Errorf("%s %s: got a parent other than the application's %s", where, s.OperationName, prefix)
			}
		}
		name, call := strings.CutPrefix(s.OperationName, "tools/call ")
		switch {
		case s.OperationName == "invoke_agent teller":
			if parent != nil {
				t.Error("the agent's span has a parent")
			}
			tag("gen_ai.operation.name", "invoke_agent")
		case strings.HasPrefix(s.OperationName, "execute_tool "):
			under("invoke_agent teller")
			tag("gen_ai.tool.name", strings.TrimPrefix(s.OperationName, "execute_tool "))
			tag("gen_ai.conversation.id", "conversation 1")
			if !separate {
				tag("mcp.method.name", "tools/call")
				tag("network.transport", network)
				tag("mcp.protocol.version", revision)
			}
		case call:
			tag("gen_ai.tool.name", name)
			tag("gen_ai.operation.name", "execute_tool")
			tag("mcp.method.name", "tools/call")
			tag("mcp.protocol.version", revision)
			tag("network.transport", network)
			if name == "close_account" {
				tag("error.type", "tool_error")
				tag("error", "true")
			} else {
				tag("error.type", "")
			}
			if where == "host" {
				under("execute_tool accounts__" + name)
				break
			}
			above := "execute_tool accounts__" + name
			if separate {
				above = s.OperationName
			}
			under(above)
			if args, _ := s.Tag("gen_ai.tool.call.arguments"); !strings.Contains(args, "[REDACTED:") ||
				!strings.Contains(args, "Ada") ||
				!json.Valid([]byte(args)) {
				t.Errorf("%s: got the arguments %s, want them redacted and else as they were", s.OperationName, args)
			}
			if network == "tcp" &&
				!slices.ContainsFunc(
					s.References,
					func(r jaeger.Reference) bool { return r.RefType == "FOLLOWS_FROM" },
				) {
				t.Errorf("%s: got %+v, want a link to the HTTP request's span", s.OperationName, s.References)
			}
		case s.OperationName == "prompts/get greet", s.OperationName == "resources/read":
			tag("mcp.method.name", strings.TrimSuffix(s.OperationName, " greet"))
			above := "invoke_agent"
			if where == "server" {
				above = s.OperationName
			}
			under(above)
		}
	}
	n := len(canary.Secrets(0))
	want := map[string]int{
		"host internal invoke_agent teller":                  1,
		"host internal execute_tool accounts__balance":       (n + 1) / 2,
		"host internal execute_tool accounts__close_account": n / 2,
		"server server tools/call balance":                   (n + 1) / 2,
		"server server tools/call close_account":             n / 2,
		"server server resources/read":                       1,
		"server server prompts/get greet":                    1,
		"host client resources/read":                         1,
		"host client prompts/get greet":                      1,
	}
	if separate {
		want["host client tools/call balance"], want["host client tools/call close_account"] = (n+1)/2, n/2
	}
	for name, n := range want {
		if counts[name] != n {
			t.Errorf("%s: got %d spans, want %d; of %v", name, counts[name], n, counts)
		}
	}
}
