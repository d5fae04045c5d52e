// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"sync"

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
