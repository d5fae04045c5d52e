// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package retry

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"github.com/toolscope/toolscope/middleware/internal/check"
	"github.com/toolscope/toolscope/toolkit"
)

// maxAttempts bounds Attempts: no useful value is higher.
const maxAttempts = 100

// Options say what is retried and how. The zero value retries nothing.
type Options struct {
	// On are the kinds of failures that are retried, as [middleware.ErrorType] classifies them, such as
	// toolkit.ErrTimeout, or toolkit.TypeOther for a transport's error without a kind. A value that is neither a
	// constant of package toolkit nor TypeOther is an error. Without On and OnTypes nothing is retried.
	On []toolkit.Kind `yaml:"on" doc:"Kinds of failures to retry, such as timeout; without on and on_types nothing is retried."`
	// OnTypes are further values of error.type that are retried: those that ErrorType methods of your
	// application's own errors return, such as "throttled". They cannot be checked for spelling. The default is none.
	OnTypes []string `yaml:"on_types" doc:"Further error.type values, of your application's own errors; default none."`
	// Tools are names of tools that may run twice although their definitions do not say that they are
	// read-only or idempotent. The default is none.
	Tools []string `yaml:"tools" doc:"Tools that may run twice although they do not say so."`
	// Attempts is how often a call runs at most, the first time included: 1 to 100. 0 is 3.
	Attempts int `yaml:"attempts" doc:"Runs of one call at most; default 3."`
	// BaseDelay bounds the wait after the n-th attempt, together with MaxDelay: it is between 0 and the lesser
	// of MaxDelay and BaseDelay*2^(n-1). 0 is 100 ms.
	BaseDelay time.Duration `yaml:"base_delay" doc:"The longest wait before the second run; doubles with each; default 100ms."`
	// MaxDelay bounds every wait. An error that has a RetryAfter() time.Duration method is waited for that
	// long, and as much jitter on top; if it asks for more than MaxDelay, the call is not retried. 0 is 10 s.
	MaxDelay time.Duration `yaml:"max_delay" doc:"The longest wait of all; default 10s."`
	// Budget bounds the retries of all calls together.
	Budget Budget `yaml:"budget" doc:"Bounds the retries of all calls together."`
	// Lookup finds the definitions of calls that are not observed and so have no record with their
	// definition. The default, nil, knows none; a registry's Lookup is one.
	Lookup toolkit.Lookup `yaml:"-"`
}

// Budget bounds the retries of all calls of a policy: in any time t with n first attempts
// there are never more than Burst + Ratio*n + PerSecond*t retries.
type Budget struct {
	// Ratio is how many retries a first attempt pays for, 0 to 1. 0 is 0.1; below 0 is none.
	Ratio float64 `yaml:"ratio" doc:"Retries as a part of calls; default 0.1."`
	// PerSecond is how many retries are paid for by time alone, for applications with few calls. 0
	// is 1; below 0 is none.
	PerSecond float64 `yaml:"per_second" doc:"Retries a second whatever the calls; default 1."`
	// Burst is how many retries can be saved up, and how many there are at the beginning: 1
	// to 1,000,000. 0 is 10.
	Burst int `yaml:"burst" doc:"Retries saved up; default 10."`
}

// resolve checks o and fills in what 0 stands for.
func (o Options) resolve() (Options, error) {
	c := check.Options{Package: "retry"}
	c.ErrorTypes(o.On, o.OnTypes)
	const canceled = "another one: a caller that gave up waits for no second attempt"
	for i, k := range o.On {
		c.If(k == toolkit.ErrCanceled, fmt.Sprintf("On[%d]", i), k.ErrorType(), canceled)
	}
	for i, v := range o.OnTypes {
		c.If(v == string(toolkit.ErrCanceled), fmt.Sprintf("OnTypes[%d]", i), v, canceled)
	}
	b := &o.Budget
	o.Attempts = cmp.Or(o.Attempts, 3)
	o.BaseDelay = cmp.Or(o.BaseDelay, 100*time.Millisecond)
	o.MaxDelay = cmp.Or(o.MaxDelay, max(10*time.Second, o.BaseDelay))
	b.Ratio, b.PerSecond, b.Burst = cmp.Or(b.Ratio, 0.1), cmp.Or(b.PerSecond, 1), cmp.Or(b.Burst, 10)
	c.If(o.Attempts < 1 || o.Attempts > maxAttempts, "Attempts", o.Attempts, "1 to 100, or 0 for 3")
	c.If(o.BaseDelay < 0, "BaseDelay", o.BaseDelay, "more than 0, or 0 for 100ms")
	c.If(o.MaxDelay < o.BaseDelay, "MaxDelay", o.MaxDelay, fmt.Sprintf("at least BaseDelay, which is %v", o.BaseDelay))
	c.If(!(b.Ratio <= 1), "Budget.Ratio", b.Ratio, "0 to 1, or below 0 for none")
	c.If(math.IsNaN(b.PerSecond) || b.PerSecond > maxBurst, "Budget.PerSecond", b.PerSecond, "0 to 1,000,000, or below 0 for none")
	c.If(b.Burst < 1 || b.Burst > maxBurst, "Budget.Burst", b.Burst, "1 to 1,000,000, or 0 for 10")
	return o, c.Err()
}
