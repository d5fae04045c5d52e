// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package retry

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

// backoff is the wait after the n-th attempt: uniform between 0 and the lesser of most and
// base*2^(n-1). This is the "full jitter" of the AWS Architecture Blog, "Exponential
// Backoff And Jitter" (2015), which spreads callers best for the least work.
func backoff(base, most time.Duration, n int) time.Duration {
	ceiling := most
	if base <= most>>(n-1) {
		ceiling = base << (n - 1)
	}
	if ceiling++; ceiling <= 0 { // the longest time.Duration
		ceiling--
	}
	return rand.N(ceiling)
}

// askedFor is how long an error wants to be left alone; 0 if it does not say. An
// error's own methods may panic: then it does not say.
func askedFor(err error) (after time.Duration) {
	defer func() {
		if recover() != nil {
			after = 0
		}
	}()
	var later interface{ RetryAfter() time.Duration }
	if errors.As(err, &later) {
		return max(0, later.RetryAfter())
	}
	return 0
}

// sleep waits and tells, and reports whether the caller is still there.
func sleep(ctx context.Context, call toolkit.Call, d time.Duration) bool {
	began := time.Now()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	slept := time.Since(began)
	call.Record.Note(func(s *toolkit.Disposition) { s.Backoff += slept })
	return ctx.Err() == nil
}
