// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tailsample

import (
	"math"
	"time"
)

// rateWindow is the time constant of the average that a rate is kept on.
const rateWindow = 10 * time.Second

// A rate lowers the probability so that so many traces a second are kept on the average.
// A token bucket would keep the rate to the letter, but the probability of
// a trace would then be unknown. What is counted fades with the window's time constant.
type rate struct {
	perSecond float64
	count     float64 // of traces, fading
	seconds   float64 // of the time they came in, fading
	last      time.Time
}

func newRate(perSecond float64, now time.Time) rate {
	return rate{perSecond: perSecond, seconds: rateWindow.Seconds(), last: now}
}

// probability counts a trace, and is how likely it may be kept.
func (r *rate) probability(now time.Time) float64 {
	if r.perSecond <= 0 {
		return 1
	}
	passed := max(0, now.Sub(r.last).Seconds())
	r.last = now
	fade := math.Exp(-passed / rateWindow.Seconds())
	r.count = r.count*fade + 1
	r.seconds = r.seconds*fade + passed
	return min(1, r.perSecond*r.seconds/r.count)
}
