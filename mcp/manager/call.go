// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope/mcp/toolmcp"
	"github.com/toolscope/toolscope/toolkit"
)

// Handle calls a tool: it is the manager as a [toolkit.Handler]. What the tool answers is the
// result, with a fault if it failed; so is an unknown name. An error says that no server
// answered: a [*ServerError], in a [*toolkit.Error] of kind timeout if it did not in time.
//
// Which server answered is the call's tag "mcp.target"; one that was asked before
// and failed is "mcp.failover".
func (m *Manager) Handle(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
	refuse := func(err error) (toolkit.Result, error) {
		call.Record.Note(func(s *toolkit.Disposition) { s.Outcome = toolkit.OutcomeRefused })
		return toolkit.Failure(err), nil
	}
	e := m.table.Load().entries[call.Name]
	if e == nil {
		return refuse(&toolkit.Error{Kind: toolkit.ErrUnknownTool, Tool: call.Name, Message: "use one of the tools listed"})
	}
	if ctx.Err() != nil { // cancelled while it waited
		return refuse(context.Cause(ctx))
	}
	args, ok := object(call.Arguments)
	if !ok {
		return refuse(&toolkit.Error{Kind: toolkit.ErrInvalidArguments, Tool: call.Name,
			Message: "got text that is no JSON object, want one"})
	}
	if !m.enter() {
		return toolkit.Result{}, ErrClosed
	}
	defer m.calls.Done()
	return m.ask(ctx, call, e, args)
}

// object is a call's arguments as the protocol wants them.
func object(args json.RawMessage) (json.RawMessage, bool) {
	args = bytes.TrimSpace(args)
	if len(args) == 0 {
		return json.RawMessage("{}"), true
	}
	return args, args[0] == '{' && json.Valid(args)
}

// maxAsked is how many connections a call is tried on at most.
const maxAsked = 8

// ask asks one server after the other, as long as that is safe.
func (m *Manager) ask(ctx context.Context, call toolkit.Call, e *entry, args json.RawMessage) (toolkit.Result, error) {
	var patience <-chan time.Time
	if wait := m.options.CallWait; wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		patience = timer.C
	}
	var asked []*connection
	var failed error
	may := true // whether the call may still run
	for {
		changed := m.watch()
		if t, c := e.choose(asked); c != nil && len(asked) < maxAsked {
			if failed != nil {
				call.Record.Tag("mcp.failover", asked[len(asked)-1].server)
			}
			asked = append(asked, c)
			res, sent, err := t.server.call(ctx, c, t, call, args)
			if err == nil {
				call.Record.Tag("mcp.target", t.server.conf.Name)
				return res, nil
			}
			failed = err
			if ctx.Err() != nil || sent && !repeatable(&t.def) {
				return toolkit.Result{}, failed
			}
			may = !sent
			continue
		}
		if failed != nil && !may || patience == nil || !e.coming(m.options.CallWait) {
			return toolkit.Result{}, m.unreachable(e, failed)
		}
		select {
		case <-changed:
		case <-patience:
			return toolkit.Result{}, m.unreachable(e, failed)
		case <-ctx.Done():
			return toolkit.Result{}, context.Cause(ctx)
		case <-m.life.Done():
			return toolkit.Result{}, ErrClosed
		}
	}
}

// repeatable reports whether a tool may run twice for one call.
func repeatable(def *toolkit.Definition) bool {
	return def.ReadOnly == toolkit.Yes || def.Idempotent == toolkit.Yes
}

// unreachable is the error of a call that no server took: the last failure, if there was
// one.
func (m *Manager) unreachable(e *entry, failed error) error {
	if failed != nil {
		return failed
	}
	if err := e.tools[0].server.problem(); err != nil {
		return err
	}
	return &ServerError{Server: e.tools[0].server.conf.Name, Err: errUnreachable}
}

// coming reports whether some server that has the tool may be connected within wait.
func (e *entry) coming(wait time.Duration) bool {
	return slices.ContainsFunc(e.tools, func(t *tool) bool { return t.server.coming(wait) })
}

// choose takes the connection to ask next, of those that were not asked; nil if there is
// none. The package comment has the rule.
func (e *entry) choose(asked []*connection) (*tool, *connection) {
	type candidate struct {
		tool    *tool
		conn    *connection
		rate    float64
		latency time.Duration
	}
	var list []candidate
	best := 0.0
	now := time.Now()
	for _, t := range e.tools {
		c := t.server.current()
		if c == nil || slices.Contains(asked, c) {
			continue
		}
		rate, latency := t.server.meter.standing(now)
		list = append(list, candidate{t, c, rate, latency})
		best = max(best, rate)
	}
	if len(list) == 0 {
		return nil, nil
	}
	const rounding = 1e-9
	list = slices.DeleteFunc(list, func(c candidate) bool { return best-c.rate > tolerance+rounding })
	first := slices.MinFunc(list, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.tool.server.conf.Priority, a.tool.server.conf.Priority), cmp.Compare(a.latency, b.latency))
	})
	return first.tool, first.conn
}

// maxTimeout is the longest timeout that a tool may ask for.
const maxTimeout = time.Hour

// call asks one server. sent says whether it may have got the request.
func (s *server) call(ctx context.Context, c *connection, t *tool, call toolkit.Call,
	args json.RawMessage) (_ toolkit.Result, sent bool, _ error) {
	limit := s.limit()
	if t.def.Timeout > 0 {
		limit = min(t.def.Timeout, maxTimeout)
	}
	bound, cancel := c.bind(ctx, limit)
	defer cancel()
	mark := new(sending)
	params := &mcp.CallToolParams{Name: t.name, Arguments: args}
	if s.m.options.OnProgress != nil {
		defer s.await(call, params)()
	}
	s.meter.begin()
	start := time.Now()
	ending := sick // a panic of the application's own middleware
	defer func() { s.meter.end(start, time.Now(), ending) }()
	out, err := c.session.CallTool(context.WithValue(toolmcp.PartOf(bound, t.name), sendingKey{}, mark), params)
	if err == nil {
		ending = well
		if out.IsError {
			ending = sick
		}
		return toolmcp.ResultOf(out), true, nil
	}
	ending = judge(bound, err)
	sent = mark.begun.Load() || s.conf.Transport != nil
	err = s.failure(bound, call.Name, sent, err)
	if ending == sick {
		s.noteOf(c, err)
		if answered(err) == nil {
			s.ask(lookIll)
		}
	}
	return toolkit.Result{}, sent, err
}
