// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp_test

import (
	"context"
	"fmt"
	"log"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/mcp/toolmcp"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/cache"
	"github.com/toolscope/toolscope/toolkit"
)

// newCounting has a tool that may be stored, and counts its runs.
func newCounting() (*mcp.Server, *atomic.Int64) {
	var runs atomic.Int64
	server := mcp.NewServer(&mcp.Implementation{Name: "test"}, nil)
	mcp.AddTool(
		server,
		&mcp.Tool{Name: "count", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true}},
		func(context.Context, *mcp.CallToolRequest, any) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprint(runs.Add(1))}}}, nil, nil
		},
	)
	return server, &runs
}

func newCache(t *testing.T, share ...middleware.Sharing) middleware.Policy {
	t.Helper()
	var o cache.Options
	if len(share) > 0 {
		o.Share = share[0]
	}
	p, err := cache.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// toldErrors collects what OpenTelemetry's error handler gets until the test ends.
func toldErrors(t *testing.T) func() []string {
	t.Helper()
	var mu sync.Mutex
	var told []string
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, err.Error())
	}))
	t.Cleanup(func() { otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Print(err) })) })
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return append([]string(nil), told...)
	}
}

// TestWhoseCallsAre checks, without [toolmcp.Options].Session, that a connection's calls belong
// together by each revision and to no one else's; and that those over HTTP without the
// protocol's sessions are no one's, which is reported once where a policy misses it.
func TestWhoseCallsAre(t *testing.T) {
	acme := toolmcp.Options{Tenant: "acme"}
	noSession := toolmcp.Options{Session: func(mcp.Request) *toolkit.Session { return nil }}
	for _, c := range []struct {
		name     string
		connect  connecting
		revision string
		options  toolmcp.Options
		policy   middleware.Policy
		runs     int64 // of three calls on each of two connections
		told     int
	}{
		{"memory", dial, legacy, toolmcp.Options{}, newCache(t), 2, 0},
		{"memory without a session", dial, stateless, toolmcp.Options{}, newCache(t), 2, 0},
		{"memory, no one's", dial, stateless, noSession, newCache(t), 6, 0},
		{"http", dialHTTP, legacy, toolmcp.Options{}, newCache(t), 2, 0},
		{"http without a session", dialHTTP, stateless, toolmcp.Options{}, newCache(t), 6, 1},
		{"memory, a tenant", dial, legacy, acme, newCache(t, middleware.PerTenant), 1, 0},
		{"http without a session, a tenant", dialHTTP, stateless, acme, newCache(t, middleware.PerTenant), 1, 0},
		{"http without a session, a tenant's answers are a session's", dialHTTP, stateless, acme, newCache(t), 6, 1},
		{"http, no one's", dialHTTP, stateless, noSession, newCache(t), 6, 0},
		{"http, no policy that remembers", dialHTTP, stateless, toolmcp.Options{}, deny("another"), 6, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			told := toldErrors(t)
			server, runs := newCounting()
			toolmcp.Instrument(
				server,
				newTelemetry(t, toolscope.Options{Policies: []middleware.Policy{c.policy}}).Scope,
				c.options,
			)
			for range 2 {
				cs := c.connect(t, mcp.NewClient(&mcp.Implementation{Name: "test"}, nil), server, c.revision)
				for range 3 {
					if res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "count"}); err != nil || res.IsError {
						t.Fatalf("got %+v and %v", res, err)
					}
				}
			}
			if n := runs.Load(); n != c.runs {
				t.Errorf("the tool ran %d times, want %d", n, c.runs)
			}
			list := told()
			if len(list) != c.told ||
				c.told > 0 && (!strings.Contains(list[0], `"cache"`) || !strings.Contains(list[0], "toolmcp.Options.Session")) {
				t.Errorf("got told %q, want %d", list, c.told)
			}
		})
	}
}

// TestSessionFunctionPanics checks that a call for no one knows whom fails and reaches no
// tool, that the next one works, and that [toolmcp.Options].NoRecover lets the panic go on.
func TestSessionFunctionPanics(t *testing.T) {
	options := toolmcp.Options{Session: func(r mcp.Request) *toolkit.Session {
		return &toolkit.Session{ID: r.GetParams().GetMeta()["who"].(string)} // as hosts write it
	}}
	for _, revision := range []string{legacy, stateless} {
		s := newTelemetry(t, toolscope.Options{})
		server, runs := newCounting()
		cs := connectWith(t, server, nil, s, revision, options)
		res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "count"})
		if err != nil || !res.IsError || runs.Load() != 0 {
			t.Fatalf("got %+v and %v after %d runs, want a failed result and none", res, err, runs.Load())
		}
		if text := res.Content[0].(*mcp.TextContent).Text; strings.Contains(text, "interface conversion") {
			t.Errorf("got %q, want nothing of the panic's value", text)
		}
		want(
			t,
			revision,
			attributes(s.span(t, "tools/call count").Attributes()),
			"error.type",
			"panic",
			"mcp.protocol.version",
			revision,
		)
		if res, err = cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "count", Meta: mcp.Meta{"who": "ada"}}); err != nil ||
			res.IsError ||
			runs.Load() != 1 {
			t.Errorf("got %+v and %v after %d runs, want the tool's answer", res, err, runs.Load())
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("NoRecover: the panic did not go on")
		}
	}()
	options.NoRecover = true
	handler := toolmcp.Server(
		newTelemetry(t, toolscope.Options{}).Scope,
		options,
	)(
		func(context.Context, string, mcp.Request) (mcp.Result, error) { return nil, nil },
	)
	_, _ = handler(
		t.Context(),
		"tools/call",
		&mcp.CallToolRequest{Session: new(mcp.ServerSession), Params: &mcp.CallToolParamsRaw{Name: "x"}},
	)
}
