// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package retry_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/retry"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// readOnly is a tool that may run twice.
var readOnly = toolkit.Definition{Name: "search", ReadOnly: toolkit.Yes}

func policy(t testing.TB, o retry.Options) *retry.Policy {
	t.Helper()
	p, err := retry.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p.(*retry.Policy)
}

// An attempts is an observer that remembers how attempts and calls ended.
type attempts struct {
	tooltest.Recorder
	mu   sync.Mutex
	told []attempt
}

type attempt struct {
	number uint16
	kind   string
}

var _ toolkit.AttemptObserver = (*attempts)(nil)

type attemptKey struct{}

func (a *attempts) BeginAttempt(ctx context.Context, call toolkit.Call, _ time.Time) (context.Context,
	func(toolkit.Result, error)) {
	return context.WithValue(ctx, attemptKey{}, call.Attempt), func(res toolkit.Result, err error) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.told = append(a.told, attempt{call.Attempt, middleware.ErrorType(res, err)})
	}
}

// run is one call of def through p, seen by a.
func run(ctx context.Context, a *attempts, p middleware.Policy, def toolkit.Definition,
	h toolkit.Handler) (toolkit.Result, error) {
	observe := toolkit.Observe(func(string) *toolkit.Definition { return &def }, a)
	return toolkit.Chain(h, observe, p.Wrap)(ctx, toolkit.Call{Name: def.Name})
}

// failing fails n times with err and then answers.
func failing(n int, err error) *tooltest.Script {
	var steps []tooltest.Step
	for range n {
		steps = append(steps, tooltest.Step{Err: err})
	}
	return tooltest.Scripted(readOnly, append(steps, tooltest.Text("ok"))...)
}

// later is an error that says when to come back.
type later struct{ after time.Duration }

func (later) Error() string               { return "slow down" }
func (later) ErrorType() string           { return "throttled" }
func (l later) RetryAfter() time.Duration { return l.after }

var errDown = errors.New("connection refused")

// tag is what the last call recorded of retries.
func (a *attempts) tag() string {
	all := a.All()
	for _, t := range all[len(all)-1].Disposition.Tags {
		if t.Key == "retry" {
			return t.Value
		}
	}
	return ""
}
