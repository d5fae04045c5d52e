// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package breaker

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/toolscope/toolscope/middleware/internal/check"
	"github.com/toolscope/toolscope/toolkit"
)

// DefaultOn returns the values of error.type that count as failures by default: timeout, panic, overloaded, and
// "_OTHER", an error without a kind that was not the tool's answer.
func DefaultOn() []toolkit.Kind {
	return []toolkit.Kind{toolkit.ErrTimeout, toolkit.ErrPanic, toolkit.ErrOverloaded, toolkit.TypeOther}
}

// Options say when circuits open and close. The zero value is useful.
type Options struct {
	// Key returns whose circuit a call belongs to; a call with "" has none, and passes. It must be safe for
	// concurrent use. The default, nil, is the tool's name. So it is where the function panics, which the call
	// records as "breaker.key".
	Key func(ctx context.Context, call toolkit.Call) string `yaml:"-"`
	// On are the kinds of errors that count as failures, as [middleware.ErrorType] classifies them. A value that is
	// neither a constant of package toolkit nor toolkit.TypeOther is an error. Empty is [DefaultOn].
	On []toolkit.Kind `yaml:"on" doc:"Kinds of errors that count as failures; default timeout, panic, overloaded, _OTHER."`
	// OnTypes are further values of error.type that count as failures: those that ErrorType methods of your
	// application's own errors return. They cannot be checked for spelling. The default is none.
	OnTypes []string `yaml:"on_types" doc:"Further error.type values that count, of your application's own errors; default none."`
	// Consecutive is how many failures in a row open a circuit; they may lie up to Window apart. 0 is 5; below
	// 0 is never.
	Consecutive int `yaml:"consecutive" doc:"Failures in a row that open a circuit; default 5, below 0 never."`
	// Rate is which share of the calls of the last Window opens a circuit if it fails, above 0 to 1, once there
	// were MinCalls. 0 is 0.5; below 0 is never.
	Rate float64 `yaml:"rate" doc:"Share of failures that opens a circuit; default 0.5, below 0 never."`
	// MinCalls is how many calls make a rate. 0 is 20.
	MinCalls int `yaml:"min_calls" doc:"Calls that make a rate; default 20."`
	// Window is how far back calls count, in steps of a tenth of it. 0 is 1 minute.
	Window time.Duration `yaml:"window" doc:"How far back calls count; default 1m."`
	// OpenFor is how long a circuit stays open before a call may try, and how long a probe may take before
	// another one may. 0 is 30 seconds.
	OpenFor time.Duration `yaml:"open_for" doc:"How long a circuit stays open before a call may try; default 30s."`
	// Probes is how many calls must succeed to close a circuit, and may try at a time. 0 is 1.
	Probes int `yaml:"probes" doc:"Calls that must succeed to close a circuit; default 1."`
	// MaxKeys is how many circuits are kept; keys are up to 256 bytes long. If there are as many, those are
	// forgotten that are closed and had no call for a Window; if there are none, further keys have no circuit:
	// an open one is never forgotten. 0 is 10,000.
	MaxKeys int `yaml:"max_tools" doc:"Circuits kept; default 10000."`
	// Peers tells other processes that a circuit has opened, and this one of theirs: a circuit that is closed here then
	// lets Probes calls try before it trusts the tool again. nil, the default, keeps circuits apart. Counts are never
	// shared. While it does not answer, each process has its own circuits. The caller closes it.
	Peers Peers `yaml:"-"`
	// OnChange is called after a circuit has changed, by the call that changed it: it must not block. Changes
	// of one circuit may be reported in another order than they happened in; [Change].At has it. A panic is
	// swallowed and counted. The default is nil.
	OnChange func(Change) `yaml:"-"`
}

// resolve checks o and fills in what 0 stands for.
func (o Options) resolve() (Options, error) {
	if len(o.On) == 0 {
		o.On = DefaultOn()
	}
	c := check.Options{Package: "breaker"}
	c.ErrorTypes(o.On, o.OnTypes)
	o.Consecutive, o.Rate = cmp.Or(o.Consecutive, 5), cmp.Or(o.Rate, 0.5)
	c.If(!(o.Rate <= 1), "Rate", o.Rate, "above 0 to 1, 0 for 0.5, or below 0 for never")
	both := fmt.Sprintf("%d and Rate %v", o.Consecutive, o.Rate)
	c.If(o.Rate < 0 && o.Consecutive < 0, "Consecutive", both, "one of them, or no circuit ever opens")
	check.Default(&c, "MinCalls", &o.MinCalls, 20)
	o.Window = cmp.Or(o.Window, time.Minute)
	c.If(o.Window < parts, "Window", o.Window, "at least 10ns, or 0 for 1m0s")
	check.Default(&c, "OpenFor", &o.OpenFor, 30*time.Second)
	check.Default(&c, "Probes", &o.Probes, 1)
	check.Default(&c, "MaxKeys", &o.MaxKeys, 10_000)
	return o, c.Err()
}
