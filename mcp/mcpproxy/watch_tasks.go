// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"context"
	"strings"
	"sync"

	"github.com/toolscope/toolscope/internal/keys"

	"go.opentelemetry.io/otel/trace"
)

// tasks are the spans of calls that became tasks, so that requests about a task can be linked to the call. Ids are
// the server's. Safe for concurrent use.
type tasks struct {
	mu    sync.Mutex
	calls map[string]trace.SpanContext
	order []string // oldest first
}

// maxTasks bounds them; of more the oldest is forgotten.
const maxTasks = 1024

// put remembers the span of the call that became a task. Ids that are too long are passed over.
func (t *tasks) put(id string, span trace.SpanContext) {
	if id == "" || len(id) > maxID || !span.IsValid() {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.calls == nil {
		t.calls = map[string]trace.SpanContext{}
	}
	if _, known := t.calls[id]; !known {
		if len(t.order) >= maxTasks {
			delete(t.calls, t.order[0])
			t.order = append(t.order[:0], t.order[1:]...)
		}
		t.order = append(t.order, id)
	}
	t.calls[id] = span
}

// links are those of a request about a task; none if its call is unknown.
func (t *tasks) links(id string) []trace.Link {
	t.mu.Lock()
	defer t.mu.Unlock()
	if span, ok := t.calls[id]; ok {
		return []trace.Link{{SpanContext: span}}
	}
	return nil
}

// becomesTask notes on a call that it became a task; "" for none. ctx is the call's.
func (o *operation) becomesTask(ctx context.Context, id string) {
	if id == "" {
		return
	}
	o.extra = append(o.extra, keys.Task.String(o.w.clean(id)))
	o.w.tasks.put(id, trace.SpanContextFromContext(ctx))
}

// aboutTask is the task that a request is about; "" for none.
func aboutTask(method string, p *params) string {
	if !strings.HasPrefix(method, "tasks/") || len(p.TaskID) == 0 {
		return ""
	}
	return unquoted(string(p.TaskID))
}
