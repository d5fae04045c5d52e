// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package breaker

import (
	"context"
	"fmt"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
)

// The defaults of [Options].
const (
	DefaultConsecutive = 5
	DefaultRate        = 0.5
	DefaultMinCalls    = 20
	DefaultWindow      = time.Minute
	DefaultOpenFor     = 30 * time.Second
	DefaultProbes      = 1
	DefaultMaxKeys     = 10_000
)

// DefaultOn returns the values of error.type that count as failures by default: timeout,
// panic, overloaded, and "_OTHER", an error that says nothing of itself and was not the
// tool's answer.
func DefaultOn() []toolkit.Kind {
	return []toolkit.Kind{toolkit.ErrTimeout, toolkit.ErrPanic, toolkit.ErrOverloaded, toolkit.TypeOther}
}

// Options say when circuits open and close. The zero value is useful.
type Options struct {
	// Key is whose circuit a call belongs to; "" is no circuit's, and passes. It must be safe
	// for concurrent use. The default, and nil, is the tool's name; so it is where the function
	// panics, which the call tells as "breaker.key".
	Key func(ctx context.Context, call toolkit.Call) string
	// On are the kinds of errors that count as failures, as [middleware.ErrorType] classifies them. A value that is
	// neither a constant of package toolkit nor toolkit.TypeOther is an error. Empty is [DefaultOn].
	On []toolkit.Kind
	// OnTypes are further values of error.type that count as failures: those that ErrorType methods of your
	// application's own errors return. They cannot be checked for spelling. The default is none.
	OnTypes []string
	// Consecutive is how many failures in a row open a circuit; they may lie up to Window
	// apart. 0 is [DefaultConsecutive]; below 0 is never.
	Consecutive int
	// Rate is which share of the calls of the last Window opens a circuit if it fails, above
	// 0 to 1, once there were MinCalls. 0 is [DefaultRate]; below 0 is never.
	Rate float64
	// MinCalls is how many calls make a rate. 0 is [DefaultMinCalls].
	MinCalls int
	// Window is how far back calls count, in steps of a tenth of it. 0 is [DefaultWindow].
	Window time.Duration
	// OpenFor is how long a circuit stays open before a call may try, and how long a probe
	// may take before another one may. 0 is [DefaultOpenFor].
	OpenFor time.Duration
	// Probes is how many calls must succeed to close a circuit, and may try at a time. 0 is
	// [DefaultProbes].
	Probes int
	// MaxKeys is how many circuits are kept; keys are up to 256 bytes long. If there are as many, those are forgotten that
	// are closed and had no call for a Window; if there are none, further keys have no
	// circuit: an open one is never forgotten. 0 is [DefaultMaxKeys].
	MaxKeys int
	// OnChange is called after a circuit has changed, by the call that changed it: it must
	// not block. Changes of one circuit may be told in another order than they happened;
	// [Change].At has it. A panic is swallowed and counted. The default is nil.
	OnChange func(Change)
}

func wrong(field string, got any, want string) error {
	return fmt.Errorf("breaker: Options.%s: got %v, want %s", field, got, want)
}

// resolve checks o and fills in what 0 stands for.
func (o Options) resolve() (Options, error) {
	if len(o.On) == 0 {
		o.On = DefaultOn()
	}
	for i, k := range o.On {
		if err := middleware.CheckErrorType(k); err != nil {
			return o, fmt.Errorf("breaker: Options.On[%d]: %w", i, err)
		}
	}
	for i, v := range o.OnTypes {
		if err := middleware.CheckOwnErrorType(v); err != nil {
			return o, fmt.Errorf("breaker: Options.OnTypes[%d]: %w", i, err)
		}
	}
	o.Consecutive = orDefault(o.Consecutive, DefaultConsecutive)
	o.Rate = orDefault(o.Rate, DefaultRate)
	o.MinCalls = orDefault(o.MinCalls, DefaultMinCalls)
	o.Window = orDefault(o.Window, DefaultWindow)
	o.OpenFor = orDefault(o.OpenFor, DefaultOpenFor)
	o.Probes = orDefault(o.Probes, DefaultProbes)
	o.MaxKeys = orDefault(o.MaxKeys, DefaultMaxKeys)
	switch {
	case !(o.Rate <= 1):
		return o, wrong("Rate", o.Rate, "above 0 to 1, 0 for 0.5, or below 0 for never")
	case o.Rate < 0 && o.Consecutive < 0:
		return o, wrong("Consecutive", fmt.Sprintf("%d and Rate %v", o.Consecutive, o.Rate), "one of them, or no circuit ever opens")
	case o.MinCalls < 0:
		return o, wrong("MinCalls", o.MinCalls, "0 or more")
	case o.Window < parts:
		return o, wrong("Window", o.Window, "at least 10ns, or 0 for 1m0s")
	case o.OpenFor < 0:
		return o, wrong("OpenFor", o.OpenFor, "0 or more")
	case o.Probes < 0:
		return o, wrong("Probes", o.Probes, "0 or more")
	case o.MaxKeys < 0:
		return o, wrong("MaxKeys", o.MaxKeys, "0 or more")
	}
	return o, nil
}

func orDefault[N int | float64 | time.Duration](n, def N) N {
	if n == 0 {
		return def
	}
	return n
}
