// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package retry

import (
	"fmt"
	"math"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
)

// The defaults of [Options].
const (
	DefaultAttempts  = 3
	DefaultBaseDelay = 100 * time.Millisecond
	DefaultMaxDelay  = 10 * time.Second
)

// maxAttempts is more than anybody should want.
const maxAttempts = 100

// Options say what is retried and how. The zero value retries nothing.
type Options struct {
	// On are the kinds of failures that are tried again, as [middleware.ErrorType] classifies them, such as
	// toolkit.ErrTimeout, or toolkit.TypeOther for a transport's error without a kind. A value that is neither a
	// constant of package toolkit nor TypeOther is an error. Without On and OnTypes nothing is retried.
	On []toolkit.Kind
	// OnTypes are further values of error.type that are tried again: those that ErrorType methods of your
	// application's own errors return, such as "throttled". They cannot be checked for spelling. The default is none.
	OnTypes []string
	// Tools are names of tools that may run twice though their definitions do not say that
	// they are read-only or idempotent. The default is none.
	Tools []string
	// Attempts is how often a call runs at most, the first time included: 1 to 100. 0 is
	// [DefaultAttempts].
	Attempts int
	// BaseDelay and MaxDelay bound the wait between attempts: after the n-th it is between 0
	// and the lesser of MaxDelay and BaseDelay*2^(n-1). An error that has a RetryAfter()
	// time.Duration method is waited for that long, and as much jitter on top; if it asks for
	// more than MaxDelay, the call is not tried again. 0 is [DefaultBaseDelay] and
	// [DefaultMaxDelay].
	BaseDelay, MaxDelay time.Duration
	// Budget bounds the retries of all calls together.
	Budget Budget
	// Lookup finds the definitions of calls that nobody observes, which have no record to
	// tell them. The default, nil, knows none; a registry's Lookup is one.
	Lookup toolkit.Lookup
}

// Budget bounds the retries of all calls of a policy: in any time t with n first attempts
// there are never more than Burst + Ratio*n + PerSecond*t retries.
type Budget struct {
	// Ratio is how many retries a first attempt pays for, 0 to 1. 0 is 0.1; below 0 is none.
	Ratio float64
	// PerSecond is how many retries are paid for by time alone, for hosts with few calls. 0
	// is 1; below 0 is none.
	PerSecond float64
	// Burst is how many retries can be saved up, and how many there are at the beginning: 1
	// to 1,000,000. 0 is 10.
	Burst int
}

func wrong(field string, got any, want string) error {
	return fmt.Errorf("retry: Options.%s: got %v, want %s", field, got, want)
}

// resolve checks o and fills in what 0 stands for.
func (o Options) resolve() (Options, error) {
	for i, k := range o.On {
		field := fmt.Sprintf("On[%d]", i)
		if err := middleware.CheckErrorType(k); err != nil {
			return o, fmt.Errorf("retry: Options.%s: %w", field, err)
		}
		if k == toolkit.ErrCanceled {
			return o, wrong(field, k.ErrorType(), "another one: a caller that gave up waits for no second attempt")
		}
	}
	for i, v := range o.OnTypes {
		if err := middleware.CheckOwnErrorType(v); err != nil {
			return o, fmt.Errorf("retry: Options.OnTypes[%d]: %w", i, err)
		}
		if toolkit.Kind(v) == toolkit.ErrCanceled {
			return o, wrong(fmt.Sprintf("OnTypes[%d]", i), v, "another one: a caller that gave up waits for no second attempt")
		}
	}
	o.Attempts = orDefault(o.Attempts, DefaultAttempts)
	o.BaseDelay = orDefault(o.BaseDelay, DefaultBaseDelay)
	o.MaxDelay = orDefault(o.MaxDelay, max(DefaultMaxDelay, o.BaseDelay))
	o.Budget.Ratio = orDefault(o.Budget.Ratio, 0.1)
	o.Budget.PerSecond = orDefault(o.Budget.PerSecond, 1)
	o.Budget.Burst = orDefault(o.Budget.Burst, 10)
	switch b := o.Budget; {
	case o.Attempts < 1 || o.Attempts > maxAttempts:
		return o, wrong("Attempts", o.Attempts, "1 to 100, or 0 for 3")
	case o.BaseDelay < 0:
		return o, wrong("BaseDelay", o.BaseDelay, "more than 0, or 0 for 100ms")
	case o.MaxDelay < o.BaseDelay:
		return o, wrong("MaxDelay", o.MaxDelay, fmt.Sprintf("at least BaseDelay, which is %v", o.BaseDelay))
	case !(b.Ratio <= 1):
		return o, wrong("Budget.Ratio", b.Ratio, "0 to 1, or below 0 for none")
	case math.IsNaN(b.PerSecond) || b.PerSecond > maxBurst:
		return o, wrong("Budget.PerSecond", b.PerSecond, "0 to 1,000,000, or below 0 for none")
	case b.Burst < 1 || b.Burst > maxBurst:
		return o, wrong("Budget.Burst", b.Burst, "1 to 1,000,000, or 0 for 10")
	}
	return o, nil
}

func orDefault[N int | float64 | time.Duration](n, def N) N {
	if n == 0 {
		return def
	}
	return n
}
