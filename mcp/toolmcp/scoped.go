// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp

import (
	"context"
	"crypto/rand"
	"fmt"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel"

	"github.com/toolscope/toolscope/toolkit"
)

// inSession says for whom a tool is called. A fault says why that is unknown: then the call
// must not run, since a policy that bounds what a caller may do would not see it.
func (w *watcher) inSession(ctx context.Context, req mcp.Request, known *session) (_ context.Context, fault error) {
	if w.session != nil {
		s, fault := w.ask(req)
		if s != nil {
			ctx = toolkit.WithSession(ctx, *s)
		}
		return ctx, fault
	}
	if toolkit.SessionFrom(ctx) != nil {
		return ctx, nil
	}
	if id := w.sessionID(req, known); id != "" || w.tenant != "" {
		ctx = toolkit.WithSession(ctx, toolkit.Session{ID: id, Tenant: w.tenant})
	}
	return ctx, nil
}

// ask calls the application's function.
func (w *watcher) ask(req mcp.Request) (s *toolkit.Session, fault error) {
	if !w.noRecover {
		defer func() {
			if v := recover(); v != nil {
				fault = &toolkit.PanicError{Value: v, Stack: debug.Stack()}
			}
		}()
	}
	return w.session(req), nil
}

// sessionID is the id of the protocol's session, or one made up for a connection that has
// none: its end is its peer's, by each revision. Over HTTP what the SDK calls a session is
// then one request, and there is none.
func (w *watcher) sessionID(req mcp.Request, known *session) string {
	if known != nil {
		return known.id
	}
	s := req.GetSession()
	if id := s.ID(); id != "" {
		return id
	}
	extra := req.GetExtra()
	peer, ok := s.(waiting)
	if !ok || extra != nil && extra.Header != nil {
		return ""
	}
	return w.remember(peer, &session{id: rand.Text()}).id
}

// tellUnscoped tells once that a policy could not do its work for a call since that has no
// session. It asks the call's tags, by which policies say so.
func (w *watcher) tellUnscoped(e *toolkit.Ended) {
	if !w.server || w.session != nil || e.Info.Session != nil && e.Info.Session.ID != "" {
		return
	}
	for _, t := range e.Disposition.Tags {
		if t.Value == "unscoped" && w.unscoped.CompareAndSwap(false, true) {
			otel.Handle(
				fmt.Errorf(
					"toolmcp: got a tools/call without a session, so that the policy %q cannot tell for whom it is: want "+
						"toolmcp.Options.Session to say so",
					t.Key,
				),
			)
		}
	}
}
