// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package breaker_test

import (
	"slices"
	"testing"

	"github.com/toolscope/toolscope/middleware/breaker"
	"github.com/toolscope/toolscope/toolkit"
)

// TestEachKindIsAFailureOrNot says of each kind whether it counts as a failure by default.
func TestEachKindIsAFailureOrNot(t *testing.T) {
	failures := map[toolkit.Kind]bool{
		toolkit.ErrTimeout: true, toolkit.ErrPanic: true, toolkit.ErrOverloaded: true,
		// What the tool tells the model, and what is the caller's or a policy's doing.
		toolkit.ErrTool: false, toolkit.ErrInvalidArguments: false, toolkit.ErrCanceled: false,
		toolkit.ErrUnknownTool: false, toolkit.ErrPermissionDenied: false, toolkit.ErrApprovalDenied: false,
		toolkit.ErrApprovalExpired: false, toolkit.ErrRateLimited: false, toolkit.ErrCircuitOpen: false,
		toolkit.ErrLoopDetected: false, toolkit.ErrBudgetExceeded: false,
	}
	for _, k := range toolkit.Kinds() {
		want, said := failures[k]
		if !said {
			t.Errorf("%s: breaker.DefaultOn and the verdict of Policy.judge were not considered for it", string(k))
		}
		if got := slices.Contains(breaker.DefaultOn(), k); got != want {
			t.Errorf("%s: got a failure by default %t, want %t", string(k), got, want)
		}
	}
}
