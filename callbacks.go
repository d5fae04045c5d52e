// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope

import (
	"context"
	"errors"

	"github.com/toolscope/toolscope/toolkit"
)

// Callbacks report the calls of a framework that only has callbacks before and after a tool.
// Make them with [Scope.Callbacks]. Safe for concurrent use; nil Callbacks report nothing.
type Callbacks struct {
	scope *Scope
	tools toolkit.Tools
}

// Callbacks returns the callbacks for a framework whose tools are given; nil tools are not known.
// Policies and disabled tools cannot apply to callbacks: if the scope has any, it is an error
// unless [ObserveOnly] is given, and without it [Scope.Apply] refuses them from then on. A nil
// scope returns nil Callbacks.
func (s *Scope) Callbacks(tools toolkit.Tools, options ...FuncOption) (*Callbacks, error) {
	if s == nil {
		return nil, nil
	}
	var o funcOptions
	for _, option := range options {
		if option != nil {
			option(&o)
		}
	}
	if !o.observeOnly {
		err := s.register(wrapped{name: "callbacks",
			lacks: errors.New("toolscope: Callbacks: policies and disabled tools cannot apply to callbacks")})
		if err != nil {
			return nil, err
		}
	}
	if tools == nil {
		tools = toolkit.NoTools
	}
	s.registerTools(tools)
	return &Callbacks{s, tools}, nil
}

// Begin reports that a call begins, and returns the context that it continues with. It ends with
// [toolkit.Running.End]. While the scope is off, Begin returns ctx and a nil Running, which works.
func (c *Callbacks) Begin(ctx context.Context, call toolkit.Call) (context.Context, *toolkit.Running) {
	if c == nil || c.scope.rules.Load().off {
		return ctx, nil
	}
	return toolkit.Begin(ctx, call, c.tools.Lookup(call.Name), c.scope.observers...)
}
