// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp

import (
	"context"
	"hash/maphash"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/internal/spans"
	"github.com/toolscope/toolscope/internal/uncounted"
	"github.com/toolscope/toolscope/toolkit"
)

// From the revision without sessions on, a tool may answer with requests for input (input_required), and the client
// makes the call again with what it got, and the state that the server gave. Each round is a request with a span of
// its own; those after the first are linked to it. All rounds are one call in statistics and in the metrics of
// calls, which is counted when a round ends that asks for nothing more, or when no client can carry it on any more.

// rounds are the calls that wait for their next round, oldest first. Safe for concurrent use.
type rounds struct {
	mu    sync.Mutex
	calls []*round
}

// round is a call whose latest round has asked for input. It is not counted yet.
type round struct {
	key       roundKey
	first     toolkit.SpanRef // the first round's span
	number    int             // of the latest round, from 1
	ended     toolkit.Ended   // how that ended
	elsewhere bool            // whether the statistics count the call where it was sent
	timer     *time.Timer
}

// roundKey tells the next round of a call from other calls.
type roundKey struct {
	session          mcp.Session // nil for requests over HTTP that belong to no session
	tool             string
	arguments, state uint64 // hashes
}

// The bounds of what waits.
const (
	maxRounds  = 1024
	roundsWait = time.Hour
)

var roundSeed = maphash.MakeSeed()

func (x *exchange) roundKey(args []byte, state string) roundKey {
	key := roundKey{tool: x.name, arguments: maphash.Bytes(roundSeed, args), state: maphash.String(roundSeed, state)}
	if !x.watcher.server || !x.request.http {
		key.session = x.req.GetSession()
	}
	return key
}

// putRound keeps a call until its next round; the oldest of too many are returned, to be counted.
func (r *rounds) putRound(n *round, late func()) (over []*round) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if extra := len(r.calls) + 1 - maxRounds; extra > 0 {
		over = slices.Clone(r.calls[:extra])
		r.calls = slices.Delete(r.calls, 0, extra)
	}
	n.timer = time.AfterFunc(roundsWait, late)
	r.calls = append(r.calls, n)
	return over
}

// takeRound is the call that a request carries on; nil if it begins one.
func (r *rounds) takeRound(key roundKey) *round {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.calls, func(n *round) bool { return n.key == key })
	if i < 0 {
		return nil
	}
	n := r.calls[i]
	r.calls = slices.Delete(r.calls, i, i+1)
	n.timer.Stop()
	return n
}

// remove takes out a call, and reports whether it still waited.
func (r *rounds) remove(n *round) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.Index(r.calls, n)
	if i >= 0 {
		r.calls = slices.Delete(r.calls, i, i+1)
	}
	return i >= 0
}

// takeSession takes out the calls of a session.
func (r *rounds) takeSession(s mcp.Session) (ended []*round) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = slices.DeleteFunc(r.calls, func(n *round) bool {
		if n.key.session == s {
			ended = append(ended, n)
			return true
		}
		return false
	})
	return ended
}

// mayHaveRounds prepares an exchange to be one round of a call. state and responses are what its request carries.
// Requests of revisions without rounds cost nothing.
func (x *exchange) mayHaveRounds(
	ctx context.Context, args []byte, state string, responses mcp.InputResponseMap,
) context.Context {
	if !x.request.version.HasRounds() {
		return ctx
	}
	x.rounds = true
	if state != "" || len(responses) > 0 {
		x.prior = x.watcher.rounds.takeRound(x.roundKey(args, state))
	}
	if x.watcher.scope.Stats() == nil || x.elsewhere {
		return ctx
	}
	return uncounted.With(ctx, &uncounted.Call{Skip: x.uncounted})
}

// spanSpec completes the spec of the exchange's span.
func (x *exchange) spanSpec(spec *spans.Spec) *spans.Spec {
	if !x.rounds {
		return spec
	}
	spec.Uncounted = x.uncounted
	if n := x.prior; n != nil {
		spec.Continues = true
		if n.first.IsValid() {
			first := trace.SpanContextConfig{TraceID: n.first.TraceID, SpanID: n.first.SpanID}
			if n.first.Sampled {
				first.TraceFlags = trace.FlagsSampled
			}
			spec.Links = append(spec.Links, trace.Link{SpanContext: trace.NewSpanContext(first)})
		}
	}
	return spec
}

// uncounted keeps a round that is suspended, instead of counting it. Each observer that counts asks.
func (x *exchange) uncounted(e *toolkit.Ended) bool {
	if !e.Result.Suspended {
		return false
	}
	if x.kept == nil {
		kept := *e
		kept.Call.Arguments, kept.Result = nil, toolkit.Result{Suspended: true}
		kept.Disposition.Tags = slices.Clone(e.Disposition.Tags)
		x.kept = &kept
	}
	return true
}

// endRound has a call that was not counted wait for its next round if there can be one, and counts it if not.
func (x *exchange) endRound(args []byte, r reply) {
	if x.kept == nil {
		return
	}
	w := x.watcher
	n := &round{ended: *x.kept, first: x.kept.Info.Span, number: 1, elsewhere: x.elsewhere}
	if x.prior != nil {
		n.first, n.number = x.prior.first, x.prior.number+1
	}
	if !suspended(r.res) {
		w.count(n)
		return
	}
	n.key = x.roundKey(args, r.res.RequestState)
	if n.key.session == nil && r.res.RequestState == "" { // nothing tells whose next round it is
		w.count(n)
		return
	}
	for _, over := range w.rounds.putRound(n, func() { w.countLate(n) }) {
		over.timer.Stop()
		w.count(over)
	}
}

func (w *watcher) countLate(n *round) {
	if w.rounds.remove(n) {
		w.count(n)
	}
}

// endRounds counts the calls of a session that has ended.
func (w *watcher) endRounds(s mcp.Session) {
	for _, n := range w.rounds.takeSession(s) {
		n.timer.Stop()
		w.count(n)
	}
}

// count counts a call that asked for input and got none.
func (w *watcher) count(n *round) {
	ctx, e := context.Background(), &n.ended
	took := e.Duration()
	e.End = time.Now()
	e.Start = e.End.Add(-took)
	if recorder := w.scope.Stats(); recorder != nil && !n.elsewhere {
		recorder.End(recorder.Begin(ctx, e.Call, &e.Info), e)
	}
	if w.observer != nil {
		w.observer.Protocol().RecordCall(ctx, w.callSpec(), e)
	}
}

// suspended reports whether a result asks for input.
func suspended(r *mcp.CallToolResult) bool {
	return r != nil && (r.NeedsInput() || r.InputRequests != nil)
}
