// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package retry

import (
	"math"
	"sync"
	"time"
)

// token is what one retry costs. Whole numbers, since ten tenths of a float are not one.
const token = 1_000_000

const maxBurst = 1_000_000

// A bucket holds the tokens that retries are paid with, after the retry budgets of
// Google's SRE book (chapter 21, "Handling Overload": a per-client budget of 10 %) and of
// Finagle (2016: a token bucket fed by requests and by time). Instead of letting tokens
// expire, the bucket is small.
type bucket struct {
	perCall, perSecond, most int64

	mu     sync.Mutex
	tokens int64
	fed    time.Time // until when time has paid
}

func newBucket(b Budget, now time.Time) *bucket {
	most := int64(b.Burst) * token
	return &bucket{
		perCall:   int64(math.Round(max(0, b.Ratio) * token)),
		perSecond: int64(math.Round(max(0, b.PerSecond) * token)),
		most:      most,
		tokens:    most,
		fed:       now,
	}
}

// deposit is a call's first attempt.
func (b *bucket) deposit() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.tokens = min(b.most, b.tokens+b.perCall)
}

// withdraw pays for a retry at now, if it can.
func (b *bucket) withdraw(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if seconds := now.Sub(b.fed).Seconds(); seconds > 0 {
		b.tokens = min(b.most, b.tokens+int64(min(seconds*float64(b.perSecond), float64(b.most))))
		b.fed = now
	}
	if b.tokens < token {
		return false
	}
	b.tokens -= token
	return true
}
