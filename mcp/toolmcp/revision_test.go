// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp_test

import (
	"context"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/internal/revision"
	"github.com/toolscope/toolscope/mcp/toolmcp"
)

// withSession is a transport whose connections have a session id, whatever the revision.
type withSession struct{ mcp.Transport }

func (t withSession) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := t.Transport.Connect(ctx)
	return connectionWithSession{c}, err
}

type connectionWithSession struct{ mcp.Connection }

func (connectionWithSession) SessionID() string { return "a-session" }

// Revision 2026-07-28 has no sessions: a transport's id is on no span of it, on those of earlier ones it is.
func TestSessionIDByRevision(t *testing.T) {
	for revision, id := range map[string]string{legacy: "a-session", stateless: ""} {
		c, s := newTelemetry(t, toolscope.Options{}), newTelemetry(t, toolscope.Options{})
		server, client := newServer(), mcp.NewClient(&mcp.Implementation{Name: "test"}, nil)
		toolmcp.Instrument(client, c.Scope, toolmcp.Options{})
		toolmcp.Instrument(server, s.Scope, toolmcp.Options{})
		ours, theirs := mcp.NewInMemoryTransports()
		ss, err := server.Connect(t.Context(), withSession{theirs}, nil)
		if err != nil {
			t.Fatal(err)
		}
		cs, err := client.Connect(t.Context(), withSession{ours}, &mcp.ClientSessionOptions{ProtocolVersion: revision})
		if err != nil {
			t.Fatal(err)
		}
		list(t, cs)
		if _, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo", Arguments: echoIn{"x"}}); err != nil {
			t.Fatal(err)
		}
		if err := cs.Close(); err != nil {
			t.Fatal(err)
		}
		_ = ss.Wait()
		names := []string{"tools/list", "tools/call echo"}
		if revision == stateless {
			names = append(names, "server/discover")
		}
		for _, h := range []*telemetry{c, s} {
			for _, name := range names {
				want(
					t,
					revision+" "+name,
					attributes(h.span(t, name).Attributes()),
					"mcp.session.id",
					id,
					"mcp.protocol.version",
					revision,
				)
			}
		}
	}
}

// The revisions that the SDK supports are those that package revision knows.
func TestRevisionsAreThoseOfTheSDK(t *testing.T) {
	for _, name := range mcp.SupportedProtocolVersions() {
		if revision.Parse(name) == revision.Unknown {
			t.Errorf("%s: the SDK supports it, package revision does not", name)
		}
	}
	if got, want := len(mcp.SupportedProtocolVersions()), int(revision.Newest); got != want {
		t.Errorf("the SDK supports %d revisions, package revision knows %d", got, want)
	}
}
