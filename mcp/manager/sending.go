// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"sync/atomic"
)

// sending tells whether a request may have left this process. It travels in the context
// down to what writes.
type sending struct{ begun atomic.Bool }

type sendingKey struct{}

// begun tells that a request is about to leave.
func begun(ctx context.Context) {
	if s, ok := ctx.Value(sendingKey{}).(*sending); ok {
		s.begun.Store(true)
	}
}
