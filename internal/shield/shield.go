// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package shield keeps work going when the context of its caller is over, such as the undos of a workflow. A process that
// is asked to end bounds such work.
package shield

import (
	"context"
	"time"
)

type key struct{}

// Until returns ctx such that what [Context] shields in it ends when end is over.
func Until(ctx, end context.Context) context.Context { return context.WithValue(ctx, key{}, end) }

// Context returns ctx without its end. It is over when the context that [Until] was given is; without one it never is.
func Context(ctx context.Context) context.Context {
	values := context.WithoutCancel(ctx)
	if end, ok := ctx.Value(key{}).(context.Context); ok {
		return shielded{end, values}
	}
	return values
}

// shielded ends as its Context does, and has the values of another one.
type shielded struct {
	context.Context
	values context.Context
}

func (s shielded) Value(key any) any {
	if v := s.values.Value(key); v != nil {
		return v
	}
	return s.Context.Value(key) // how the context ends, and why
}

// After returns a context that ends that long after asked has ended, for that cause. The function returned releases it.
func After(asked context.Context, d time.Duration, cause error) (end context.Context, release func()) {
	end, cancel := context.WithCancelCause(context.Background())
	stop := context.AfterFunc(asked, func() {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			cancel(cause)
		case <-end.Done():
		}
	})
	return end, func() {
		stop()
		cancel(nil)
	}
}
