// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package arrival

import "context"

type key struct{}

// With returns a context of a call whose place in line [Pass] gives up by calling pass. Pass may be called several times
// and from any goroutine.
func With(ctx context.Context, pass func()) context.Context {
	return context.WithValue(ctx, key{}, pass)
}

// Pass lets the messages behind a call pass it. It does nothing for a call that has no place in line.
func Pass(ctx context.Context) {
	if pass, ok := ctx.Value(key{}).(func()); ok {
		pass()
	}
}
