// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package handoff

import (
	"context"

	"github.com/toolscope/toolscope/toolkit"
)

// A Reserver reserves budget for one more attempt of a call; false if not enough is left. It takes back
// what was reserved and not run when the call has ended.
type Reserver interface{ Reserve() bool }

// WithReserver returns ctx for a call whose attempts beyond the first have to be reserved: a policy that
// runs the call again asks [Reserve] before each attempt.
func WithReserver(ctx context.Context, call toolkit.Call, r Reserver) context.Context {
	return &reserving{ctx, call.Record, r}
}

type reserverKey struct{}

// reserving is the context of a call that has a reserver.
type reserving struct {
	context.Context
	record   toolkit.Record // the call's: calls that its tool makes have reservers of their own, or none
	reserver Reserver
}

func (r *reserving) Value(key any) any {
	if key == (reserverKey{}) {
		return r
	}
	return r.Context.Value(key)
}

// Reserve asks the call's reserver for one more attempt; true if the call has none.
func Reserve(ctx context.Context, call toolkit.Call) bool {
	r, ok := ctx.Value(reserverKey{}).(*reserving)
	return !ok || r.record != call.Record || r.reserver.Reserve()
}
