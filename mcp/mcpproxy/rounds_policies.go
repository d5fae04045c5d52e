// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"bytes"
	"context"
	stdjson "encoding/json"
	"slices"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
)

// carriesInput reports whether a call says that the server has asked for input.
func (p *params) carriesInput() bool { return p.RequestState != "" || len(p.InputResponses) > 0 }

// carriesMore reports whether what comes of a call depends on more than its arguments: on input, or on that it is to be
// a task, of which a first answer tells no more than its id.
func (p *params) carriesMore() bool { return p.carriesInput() || len(p.Task) > 0 }

// onceOnly reports whether a call passes a policy once, whatever its rounds: what it judges, the arguments, is the same in
// each. The other policies apply to what runs, which each round does. A round is not retried either: its server
// may accept the state that it gave only once.
func onceOnly(p middleware.Policy) bool {
	return p.Stage().BeforeTool() || p.Stage() == middleware.StageRetry
}

// laterCaller governs the next rounds of calls that policies have let through.
func (s *session) laterCaller(rules toolscope.Settings) caller {
	if rules.Off {
		return govern(s.adapter())
	}
	return s.inputCaller(slices.DeleteFunc(slices.Clone(rules.Policies), func(p middleware.Policy) bool {
		return p == nil || onceOnly(p)
	}))
}

// inputCaller governs, by some policies, calls that carry more than arguments. Behind those that judge them they have no identity
// (package identity), so that none is answered with what came of the arguments alone, or answers such a call.
func (s *session) inputCaller(policies []middleware.Policy) caller {
	adapter := s.adapter()
	adapter.With = func(x *exchange, args stdjson.RawMessage) *exchange {
		if bytes.Equal(args, unidentified(x.args)) { // as the client sent them
			return x.with(x.args)
		}
		return x.with(identified(args))
	}
	hide := middleware.At(middleware.StageApprove, func(next toolkit.Handler) toolkit.Handler {
		return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
			call.Arguments = unidentified(call.Arguments)
			return next(ctx, call)
		}
	})
	return govern(adapter, middleware.Middlewares(append(slices.Clone(policies), hide)...)...)
}

// twice is a member that stands twice, with which arguments have no identity. No client's have it: they are refused.
const twice = `"":0,"":0`

// unidentified are arguments with the member that stands twice.
func unidentified(args []byte) []byte {
	within := bytes.TrimPrefix(bytes.TrimSpace(args), []byte("{"))
	if len(within) == len(bytes.TrimSpace(args)) { // none, or null
		return []byte("{" + twice + "}")
	}
	comma := ","
	if bytes.HasPrefix(bytes.TrimLeft(within, " \t\r\n"), []byte("}")) {
		comma = ""
	}
	return append([]byte("{"+twice+comma), within...)
}

// identified are arguments without it.
func identified(args []byte) []byte {
	within, has := bytes.CutPrefix(args, []byte("{"+twice))
	if !has {
		return args
	}
	return append([]byte("{"), bytes.TrimPrefix(within, []byte(","))...)
}
