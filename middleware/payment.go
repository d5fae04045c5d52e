// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package middleware

import (
	"context"

	"github.com/toolscope/toolscope/toolkit"
)

// A Payer pays for one more attempt of a call; false if there is not enough left for it. What was
// paid for and not run is the Payer's to take back when the call has ended.
type Payer interface{ Pay() bool }

// WithPayer is ctx for a call whose attempts beyond the first are to be paid for: a policy that runs
// it again asks [Pay] before each.
func WithPayer(ctx context.Context, call toolkit.Call, p Payer) context.Context {
	return &paying{ctx, call.Record, p}
}

type payerKey struct{}

// paying is the context of a call that has a payer.
type paying struct {
	context.Context
	record toolkit.Record // the call's: the calls that its tool makes have payers of their own, or none
	payer  Payer
}

func (p *paying) Value(key any) any {
	if key == (payerKey{}) {
		return p
	}
	return p.Context.Value(key)
}

// Pay asks the call's payer; true if it has none.
func Pay(ctx context.Context, call toolkit.Call) bool {
	p, ok := ctx.Value(payerKey{}).(*paying)
	return !ok || p.record != call.Record || p.payer.Pay()
}
