// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package approve

import (
	"context"
	"errors"
)

// An Asker puts a request to a person. It returns when ctx is done: then the request has
// been answered elsewhere, has expired, or the caller has gone. An error says that it
// cannot ask. Safe for concurrent use.
type Asker interface {
	Ask(ctx context.Context, r Request) (Answer, error)
}

// AskerFunc is a function as an [Asker].
type AskerFunc func(ctx context.Context, r Request) (Answer, error)

// Ask calls f.
func (f AskerFunc) Ask(ctx context.Context, r Request) (Answer, error) { return f(ctx, r) }

// HTTP is an asker for requests that are answered over HTTP: it waits. A scope serves them if it is given
// toolscope.Options.ApprovalsToken; a program without a scope mounts [NewHandler]. Until then the policy cannot ask
// (see [Policy.CanAsk]).
func HTTP() Asker { return byHTTP }

// External is an asker for applications that call [Policy.Decide] themselves, after they have read
// [Policy.Pending]: it waits.
func External() Asker { return byApplication }

// Unattended is an asker for programs in which no person can be asked: every call that no pattern approves is
// refused (approval_denied). It must be the only one.
func Unattended() Asker { return byNone }

// passive are the askers that do not ask: the policy starts no goroutine for them.
type passive int

const (
	byHTTP passive = iota
	byApplication
	byNone
)

var errUnattended = errors.New("the program runs unattended")

// Ask waits for an answer that comes another way. It is called only if the asker is wrapped in another one.
func (p passive) Ask(ctx context.Context, _ Request) (Answer, error) {
	if p == byNone {
		return Answer{}, errUnattended
	}
	<-ctx.Done()
	return Answer{}, ctx.Err()
}

// ErrCannotAsk is in the errors of [Policy.CanAsk].
var ErrCannotAsk = errors.New("approve: no person can be asked")
