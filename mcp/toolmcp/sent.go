// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"weak"

	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/internal/uncounted"
)

// sentCalls are the calls that the clients of one scope have sent and that wait for their answers. A process may
// have both ends of a connection, watched by that scope. Its statistics then count a call where it is made: the
// end that handles the call finds it here by the span that came with it. Safe for concurrent use.
type sentCalls struct {
	handled atomic.Bool // whether the scope has a server: without one, calls are not noted
	bySpan  sync.Map    // spanID to *atomic.Int64, how many requests wait whose parent is that span
}

type spanID struct {
	trace trace.TraceID
	span  trace.SpanID
}

// sentByScope are the sentCalls of the scopes that are alive.
var sentByScope = struct {
	sync.Mutex
	calls map[weak.Pointer[toolscope.Scope]]*sentCalls
}{calls: map[weak.Pointer[toolscope.Scope]]*sentCalls{}}

// sentCallsOf are those of a scope.
func sentCallsOf(scope *toolscope.Scope) *sentCalls {
	sentByScope.Lock()
	defer sentByScope.Unlock()
	key := weak.Make(scope)
	calls := sentByScope.calls[key]
	if calls == nil {
		calls = new(sentCalls)
		sentByScope.calls[key] = calls
		runtime.AddCleanup(scope, func(key weak.Pointer[toolscope.Scope]) {
			sentByScope.Lock()
			defer sentByScope.Unlock()
			delete(sentByScope.calls, key)
		}, key)
	}
	return calls
}

// noteRequest notes a request that is sent with the context until remove is called with what it returned; nil where
// nothing is noted.
func (s *sentCalls) noteRequest(ctx context.Context) (noted *spanID) {
	sc := trace.SpanContextFromContext(ctx)
	if !s.handled.Load() || !sc.IsValid() {
		return nil
	}
	id := spanID{sc.TraceID(), sc.SpanID()}
	waiting, _ := s.bySpan.LoadOrStore(id, new(atomic.Int64))
	waiting.(*atomic.Int64).Add(1)
	return &id
}

func (s *sentCalls) removeRequest(noted *spanID) {
	if noted == nil {
		return
	}
	if waiting, ok := s.bySpan.Load(*noted); ok && waiting.(*atomic.Int64).Add(-1) <= 0 {
		s.bySpan.CompareAndDelete(*noted, waiting)
	}
}

// uncounted is the context of a call that came with it, left out of the statistics if a client of the same scope
// counts it: then elsewhere is true.
func (s *sentCalls) uncounted(ctx context.Context) (_ context.Context, elsewhere bool) {
	sc := trace.SpanContextFromContext(ctx)
	if !sc.IsRemote() {
		return ctx, false
	}
	if _, ok := s.bySpan.Load(spanID{sc.TraceID(), sc.SpanID()}); !ok {
		return ctx, false
	}
	return uncounted.With(ctx, new(uncounted.Call)), true
}
