// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package breaker_test

import (
	"math"
	"testing"
	"time"

	"github.com/toolscope/toolscope/middleware/breaker"
	"github.com/toolscope/toolscope/toolkit"
)

func TestBadOptionsAreNamed(t *testing.T) {
	for want, o := range map[string]breaker.Options{
		`breaker: Options.On[0]: got "", want one of timeout, canceled, panic, unknown_tool, invalid_arguments, ` +
			`permission_denied, approval_denied, approval_expired, rate_limited, overloaded, circuit_open, loop_detected, ` +
			`budget_exceeded, tool_error, _OTHER (OnTypes has the values of your own errors)`: {On: []toolkit.Kind{""}},
		"breaker: Options.Rate: got 1.5, want above 0 to 1, 0 for 0.5, or below 0 for never":           {Rate: 1.5},
		"breaker: Options.Rate: got NaN, want above 0 to 1, 0 for 0.5, or below 0 for never":           {Rate: math.NaN()},
		"breaker: Options.Consecutive: got -1 and Rate -1, want one of them, or no circuit ever opens": {Consecutive: -1, Rate: -1},
		"breaker: Options.MinCalls: got -1, want more than 0, or 0 for 20":                             {MinCalls: -1},
		"breaker: Options.Window: got 9ns, want at least 10ns, or 0 for 1m0s":                          {Window: 9},
		"breaker: Options.OpenFor: got -1s, want more than 0, or 0 for 30s":                            {OpenFor: -time.Second},
		"breaker: Options.Probes: got -1, want more than 0, or 0 for 1":                                {Probes: -1},
		"breaker: Options.MaxKeys: got -1, want more than 0, or 0 for 10000":                           {MaxKeys: -1},
	} {
		if _, err := breaker.New(o); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

func TestStatesHaveNames(t *testing.T) {
	for s, want := range map[breaker.State]string{breaker.Closed: "closed", breaker.Open: "open",
		breaker.HalfOpen: "half_open", 9: "unknown"} {
		if got := s.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
