// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope/mcp/manager"
	"github.com/toolscope/toolscope/toolkit"
)

// child is a server of a role as a child process.
func child(name, role string, env ...string) manager.Server {
	s := manager.Server{Name: name, Command: os.Args[0], Env: map[string]string{roleEnv: role}}
	for i := 0; i < len(env); i += 2 {
		s.Env[env[i]] = env[i+1]
	}
	return s
}

// web is a server of a role over HTTP.
func web(t *testing.T, name, role string, sse bool, kind ...string) manager.Server {
	t.Helper()
	s := newServer(role)
	get := func(*http.Request) *mcp.Server { return s }
	h := httptest.NewServer(mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{JSONResponse: len(kind) > 0}))
	if sse {
		h.Config.Handler = mcp.NewSSEHandler(get, nil)
	}
	t.Cleanup(func() {
		h.Close()
		endSessions(s)
	})
	return manager.Server{Name: name, URL: h.URL, SSE: sse}
}

func endSessions(s *mcp.Server) {
	for session := range s.Sessions() {
		_ = session.Close() // its client is gone
	}
}

// open starts a manager of which each server must be connected.
func open(t *testing.T, o manager.Options) *manager.Manager {
	t.Helper()
	m := prepare(t, o)
	if err := m.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	return m
}

func prepare(t *testing.T, o manager.Options) *manager.Manager {
	t.Helper()
	if o.Backoff == 0 {
		o.Backoff = 10 * time.Millisecond
	}
	if o.CallWait == 0 {
		o.CallWait = 30 * time.Second // a process may take long to start
	}
	if o.StartTimeout == 0 {
		o.StartTimeout = 5 * time.Minute // and 100,000 tools to be read
	}
	if o.RequestTimeout == 0 {
		o.RequestTimeout = 5 * time.Minute // and 100 MiB
	}
	m, err := manager.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

// call calls a tool and gives its text, or the error's.
func call(t *testing.T, m *manager.Manager, tool, text string) (string, error) {
	t.Helper()
	res, err := m.Handle(context.Background(), toolkit.Call{Name: tool, Arguments: fmt.Appendf(nil, `{"text":%q}`, text)})
	if err == nil && res.Fault != nil {
		err = res.Fault
	}
	return res.Output, err
}

func wantCall(t *testing.T, m *manager.Manager, tool, text, want string) {
	t.Helper()
	if got, err := call(t, m, tool, text); err != nil || got != want {
		t.Errorf("%s: got %q, %v, want %q", tool, got, err, want)
	}
}

// eventually waits for a condition.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited 30 s for: %s", what)
		}
	}
}

// runs are the roles that noted in a file that a tool ran, in order.
func runs(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(string(text)), " ")
}

func status(t *testing.T, m *manager.Manager, name string) manager.Status {
	t.Helper()
	list := m.Status()
	i := slices.IndexFunc(list, func(s manager.Status) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("%s: no such server", name)
	}
	return list[i]
}

func TestServersOfEachTransportAreOneRegistry(t *testing.T) {
	m := open(t, manager.Options{
		Servers: []manager.Server{child("stdio", "a"), web(t, "http", "b", false), web(t, "sse", "c", true)}})
	names := map[string]bool{}
	for _, d := range m.Definitions() {
		names[d.Name] = true
		if m.Lookup(d.Name) == nil || m.Lookup(d.Name).Name != d.Name {
			t.Errorf("%s: listed and not found", d.Name)
		}
	}
	for tool, want := range map[string]string{"stdio__echo": "a: x", "http__echo": "b: x", "sse__echo": "c: x"} {
		if !names[tool] {
			t.Errorf("%s: is not among %v", tool, maps.Keys(names))
		}
		wantCall(t, m, tool, "x", want)
	}
	if d := m.Lookup("stdio__echo"); d == nil || d.ReadOnly != toolkit.Yes {
		t.Errorf("got %+v, want a read-only tool", d)
	}
	if got, err := call(t, m, "stdio__echo", "fail"); !errors.Is(err, toolkit.ErrTool) || got != "it failed" {
		t.Errorf("got %q, %v, want the tool's own failure", got, err)
	}
	if _, err := call(t, m, "nobody__echo", ""); !errors.Is(err, toolkit.ErrUnknownTool) {
		t.Errorf("got %v, want an unknown tool", err)
	}
	for _, r := range []struct{ server, uri, want string }{{"stdio", "test://a", "body of a"},
		{"", "test://b", "body of b"}, {"", "test://c", "body of c"}} {
		res, err := m.ReadResource(context.Background(), r.server, r.uri)
		if err != nil || res.Contents[0].Text != r.want {
			t.Errorf("%s: got %v, %v, want %q", r.uri, res, err, r.want)
		}
	}
	p, err := m.GetPrompt(context.Background(), "", "greet_b", map[string]string{"who": "Ada"})
	if err != nil || p.Messages[0].Content.(*mcp.TextContent).Text != "hello Ada" {
		t.Errorf("got %v, %v, want a greeting", p, err)
	}
	resources, prompts := map[string]string{}, map[string]string{}
	for server, r := range m.Resources() {
		resources[server] = r.URI
	}
	for server, p := range m.Prompts() {
		prompts[server] = p.Name
	}
	if len(resources) != 3 || len(prompts) != 3 {
		t.Errorf("got %v and %v, want one of each server", resources, prompts)
	}
	for _, s := range m.Status() {
		if s.State != manager.Connected || s.Calls == 0 || s.Tools == 0 || s.Connects != 1 || s.Initialized == nil {
			t.Errorf("got %+v, want a server that was connected once and called", s)
		}
	}
	st := status(t, m, "stdio")
	if st.PID == 0 || st.Calls != 2 || st.Errors != 1 || st.SuccessRate != 0.5 || st.Latency <= 0 ||
		!strings.HasPrefix(st.Initialized.ServerInfo.Name, "test-a") {
		t.Errorf("got %+v, want two calls, of which one failed", st)
	}
}
