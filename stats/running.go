// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"cmp"
	"context"
	"encoding/hex"
	"slices"
	"sync"
	"time"

	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/toolkit"
)

// The bounds of what is known of running calls.
const (
	maxRunning          = 1000    // calls that are tracked one by one
	maxRunningArguments = 4 << 10 // bytes of arguments shown
)

// A Running knows which calls run at this moment and since when: an observer beside
// the [Recorder], for those who want to see a call that hangs before it ends.
//
//	running := stats.NewRunning(nil)
//	scope, err := toolscope.New(toolscope.Options{
//		Observers: []toolkit.Observer{running}, HTTP: statshttp.Options{Running: running}})
//
// A call costs one allocation and a short lock at each of its ends. Arguments are
// neither copied nor read until a reader asks; then they are redacted. At most
// 1000 calls are tracked one by one; further calls are only counted. It is safe for
// concurrent use.
type Running struct {
	redactor *redact.Redactor
	names    *toolNames

	mu    sync.Mutex
	calls map[uint64]*runningContext
	last  uint64
	more  int // running calls that are only counted
}

var _ toolkit.Observer = (*Running)(nil)

// NewRunning makes an observer that knows of no call yet. The redactor is what
// arguments, sessions and agents pass; nil is [redact.Default].
func NewRunning(redactor *redact.Redactor) *Running {
	if redactor == nil {
		redactor = redact.Default()
	}
	return &Running{redactor: redactor, names: newToolNames(redactor), calls: make(map[uint64]*runningContext)}
}

// A RunningCall is a call that has begun and not ended.
type RunningCall struct {
	// ID counts calls from 1 in the order in which they began. It is not that of the
	// [RecentCall] which it becomes.
	ID        uint64    `json:"id"`
	Tool      string    `json:"tool"`                // name of the tool
	Start     time.Time `json:"start"`               // when the call began
	RunningMs float64   `json:"running_ms"`          // time since the call began, when the answer was made
	Arguments string    `json:"arguments,omitempty"` // redacted arguments, at most 4 KiB
	BytesIn   int       `json:"bytes_in"`            // size of the arguments in bytes
	Session   string    `json:"session,omitempty"`   // session id
	Agent     string    `json:"agent,omitempty"`     // name of the agent
	TraceID   string    `json:"trace_id,omitempty"`  // trace id, 32 hexadecimal digits
	SpanID    string    `json:"span_id,omitempty"`   // span id, 16 hexadecimal digits
}

// runningContext is a call's context, in which the observer finds the call again
// when it ends. What is known of the call stands in it, so that both cost one
// allocation.
type runningContext struct {
	context.Context
	id        uint64 // 0 if the call is only counted
	tool      *toolkit.Definition
	session   *toolkit.Session
	span      toolkit.SpanRef
	start     time.Time
	arguments []byte // the call's, which are never written to
}

// Begin notes the call.
func (r *Running) Begin(ctx context.Context, call toolkit.Call, f *toolkit.CallInfo) context.Context {
	c := &runningContext{Context: ctx, tool: f.Tool, session: f.Session, span: f.Span, start: f.Start, arguments: call.Arguments}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.calls) >= maxRunning {
		r.more++
		return c
	}
	r.last++
	c.id = r.last
	r.calls[c.id] = c
	return c
}

// Wants is false: what a call has at its end is of no interest here.
func (r *Running) Wants(context.Context) bool { return false }

// End forgets the call.
func (r *Running) End(ctx context.Context, _ *toolkit.Ended) {
	c, ok := ctx.(*runningContext) // as Begin returned it
	if !ok {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if c.id == 0 {
		r.more--
		return
	}
	delete(r.calls, c.id)
}

// Calls are the calls that run now, the one that has been running for longest first,
// and how many run beyond the 1000 that are tracked one by one. A nil *Running knows of none.
func (r *Running) Calls(now time.Time) (calls []RunningCall, more int) {
	if r == nil {
		return nil, 0
	}
	r.mu.Lock()
	running := make([]*runningContext, 0, len(r.calls))
	for _, c := range r.calls {
		running = append(running, c) // never written to again
	}
	more = r.more
	r.mu.Unlock()
	slices.SortFunc(running, func(a, b *runningContext) int { return cmp.Or(a.start.Compare(b.start), cmp.Compare(a.id, b.id)) })
	calls = make([]RunningCall, len(running))
	for i, c := range running {
		calls[i] = r.view(c, now)
	}
	return calls, more
}

// view is what may be seen of a call.
func (r *Running) view(c *runningContext, now time.Time) RunningCall {
	x := RunningCall{
		ID: c.id, Tool: UnknownTool, Start: c.start.UTC(), RunningMs: ms(max(0, now.Sub(c.start))), BytesIn: len(c.arguments),
	}
	redactor := r.redactor
	if c.tool != nil {
		x.Tool = r.names.shownAs(c.tool.Name)
		redactor = redactor.ForTool(c.tool.Name)
	}
	if len(c.arguments) > 0 {
		clean, _ := redactor.JSONMax(c.arguments, maxRunningArguments)
		x.Arguments = string(clean)
	}
	if s := c.session; s != nil {
		x.Session, _ = r.redactor.TextMax(cmp.Or(s.ID, s.Conversation), maxNameText)
		x.Agent, _ = r.redactor.TextMax(s.Agent, maxNameText)
	}
	if c.span.IsValid() {
		x.TraceID, x.SpanID = hex.EncodeToString(c.span.TraceID[:]), hex.EncodeToString(c.span.SpanID[:])
	}
	return x
}
