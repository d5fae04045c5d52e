// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package approve

import (
	"context"
	"errors"
	"fmt"
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

// CanAsk returns nil if the policy has a way to ask a person, or is [Unattended]. Otherwise the error is
// [ErrCannotAsk] and says what to set: [HTTP] is among the askers and nothing serves the requests, or the terminal
// is the only asker and there is none. toolscope.New and Scope.Apply return it.
func (p *Policy) CanAsk() error {
	if p.served.Load() || p.unattended {
		return nil
	}
	if p.overHTTP {
		return fmt.Errorf("%w: got answers over HTTP (in a file: remote: true) that nothing serves, want "+
			"toolscope.Options.ApprovalsToken or approve.NewHandler", ErrCannotAsk)
	}
	if p.external {
		return nil
	}
	var missing []error
	for _, asker := range p.askers {
		checked, ok := asker.(interface{ available() error })
		if !ok {
			return nil
		}
		err := checked.available()
		if err == nil {
			return nil
		}
		missing = append(missing, err)
	}
	return fmt.Errorf("%w: %w: want toolscope.Options.ApprovalsToken, another asker, or approve.Unattended "+
		"(in a file: unattended: true) to refuse the calls", ErrCannotAsk, errors.Join(missing...))
}
