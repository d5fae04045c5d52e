// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/frames"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/watch"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
)

// watched is a Watcher whose spans are kept.
type watched struct {
	*watch.Watcher
	proxy *Watcher
	t     *testing.T
	spans *tracetest.SpanRecorder
}

// listedBefore are the tools that tests call without a list, as if an earlier connection had listed them.
var listedBefore = map[string]*toolkit.Definition{"act": nil, "echo": nil, "read": nil, "x": nil, "y": nil}

func newWatched(t *testing.T, options Options, policies ...middleware.Policy) *watched {
	t.Helper()
	spans := tracetest.NewSpanRecorder()
	s, err := toolscope.New(toolscope.Options{
		TracerProvider: sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans)),
		NoMetrics:      true,
		Policies:       policies,
	})
	if err != nil {
		t.Fatal(err)
	}
	w, err := New(s, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close(); _ = s.Shutdown(t.Context()) })
	w.core.Earlier.Replace(listedBefore)
	return &watched{w.core, w, t, spans}
}

// settle waits until all that passed has been looked at.
func (w *watched) settle() {
	w.t.Helper()
	if err := w.Settle(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

// report is what was noticed.
func (w *watched) report() *watch.Report {
	w.t.Helper()
	r, err := w.Report(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

// span is the only span of that name.
func (w *watched) span(name string) sdktrace.ReadOnlySpan {
	w.t.Helper()
	w.settle()
	var found []sdktrace.ReadOnlySpan
	var names []string
	for _, s := range w.spans.Ended() {
		if names = append(names, s.Name()); s.Name() == name {
			found = append(found, s)
		}
	}
	if len(found) != 1 {
		w.t.Fatalf("got %d spans %q, want one; there are %q", len(found), name, names)
	}
	return found[0]
}

// ended waits for the only span of that name.
func (w *watched) ended(name string) sdktrace.ReadOnlySpan {
	w.t.Helper()
	for end := deadline(); ; time.Sleep(time.Millisecond) {
		for _, s := range w.spans.Ended() {
			if s.Name() == name {
				return w.span(name)
			}
		}
		if time.Now().After(end) {
			w.t.Fatalf("got no span %q", name)
		}
	}
}

// has is an attribute of a span as text; "" without it.
func has(s sdktrace.ReadOnlySpan, key attribute.Key) string {
	if i := slices.IndexFunc(s.Attributes(), func(a attribute.KeyValue) bool { return a.Key == key }); i >= 0 {
		return s.Attributes()[i].Value.String()
	}
	return ""
}

// wireConn is a connection whose bytes a test makes up.
type wireConn struct {
	*watched
	session *watch.Session
	streams [2]*frames.Stream
}

func (w *watched) connect() *wireConn {
	c := &wireConn{watched: w, session: watch.NewSession(w.Engine, "")}
	c.session.StderrStream()
	c.Join(c.session)
	c.streams = [2]*frames.Stream{
		c.session.Stream(watch.FromClient, frames.ByLine),
		c.session.Stream(watch.FromServer, frames.ByLine),
	}
	return c
}

// client and server send lines.
func (c *wireConn) client(format string, args ...any) {
	c.send(c.streams[watch.FromClient], format, args...)
}
func (c *wireConn) server(format string, args ...any) {
	c.send(c.streams[watch.FromServer], format, args...)
}
func (c *wireConn) stderr(format string, args ...any) { c.send(c.session.Stderr, format, args...) }

func (c *wireConn) send(s *frames.Stream, format string, args ...any) {
	c.Tap.CopyBytes(s, time.Now(), fmt.Appendf(nil, format+"\n", args...))
	c.settle()
}

func (c *wireConn) close() {
	c.Tap.CallNow(func() { c.Watcher.End(c.session, time.Now(), nil) })
	c.settle()
}

// begin is a session's beginning, with a list of tools of these names if there are some.
func (c *wireConn) begin(tools ...string) {
	c.client(
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{` +
			`"sampling":{}},"clientInfo":{"name":"c","version":"2"}}}`,
	)
	c.server(
		`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"logging":{` +
			`}},"serverInfo":{"name":"s","version":"1"}}}`,
	)
	if len(tools) > 0 {
		c.list("d", tools...)
	}
}

func (c *wireConn) list(description string, tools ...string) {
	list := ""
	for i, name := range tools {
		if i > 0 {
			list += ","
		}
		list += fmt.Sprintf(`{"name":%q,"description":%q,"inputSchema":{"type":"object"}}`, name, description)
	}
	c.client(`{"jsonrpc":"2.0","id":"l","method":"tools/list"}`)
	c.server(`{"jsonrpc":"2.0","id":"l","result":{"tools":[%s]}}`, list)
}

func (c *wireConn) call(id int, name string) {
	c.client(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{"a":1}}}`, id, name)
}

func (c *wireConn) answer(id int, text string) {
	c.server(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":%q}]}}`, id, text)
}

// bodyOf is the body of an answer, which it closes.
func bodyOf(t testing.TB, resp *http.Response) string {
	t.Helper()
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
