// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package retry_test

import (
	"testing"

	"github.com/toolscope/toolscope/middleware/retry"
	"github.com/toolscope/toolscope/toolkit"
)

// TestEachKindMayBeRetriedOrNot says of each kind whether Options.On may list it. Without a list,
// nothing is retried.
func TestEachKindMayBeRetriedOrNot(t *testing.T) {
	allowed := map[toolkit.Kind]bool{
		toolkit.ErrCanceled: false, // the caller waits for no second attempt
		toolkit.ErrTool:     true, toolkit.ErrTimeout: true, toolkit.ErrPanic: true, toolkit.ErrUnknownTool: true,
		toolkit.ErrInvalidArguments: true, toolkit.ErrPermissionDenied: true, toolkit.ErrApprovalDenied: true,
		toolkit.ErrApprovalExpired: true, toolkit.ErrRateLimited: true, toolkit.ErrOverloaded: true,
		toolkit.ErrCircuitOpen: true, toolkit.ErrLoopDetected: true, toolkit.ErrBudgetExceeded: true,
	}
	for _, k := range toolkit.Kinds() {
		want, said := allowed[k]
		if !said {
			t.Errorf("%s: retry.Options.On was not considered for it", string(k))
		}
		if _, err := retry.New(retry.Options{On: []toolkit.Kind{k}}); (err == nil) != want {
			t.Errorf("%s: got error %v, want it allowed %t", string(k), err, want)
		}
	}
}
