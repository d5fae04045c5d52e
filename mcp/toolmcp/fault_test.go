// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/codes"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/mcp/toolmcp"
)

// waiting has a tool that runs until it is released, or its call ends.
type waiting struct {
	*mcp.Server
	runs             atomic.Int64
	running, release chan struct{}
}

func newWaiting() *waiting {
	s := &waiting{
		Server:  mcp.NewServer(&mcp.Implementation{Name: "test"}, nil),
		running: make(chan struct{}, 8),
		release: make(chan struct{}),
	}
	mcp.AddTool(
		s.Server,
		&mcp.Tool{Name: "waits"},
		func(ctx context.Context, _ *mcp.CallToolRequest, _ any) (*mcp.CallToolResult, any, error) {
			s.runs.Add(1)
			s.running <- struct{}{}
			select {
			case <-s.release:
			case <-ctx.Done():
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done"}}}, nil, ctx.Err()
		},
	)
	return s
}

// TestAnIDThatIsInUse sends a request under the id of one that still runs: the tool runs once,
// is answered once, and the connection goes on, as it does bare.
func TestAnIDThatIsInUse(t *testing.T) {
	for _, revision := range []string{legacy, stateless} {
		for _, watched := range []bool{false, true} {
			t.Run(fmt.Sprint(revision, watched), func(t *testing.T) {
				server, s := newWaiting(), newTelemetry(t, toolscope.Options{})
				if watched {
					toolmcp.Instrument(server.Server, s.Scope, toolmcp.Options{})
				}
				transport, w := pipes(t)
				ctx, cancel := context.WithCancel(t.Context())
				ended := make(chan error, 1)
				go func() { ended <- server.Run(ctx, transport) }()
				defer func() { cancel(); <-ended }()
				meta := `"_meta":{` + envelope + `}`
				if revision == legacy {
					w.send(handshake)
					w.answer(-1)
					w.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
					meta = `"_meta":{}`
				}
				call := `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"waits","arguments":{},` + meta + `}}`
				list := func(id int) {
					t.Helper()
					w.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/list","params":{%s}}`, id, meta))
					if line := w.receive(); !strings.Contains(line, fmt.Sprintf(`"id":%d`, id)) ||
						!strings.Contains(line, `"waits"`) {
						t.Fatalf("got %.300s, want the list", line)
					}
				}
				w.send(call)
				<-server.running
				w.send(call)
				list(6)
				close(server.release)
				if line := w.receive(); !strings.Contains(line, `"id":5`) || !strings.Contains(line, `"done"`) {
					t.Fatalf("got %.300s, want the tool's answer", line)
				}
				list(7)
				if n := server.runs.Load(); n != 1 {
					t.Errorf("the tool ran %d times, want once", n)
				}
				if watched {
					want(t, "span", attributes(s.span(t, "tools/call waits").Attributes()), "error.type", "")
				}
			})
		}
	}
}

// TestAConnectionThatIsCut checks that both sides' spans of a call end with an error where the
// connection is lost while it runs, and that no one hangs. That nothing is left is
// checked when the tests end.
func TestAConnectionThatIsCut(t *testing.T) {
	for _, revision := range []string{legacy, stateless} {
		t.Run(revision, func(t *testing.T) {
			server, c, s := newWaiting(), newTelemetry(t, toolscope.Options{}), newTelemetry(t, toolscope.Options{})
			client := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil)
			toolmcp.Instrument(client, c.Scope, toolmcp.Options{})
			toolmcp.Instrument(server.Server, s.Scope, toolmcp.Options{})
			ours, theirs := net.Pipe()
			ss, err := server.Connect(context.Background(), &mcp.IOTransport{Reader: theirs, Writer: theirs}, nil)
			if err != nil {
				t.Fatal(err)
			}
			cs, err := client.Connect(
				context.Background(),
				&mcp.IOTransport{Reader: ours, Writer: ours},
				&mcp.ClientSessionOptions{ProtocolVersion: revision},
			)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := cs.ListTools(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			go func() {
				<-server.running
				_ = ours.Close()
				_ = theirs.Close()
			}()
			if res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "waits"}); err == nil {
				t.Fatalf("got %+v, want an error", res)
			}
			_ = ss.Wait()
			_ = cs.Wait()
			for side, h := range map[string]*telemetry{"client": c, "server": s} {
				span := h.span(t, "tools/call waits")
				if kind := attributes(span.Attributes())["error.type"]; kind == "" || span.Status().Code != codes.Error {
					t.Errorf("%s: got the error.type %q and %v, want an error", side, kind, span.Status())
				}
			}
		})
	}
}
