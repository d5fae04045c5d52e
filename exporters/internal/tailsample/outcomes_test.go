// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tailsample_test

import (
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"

	"github.com/toolscope/toolscope/exporters/internal/tailsample"
	"github.com/toolscope/toolscope/toolkit"
)

// TestEachOutcomeIsKeptOrNot says of each outcome, and of each ending, whether its call alone keeps
// a trace, and whether it does if it is slow.
func TestEachOutcomeIsKeptOrNot(t *testing.T) {
	type kept struct{ fast, slow bool }
	outcomes := [...]kept{
		{false, true},  // executed
		{false, false}, // cache_hit
		{false, false}, // coalesced
		{false, false}, // repeated
		{true, true},   // refused
	}
	var _ [toolkit.OutcomeCount]struct{} = [len(outcomes)]struct{}{}
	has := func(limit time.Duration, attributes ...attribute.KeyValue) bool {
		h := newHost(t, tailsample.Options{Ratio: -1, Slow: func(string) time.Duration { return limit }})
		h.call(attributes...)
		return len(h.kept.Ended()) > 0
	}
	for _, o := range toolkit.Outcomes() {
		attributes := []attribute.KeyValue{attribute.String("toolscope.outcome", o.String())}
		if got := (kept{has(time.Hour, attributes...), has(time.Nanosecond, attributes...)}); got != outcomes[o] {
			t.Errorf("%s: got %+v, want %+v", o, got, outcomes[o])
		}
	}
	for e := range toolkit.Ending(toolkit.EndingCount) {
		if e.CameBack() {
			continue // has no attribute
		}
		ending := attribute.String("toolscope.ending", e.String())
		if !has(time.Hour, attribute.String("toolscope.outcome", "executed"), ending) {
			t.Errorf("%s: got the trace dropped, want it kept", e)
		}
	}
}
