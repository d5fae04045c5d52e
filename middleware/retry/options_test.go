// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package retry_test

import (
	"math"
	"testing"
	"time"

	"github.com/toolscope/toolscope/middleware/retry"
	"github.com/toolscope/toolscope/toolkit"
)

func TestBadOptionsAreNamed(t *testing.T) {
	for want, o := range map[string]retry.Options{
		`retry: Options.On[1]: got "", want one of timeout, canceled, panic, unknown_tool, invalid_arguments, ` +
			`permission_denied, approval_denied, approval_expired, rate_limited, overloaded, circuit_open, loop_detected, ` +
			`budget_exceeded, tool_error, _OTHER (OnTypes has the values of your own errors)`: {On: []toolkit.Kind{toolkit.ErrTimeout, ""}},
		"retry: Options.On[0]: got canceled, want another one: a caller that gave up waits for no second attempt": {
			On: []toolkit.Kind{toolkit.ErrCanceled}},
		"retry: Options.Attempts: got -1, want 1 to 100, or 0 for 3":  {Attempts: -1},
		"retry: Options.Attempts: got 101, want 1 to 100, or 0 for 3": {Attempts: 101},
		"retry: Options.BaseDelay: got -1s, want more than 0, or 0 for 100ms": {
			BaseDelay: -time.Second},
		"retry: Options.MaxDelay: got 50ms, want at least BaseDelay, which is 100ms": {
			MaxDelay: 50 * time.Millisecond},
		"retry: Options.Budget.Ratio: got 1.5, want 0 to 1, or below 0 for none": {
			Budget: retry.Budget{Ratio: 1.5}},
		"retry: Options.Budget.Ratio: got NaN, want 0 to 1, or below 0 for none": {
			Budget: retry.Budget{Ratio: math.NaN()}},
		"retry: Options.Budget.PerSecond: got +Inf, want 0 to 1,000,000, or below 0 for none": {
			Budget: retry.Budget{PerSecond: math.Inf(1)}},
		"retry: Options.Budget.Burst: got -1, want 1 to 1,000,000, or 0 for 10": {
			Budget: retry.Budget{Burst: -1}},
	} {
		if _, err := retry.New(o); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	if _, err := retry.New(retry.Options{BaseDelay: time.Minute}); err != nil {
		t.Errorf("a long BaseDelay alone: got %v, want that MaxDelay follows", err)
	}
}
