// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package wrapping_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/mcp/manager"
	"github.com/toolscope/toolscope/mcp/mcpproxy"
	"github.com/toolscope/toolscope/mcp/toolmcp"
	"github.com/toolscope/toolscope/toolkit"
)

// work is the tool behind every path. Its answers begin with the number of the run.
var work = toolkit.Definition{
	Name: "work", ReadOnly: toolkit.Yes, Idempotent: toolkit.Yes,
	InputSchema: json.RawMessage(`{"type":"object","properties":{"do":{"type":"string"}},"required":["do"]}`),
}

// worker counts the runs of work.
type worker struct{ runs atomic.Int64 }

func (w *worker) run(ctx context.Context, arguments []byte) (string, error) {
	n := w.runs.Add(1)
	var in struct{ Do any }
	_ = json.Unmarshal(arguments, &in)
	switch in.Do {
	case "fail once":
		if n == 1 {
			return "", fmt.Errorf("run=%d failed", n)
		}
	case "fail":
		return "", fmt.Errorf("run=%d failed", n)
	case "wait":
		select {
		case <-ctx.Done():
			return "", fmt.Errorf("run=%d: %w", n, ctx.Err())
		case <-time.After(time.Second):
		}
	case "much":
		return fmt.Sprintf("run=%d ", n) + strings.Repeat("much ", 1000), nil
	}
	return fmt.Sprintf("run=%d %s", n, arguments), nil
}

func (w *worker) registry(t testing.TB) *toolkit.Registry {
	r := new(toolkit.Registry)
	if err := r.Register(toolkit.ToolFunc(work, func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		text, err := w.run(ctx, call.Arguments)
		return toolkit.Result{Output: text}, err
	})); err != nil {
		t.Fatal(err)
	}
	return r
}

func (w *worker) server(t testing.TB) *mcp.Server {
	server, err := toolmcp.NewServer(nil, w.registry(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	return server
}

// A call of a path, with the arguments that a model wrote.
type caller func(ctx context.Context, arguments string) reply

// path wraps work in one way. An error is one of construction.
type path struct {
	name string
	wrap func(t *testing.T, scope *toolscope.Scope) (caller, error)
	// refuses says that construction fails if the scope has policies, or Apply does.
	refuses bool
	// fixed says that policies are read once, when the path is built.
	fixed bool
}

// ownCall and ownResult are the types of a registry that is not toolscope's.
type ownCall struct {
	Name      string
	Arguments json.RawMessage
}

type ownResult struct {
	Text   string
	Failed bool
}

func adapter[C any](t testing.TB, read func(C) ownCall, form func(ownCall) C) toolkit.Adapter[C, ownResult] {
	tools, err := toolkit.NewTools(work)
	if err != nil {
		t.Fatal(err)
	}
	return toolkit.Adapter[C, ownResult]{
		Tools: tools,
		Call:  func(c C) toolkit.Call { return toolkit.Call{Name: read(c).Name, Arguments: read(c).Arguments} },
		Result: func(r ownResult, _ error) toolkit.Result {
			return toolkit.Result{Output: r.Text, Fault: toolkit.SoftError(r.Failed, r.Text)}
		},
		With:   func(c C, args json.RawMessage) C { return form(ownCall{read(c).Name, bytes.Clone(args)}) },
		Answer: func(_ C, r toolkit.Result, _ error) ownResult { return ownResult{r.Output, r.Fault != nil} },
	}
}

func (w *worker) own(ctx context.Context, c ownCall) ownResult {
	text, err := w.run(ctx, c.Arguments)
	if err != nil {
		return ownResult{err.Error(), true}
	}
	return ownResult{Text: text}
}

// namedFunc is a named type, as frameworks have them.
type namedFunc func(context.Context, *ownCall) (ownResult, error)

func (w *worker) named(ctx context.Context, c *ownCall) (ownResult, error) {
	text, err := w.run(ctx, c.Arguments)
	return ownResult{Text: text}, err
}

func native(handle toolkit.Handler) caller {
	return func(ctx context.Context, arguments string) reply {
		res, err := handle(ctx, toolkit.Call{Name: "work", Arguments: json.RawMessage(arguments)})
		if err == nil {
			err = res.Fault
		}
		if err != nil {
			return reply{res.Output + err.Error(), true}
		}
		return reply{text: res.Output}
	}
}

func readOwn(c ownCall) ownCall      { return c }
func readPointer(c *ownCall) ownCall { return *c }
func pointer(c ownCall) *ownCall     { return &c }

func fromOwn(r ownResult, err error) reply {
	if err != nil {
		return reply{err.Error(), true}
	}
	return reply{r.Text, r.Failed}
}

// everyPath is every way of wrapping.
var everyPath = []path{
	{name: "Wrap", wrap: func(t *testing.T, s *toolscope.Scope) (caller, error) {
		r := new(worker).registry(t)
		return native(s.Wrap(r.Handle, r)), nil
	}},
	{name: "WrapRegistry", wrap: func(t *testing.T, s *toolscope.Scope) (caller, error) {
		return native(s.WrapRegistry(new(worker).registry(t))), nil
	}},
	{name: "WrapFunc", wrap: func(t *testing.T, s *toolscope.Scope) (caller, error) {
		f, err := toolscope.WrapFunc(s, new(worker).own, adapter(t, readOwn, readOwn))
		return func(ctx context.Context, arguments string) reply {
			return fromOwn(f(ctx, ownCall{"work", json.RawMessage(arguments)}), nil)
		}, err
	}},
	{name: "WrapFunc with an error", wrap: func(t *testing.T, s *toolscope.Scope) (caller, error) {
		f, err := toolscope.WrapFunc(s, new(worker).named, adapter(t, readPointer, pointer))
		return func(ctx context.Context, arguments string) reply {
			return fromOwn(f(ctx, &ownCall{"work", json.RawMessage(arguments)}))
		}, err
	}},
	{name: "FuncMiddleware", wrap: func(t *testing.T, s *toolscope.Scope) (caller, error) {
		m, err := toolscope.FuncMiddleware[namedFunc](s, adapter(t, readPointer, pointer))
		if err != nil {
			return nil, err
		}
		f := m(new(worker).named)
		return func(ctx context.Context, arguments string) reply {
			return fromOwn(f(ctx, &ownCall{"work", json.RawMessage(arguments)}))
		}, nil
	}},
	{name: "WrapFunc without With and Answer", refuses: true, wrap: func(t *testing.T, s *toolscope.Scope) (caller, error) {
		a := adapter(t, readOwn, readOwn)
		a.With, a.Answer = nil, nil
		f, err := toolscope.WrapFunc(s, new(worker).own, a)
		return func(ctx context.Context, arguments string) reply {
			return fromOwn(f(ctx, ownCall{"work", json.RawMessage(arguments)}), nil)
		}, err
	}},
	{name: "Callbacks", refuses: true, wrap: func(t *testing.T, s *toolscope.Scope) (caller, error) {
		r := new(worker).registry(t)
		callbacks, err := s.Callbacks(r)
		return native(func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
			ctx, running := callbacks.Begin(ctx, call)
			res, err := r.Handle(ctx, call)
			running.End(res, err)
			return res, err
		}), err
	}},
	{name: "MCP server", wrap: func(t *testing.T, s *toolscope.Scope) (caller, error) {
		server := new(worker).server(t)
		toolmcp.Instrument(server, s, toolmcp.Options{})
		ours, theirs := mcp.NewInMemoryTransports()
		if _, err := server.Connect(t.Context(), theirs, nil); err != nil {
			return nil, err
		}
		return dial(t, mcp.NewClient(&mcp.Implementation{Name: "test"}, nil), ours), nil
	}},
	{name: "MCP client", wrap: func(t *testing.T, s *toolscope.Scope) (caller, error) {
		client := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil)
		toolmcp.Instrument(client, s, toolmcp.Options{})
		ours, theirs := mcp.NewInMemoryTransports()
		if _, err := new(worker).server(t).Connect(t.Context(), theirs, nil); err != nil {
			return nil, err
		}
		return dial(t, client, ours), nil
	}},
	{name: "manager", wrap: func(t *testing.T, s *toolscope.Scope) (caller, error) {
		m, err := manager.New(manager.Options{SharedNames: true,
			Servers: []manager.Server{{Name: "s", Transport: func(ctx context.Context) (mcp.Transport, error) {
				ours, theirs := mcp.NewInMemoryTransports()
				_, err := new(worker).server(t).Connect(ctx, theirs, nil)
				return ours, err
			}}}})
		if err != nil {
			return nil, err
		}
		t.Cleanup(func() { _ = m.Close() })
		return native(s.WrapRegistry(m)), m.Start(t.Context())
	}},
	{name: "proxy over pipes", fixed: true, wrap: proxyOverPipes},
	{name: "proxy over HTTP", wrap: proxyOverHTTP},
}

// dial connects a client, lists the tools and returns what calls work.
func dial(t *testing.T, client *mcp.Client, transport mcp.Transport) caller {
	cs, err := client.Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cs.Close() })
	if _, err := cs.ListTools(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return func(ctx context.Context, arguments string) reply {
		res, err := cs.CallTool(ctx, &mcp.CallToolParams{Name: "work", Arguments: json.RawMessage(arguments)})
		if err != nil {
			return reply{err.Error(), true}
		}
		var text strings.Builder
		for _, c := range res.Content {
			if c, ok := c.(*mcp.TextContent); ok {
				text.WriteString(c.Text)
			}
		}
		return reply{text.String(), res.IsError}
	}
}

// serveVariable has the test's program serve work over its pipes.
const serveVariable = "TOOLSCOPE_TEST_SERVE_WORK"

func TestMain(m *testing.M) {
	if os.Getenv(serveVariable) == "" {
		os.Exit(m.Run())
	}
	server, err := toolmcp.NewServer(nil, new(worker).registry(new(testing.B)), nil)
	if err == nil {
		err = server.Run(context.Background(), &mcp.StdioTransport{})
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func proxyOverPipes(t *testing.T, s *toolscope.Scope) (caller, error) {
	w, err := mcpproxy.New(s, mcpproxy.Options{})
	if err != nil {
		return nil, err
	}
	t.Cleanup(w.Close)
	stdin, toServer, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	fromServer, stdout, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	stderr, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		command := mcpproxy.Command{
			Path: program, Args: []string{"work"}, Env: append(os.Environ(), serveVariable+"=1"), Stdin: stdin, Stdout: stdout,
			Stderr: stderr,
		}
		if _, err := w.Run(command); err != nil {
			t.Error(err)
		}
	}()
	t.Cleanup(func() { _ = toServer.Close(); <-ended })
	return dial(t, mcp.NewClient(&mcp.Implementation{Name: "test"}, nil),
		&mcp.IOTransport{Reader: fromServer, Writer: toServer}), nil
}

func proxyOverHTTP(t *testing.T, s *toolscope.Scope) (caller, error) {
	w, err := mcpproxy.New(s, mcpproxy.Options{})
	if err != nil {
		return nil, err
	}
	t.Cleanup(w.Close)
	server := new(worker).server(t)
	behind := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	t.Cleanup(behind.Close)
	target, err := url.Parse(behind.URL)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.Serve(ctx, l, target) }()
	t.Cleanup(func() { stop(); <-ended })
	transport := &mcp.StreamableClientTransport{Endpoint: "http://" + l.Addr().String(), DisableStandaloneSSE: true}
	return dial(t, mcp.NewClient(&mcp.Implementation{Name: "test"}, nil), transport), nil
}
