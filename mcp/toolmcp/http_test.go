// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/mcp/toolmcp"
	"github.com/toolscope/toolscope/toolkit"
)

// traced gives each HTTP request a span, as otelhttp does, and remembers the last one's.
func traced(h *telemetry, last *atomic.Pointer[trace.SpanContext], next http.Handler) http.Handler {
	tracer := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(h.spans)).Tracer("http")
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, span := tracer.Start(r.Context(), "HTTP "+r.Method)
		defer span.End()
		if r.Method == http.MethodPost {
			sc := span.SpanContext()
			last.Store(&sc)
		}
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// withHeader adds a header to each request.
type withHeader struct{ key, value string }

func (h withHeader) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set(h.key, h.value)
	return http.DefaultTransport.RoundTrip(r)
}

// TestParentsOverHTTP checks what a request's span is below and linked to, with a context
// in _meta and without, in a session, where the SDK's context is that of the request which
// opened it, and without sessions.
func TestParentsOverHTTP(t *testing.T) {
	const header = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	sent, _ := trace.TraceIDFromHex("0af7651916cd43dd8448eb211c80319c")
	for _, c := range []struct {
		revision                string
		inSession, meta, header bool
		parent                  string // "client", "header", "http" or "" for none
		link                    string // "header", "http" (this request's), "opened" (the session's) or ""
	}{
		{legacy, true, true, false, "client", "opened"}, {legacy, true, true, true, "client", "header"},
		{legacy, true, false, true, "header", ""}, {legacy, true, false, false, "", "opened"},
		{legacy, false, true, false, "client", "http"}, {legacy, false, false, false, "http", ""},
		{stateless, false, true, false, "client", "http"}, {stateless, false, false, false, "http", ""},
	} {
		t.Run(fmt.Sprintf("%+v", c), func(t *testing.T) {
			server, client := newServer(), mcp.NewClient(&mcp.Implementation{Name: "test"}, nil)
			host, s := newTelemetry(t, toolscope.Options{}), newTelemetry(t, toolscope.Options{})
			toolmcp.Instrument(server, s.Scope, toolmcp.Options{})
			if c.meta {
				toolmcp.Instrument(client, host.Scope, toolmcp.Options{})
			}
			var last atomic.Pointer[trace.SpanContext]
			handler := traced(
				s,
				&last,
				mcp.NewStreamableHTTPHandler(
					func(*http.Request) *mcp.Server { return server },
					&mcp.StreamableHTTPOptions{Stateless: !c.inSession},
				),
			)
			transport := http.DefaultTransport
			if c.header {
				transport = withHeader{"Traceparent", header}
			}
			cs := dialHandler(t, client, handler, transport, c.revision)
			list(t, cs)
			if _, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo", Arguments: echoIn{"x"}}); err != nil {
				t.Fatal(err)
			}
			span := s.span(t, "tools/call echo")
			var links []trace.SpanID
			for _, l := range span.Links() {
				links = append(links, l.SpanContext.SpanID())
			}
			request := last.Load().SpanID()
			switch parent := span.Parent(); {
			case c.parent == "client" && parent.SpanID() != host.span(t, "tools/call echo").SpanContext().SpanID(),
				c.parent == "header" && parent.TraceID() != sent, c.parent == "http" &&
					parent.SpanID() != request, c.parent == "" && parent.IsValid():
				t.Errorf("got the parent %v, want %q", parent.SpanID(), c.parent)
			}
			switch {
			case c.link == "" && len(links) > 0, c.link != "" && len(links) != 1, c.link == "http" && links[0] != request,
				c.link == "header" && span.Links()[0].SpanContext.TraceID() != sent, c.link == "opened" && links[0] == request:
				t.Errorf("got the links %v, want %q", links, c.link)
			}
			want(
				t,
				"server",
				attributes(span.Attributes()),
				"mcp.protocol.version",
				c.revision,
				"network.transport",
				"tcp",
				"network.protocol.name",
				"http",
			)
		})
	}
}

// TestSessionsOverHTTP checks that a session is measured where there is one, and that what
// the SDK makes for a request of a stateless server is none.
func TestSessionsOverHTTP(t *testing.T) {
	for _, without := range []bool{false, true} {
		server, client := newServer(), mcp.NewClient(&mcp.Implementation{Name: "test"}, nil)
		c, s := newTelemetry(t, toolscope.Options{}), newTelemetry(t, toolscope.Options{})
		toolmcp.Instrument(server, s.Scope, toolmcp.Options{})
		toolmcp.Instrument(client, c.Scope, toolmcp.Options{})
		cs := dialHandler(
			t,
			client,
			mcp.NewStreamableHTTPHandler(
				func(*http.Request) *mcp.Server { return server },
				&mcp.StreamableHTTPOptions{Stateless: without},
			),
			http.DefaultTransport,
			legacy,
		)
		if _, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo", Arguments: echoIn{"x"}}); err != nil {
			t.Fatal(err)
		}
		id := attributes(s.span(t, "tools/call echo").Attributes())["mcp.session.id"]
		if err := cs.Close(); err != nil {
			t.Fatal(err)
		}
		if (id == "") != without {
			t.Errorf("stateless %v: got the session id %q", without, id)
		}
		until(t, "the client's session", func() bool { return len(c.points(t, "mcp.client.session.duration")) == 1 })
		if without {
			if got := s.points(t, "mcp.server.session.duration"); len(got) != 0 {
				t.Errorf("stateless: got %d sessions measured, want none", len(got))
			}
			continue
		}
		until(t, "the server's session", func() bool { return len(s.points(t, "mcp.server.session.duration")) == 1 })
		want(
			t,
			"session",
			attributes(s.points(t, "mcp.server.session.duration")[0].Attributes.ToSlice()),
			"network.transport",
			"tcp",
			"mcp.protocol.version",
			legacy,
		)
	}
}

// TestListening checks that a subscription that ends as it should is no failure.
func TestListening(t *testing.T) {
	var told atomic.Int64
	server, client := newServer(), mcp.NewClient(&mcp.Implementation{Name: "test"}, host(&told, "x"))
	c, s := newTelemetry(t, toolscope.Options{}), newTelemetry(t, toolscope.Options{})
	toolmcp.Instrument(server, s.Scope, toolmcp.Options{})
	toolmcp.Instrument(client, c.Scope, toolmcp.Options{})
	cs := dial(t, client, server, stateless)
	// The server may get the subscription only after dial has returned, and a change before that reaches no client.
	// The SDK waits until a list has been left alone for ten milliseconds: changes are a second apart.
	next := time.Now()
	until(t, "a change told", func() bool {
		if now := time.Now(); now.After(next) {
			server.AddTool(&mcp.Tool{Name: "more", InputSchema: map[string]any{"type": "object"}},
				func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return nil, nil })
			next = now.Add(time.Second)
		}
		return told.Load() > 0
	})
	if err := cs.Close(); err != nil {
		t.Fatal(err)
	}
	span := s.span(t, "subscriptions/listen")
	if span.Status().Code == codes.Error {
		t.Errorf("got %v %v", span.Status(), attributes(span.Attributes()))
	}
}

// TestToolsLearned checks that a tool which a server got after it listed its tools is known by its name once the
// client lists them again, and not because it answered; and that a name it does not know stays unknown.
func TestToolsLearned(t *testing.T) {
	server := newServer()
	c := newTelemetry(t, toolscope.Options{})
	cs := connect(t, server, c, nil, legacy)
	if _, err := cs.ListTools(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	mcp.AddTool(
		server,
		&mcp.Tool{Name: "late"},
		func(context.Context, *mcp.CallToolRequest, echoIn) (*mcp.CallToolResult, any, error) {
			return nil, nil, nil
		},
	)
	for i := range 3 {
		if i == 2 {
			list(t, cs)
		}
		for _, name := range []string{"late", "made_up"} {
			_, _ = cs.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: echoIn{}})
		}
	}
	got := slices.DeleteFunc(c.names(), func(name string) bool { return !strings.HasPrefix(name, "tools/call ") })
	if want := []string{
		"tools/call _unknown", "tools/call _unknown", "tools/call _unknown", "tools/call _unknown", "tools/call late",
		"tools/call _unknown",
	}; !slices.Equal(
		got,
		want,
	) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestProxy checks a server that carries out its calls by those of another: its one span
// tells how a call came to it, and its context goes on.
func TestProxy(t *testing.T) {
	upstream, proxy, far := newServer(), mcp.NewServer(
		&mcp.Implementation{Name: "proxy"},
		nil,
	), newTelemetry(
		t,
		toolscope.Options{},
	)
	h := newTelemetry(t, toolscope.Options{})
	on := mcp.NewClient(&mcp.Implementation{Name: "proxy"}, nil)
	toolmcp.Instrument(on, h.Scope, toolmcp.Options{
		Transport: &mcp.StreamableClientTransport{Endpoint: "http://upstream.invalid:1234/"},
	})
	toolmcp.Instrument(upstream, far.Scope, toolmcp.Options{})
	to := dial(t, on, upstream, legacy)
	proxy.AddTool(
		&mcp.Tool{Name: "echo", InputSchema: map[string]any{"type": "object"}},
		func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return to.CallTool(ctx, &mcp.CallToolParams{Name: "echo", Arguments: r.Params.Arguments})
		},
	)
	toolmcp.Instrument(proxy, h.Scope, toolmcp.Options{Transport: new(mcp.StdioTransport)})
	cs := dial(t, mcp.NewClient(&mcp.Implementation{Name: "test"}, nil), proxy, stateless)
	if res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo", Arguments: echoIn{"x"}}); err != nil ||
		res.IsError {
		t.Fatalf("got %+v and %v", res, err)
	}
	span := h.span(t, "tools/call echo")
	want(
		t,
		"proxy",
		attributes(span.Attributes()),
		"network.transport",
		"pipe",
		"server.address",
		"",
		"mcp.protocol.version",
		stateless,
	)
	if far.span(t, "tools/call echo").Parent().SpanID() != span.SpanContext().SpanID() ||
		span.SpanKind() != trace.SpanKindServer {
		t.Error("the upstream's span is not below the proxy's SERVER span")
	}
	if n := len(h.spans.Ended()); slices.Index(h.names(), "tools/call echo") < 0 || n > 8 {
		t.Errorf("got %q", h.names())
	}
	for _, point := range h.points(t, "mcp.client.operation.duration") {
		if a := attributes(point.Attributes.ToSlice()); a["mcp.method.name"] == "tools/call" {
			want(t, "the metric of what the proxy sent", a, "server.address", "upstream.invalid", "gen_ai.tool.name", "echo")
		}
	}
}

// TestWithSession checks for whom a server's calls are.
func TestWithSession(t *testing.T) {
	var got []string
	server := newServer()
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if s := toolkit.SessionFrom(ctx); method == "tools/call" && s != nil {
				got = append(got, s.Tenant+"/"+s.ID)
			} else if method == "tools/call" {
				got = append(got, "")
			}
			return next(ctx, method, req)
		}
	})
	toolmcp.Instrument(server, newTelemetry(t, toolscope.Options{}).Scope, toolmcp.Options{
		Session: func(r mcp.Request) *toolkit.Session {
			if who, ok := r.GetParams().GetMeta()["who"].(string); ok {
				return &toolkit.Session{Tenant: "t", ID: who}
			}
			return nil
		},
	})
	cs := dial(t, mcp.NewClient(&mcp.Implementation{Name: "test"}, nil), server, legacy)
	for _, m := range []mcp.Meta{{"who": "ada"}, nil} {
		if _, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo", Arguments: echoIn{"x"}, Meta: m}); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(got, []string{"t/ada", ""}) {
		t.Errorf("got %q", got)
	}
}
