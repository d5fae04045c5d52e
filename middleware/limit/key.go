// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"context"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/internal/owner"
	"github.com/toolscope/toolscope/toolkit"
)

// An id names a gate or a window: a tool by name, or a key with its tenant.
type id struct{ tenant, name string }

// keyFunc is how calls are keyed; the id without a name belongs to no call. A host's function that
// panics has keyed nothing, and the call counts against its session.
func keyFunc(f func(context.Context, toolkit.Call) string) func(context.Context, toolkit.Call) id {
	if f == nil {
		return sessionKey
	}
	return func(ctx context.Context, call toolkit.Call) (key id) {
		defer func() {
			if recover() != nil {
				call.Record.Tag("limit.key", "panicked")
				key = sessionKey(ctx, call)
			}
		}()
		return id{name: f(ctx, call)}
	}
}

func sessionKey(ctx context.Context, _ toolkit.Call) id {
	owner, ok := owner.ForSession(toolkit.SessionFrom(ctx), middleware.PerSession)
	if !ok {
		return id{}
	}
	return id{owner.Tenant, owner.Session}
}
