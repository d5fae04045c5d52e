// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package approve

import "context"

// An Asker puts a request to a person. It returns when ctx is done: then the request has
// been answered elsewhere, has expired, or the caller has gone. An error says that it
// cannot ask. Safe for concurrent use.
type Asker interface {
	Ask(ctx context.Context, r Request) (Answer, error)
}

// Func is a function as an [Asker].
type Func func(ctx context.Context, r Request) (Answer, error)

// Ask calls f.
func (f Func) Ask(ctx context.Context, r Request) (Answer, error) { return f(ctx, r) }
