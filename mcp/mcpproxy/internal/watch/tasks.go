// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"context"
	"strings"
	"sync"

	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/internal/keys"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/wire"
)

// tasks are the spans of calls that became tasks, so that requests about a task can be linked to the call. Ids are
// the server's. Safe for concurrent use.
type tasks struct {
	mu    sync.Mutex
	Calls map[string]trace.SpanContext
	order []string // oldest first
}

// MaxTasks bounds them; of more the oldest is forgotten.
const MaxTasks = 1024

// put remembers the span of the call that became a task. Ids that are too long are passed over.
func (t *tasks) put(id string, span trace.SpanContext) {
	if id == "" || len(id) > wire.MaxID || !span.IsValid() {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.Calls == nil {
		t.Calls = map[string]trace.SpanContext{}
	}
	if _, known := t.Calls[id]; !known {
		if len(t.order) >= MaxTasks {
			delete(t.Calls, t.order[0])
			t.order = append(t.order[:0], t.order[1:]...)
		}
		t.order = append(t.order, id)
	}
	t.Calls[id] = span
}

// links are those of a request about a task; none if its call is unknown.
func (t *tasks) links(id string) []trace.Link {
	t.mu.Lock()
	defer t.mu.Unlock()
	if span, ok := t.Calls[id]; ok {
		return []trace.Link{{SpanContext: span}}
	}
	return nil
}

// BecomesTask notes on a call that it became a task; "" for none. ctx is the call's.
func (o *Operation) BecomesTask(ctx context.Context, id string) {
	if id == "" {
		return
	}
	o.Extra = append(o.Extra, keys.Task.String(o.Engine.clean(id)))
	o.Engine.Tasks.put(id, trace.SpanContextFromContext(ctx))
}

// aboutTask is the task that a request is about; "" for none.
func aboutTask(method string, p *wire.Params) string {
	if !strings.HasPrefix(method, "tasks/") || len(p.TaskID) == 0 {
		return ""
	}
	return wire.Unquoted(string(p.TaskID))
}
