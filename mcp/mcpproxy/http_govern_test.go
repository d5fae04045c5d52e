// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope/internal/keys"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/watch"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
)

// A call that hangs is reported while it runs, whether policies govern it or not.
func TestHungCallsOverHTTP(t *testing.T) {
	pass := middleware.At(middleware.StagePermit, func(next toolkit.Handler) toolkit.Handler { return next })
	for name, policies := range map[string][]middleware.Policy{"watched": nil, "governed": {pass}} {
		t.Run(name, func(t *testing.T) {
			w := newWatched(t, Options{HungAfter: time.Millisecond}, policies...)
			told := make(chan struct{})
			address := before(t, w, http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
				<-told
				out.Header().Set("Content-Type", "application/json")
				_, _ = io.WriteString(out, `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`)
			}))
			ended := make(chan error, 1)
			go func() {
				resp, err := http.Post(address, "application/json", strings.NewReader(callBody))
				if err == nil {
					_, err = io.ReadAll(resp.Body)
					resp.Body.Close()
				}
				ended <- err
			}()
			for end := deadline(); w.report().Counts[string(watch.NoteHung)] == 0; time.Sleep(time.Millisecond) {
				if time.Now().After(end) {
					t.Fatal("no report that the call hangs")
				}
			}
			close(told)
			if err := <-ended; err != nil {
				t.Fatal(err)
			}
			if n := w.report().Counts[string(watch.NoteHung)]; n != 1 {
				t.Errorf("got %d, want it reported once", n)
			}
			if s := w.span("tools/call x"); has(s, keys.Hung) != "yes" {
				t.Errorf("got %v, want it on the span", s.Attributes())
			}
		})
	}
}

// Pinned tools are those that were accepted: a call of another one does not reach the server.
func TestPinnedTools(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	for i, tt := range []struct {
		tools  map[string]string // names and descriptions
		accept bool
		early  bool            // read may be called before there is a list
		want   map[string]bool // who may be called when there is one
	}{
		{tools: map[string]string{"read": "reads", "list": "lists"}, accept: true, want: map[string]bool{"read": true, "list": true}},
		{tools: map[string]string{
			"read": "reads, and sends away", "list": "lists", "new": "is new",
		}, early: true, want: map[string]bool{"read": false, "list": true, "new": false}},
		{tools: map[string]string{"read": "reads", "list": "lists"}, early: true, want: map[string]bool{"read": true, "list": true}},
		{tools: map[string]string{"read": "reads, and sends away"}, accept: true, early: true, want: map[string]bool{"read": true}},
		{tools: map[string]string{"read": "reads"}, early: true, want: map[string]bool{"read": false}},
	} {
		baseline, err := OpenBaseline(dir, "files")
		if err != nil {
			t.Fatal(err)
		}
		w := newWatched(t, Options{Baseline: baseline, AcceptTools: tt.accept, PinTools: true})
		s := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
		reached := map[string]bool{}
		for name, description := range tt.tools {
			mcp.AddTool(
				s,
				&mcp.Tool{Name: name, Description: description},
				func(context.Context, *mcp.CallToolRequest, map[string]any) (*mcp.CallToolResult, any, error) {
					reached[name] = true
					return &mcp.CallToolResult{}, nil, nil
				},
			)
		}
		transport := transports["streamable"]
		session, err := mcp.NewClient(&mcp.Implementation{Name: "c"}, nil).
			Connect(t.Context(), transport.dial(before(t, w, transport.handler(s)), nil), nil)
		if err != nil {
			t.Fatal(err)
		}
		if res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "read"}); err != nil || res.IsError == tt.early ||
			reached["read"] != tt.early {
			t.Errorf("connection %d: before a list got %+v and %v, want it called: %t", i, res, err, tt.early)
		}
		clear(reached)
		for range 2 {
			list, err := session.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			for name, want := range tt.want {
				if shown := slices.ContainsFunc(list.Tools, func(t *mcp.Tool) bool { return t.Name == name }); shown != want {
					t.Errorf("connection %d: %s is shown: %t, want %t", i, name, shown, want)
				}
			}
			for name, want := range tt.want {
				res, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: name})
				if err != nil || res.IsError == want || reached[name] != want {
					t.Errorf("connection %d, %s: got %+v and %v, want it called: %t", i, name, res, err, want)
				}
				if err == nil && res.IsError &&
					!strings.Contains(fmt.Sprint(res.Content[0].(*mcp.TextContent).Text), "not what was accepted") {
					t.Errorf("got %v", res.Content[0])
				}
			}
		}
		_ = session.Close()
		// What one connection saw holds for others: a client may list here and call there.
		other, err := mcp.NewClient(&mcp.Implementation{Name: "c"}, nil).
			Connect(t.Context(), transport.dial(before(t, w, transport.handler(s)), nil), nil)
		if err != nil {
			t.Fatal(err)
		}
		if res, err := other.CallTool(t.Context(), &mcp.CallToolParams{Name: "read"}); err != nil ||
			res.IsError == tt.want["read"] {
			t.Errorf("connection %d, another's call: got %+v and %v, want it called: %t", i, res, err, tt.want["read"])
		}
		_ = other.Close()
		w.settle()
		refused := map[string]int{}
		for _, span := range w.spans.Ended() {
			if name, ok := strings.CutPrefix(span.Name(), "tools/call "); ok && has(span, "toolscope.outcome") == "refused" &&
				has(span, keys.ErrorType) == "permission_denied" {
				refused[name]++
			}
		}
		for name, want := range tt.want {
			if !want && refused[name] < 2 {
				t.Errorf("connection %d, %s: got %d refusals on spans, want 2", i, name, refused[name])
			}
		}
	}
}
