// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"context"
	"sync/atomic"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/config"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/workflow"
)

// Governed are tools that a scope can wrap.
type Governed = toolscope.Registry

// Workflows are those of a configuration file, as further tools.
type Workflows struct {
	*workflow.Set
	Registry *toolkit.Registry
}

// OpenWorkflows makes the workflows of a file, whose steps call tools, and each other, through scope.
func OpenWorkflows(file *config.File, scope *toolscope.Scope, tools Governed) (*Workflows, error) {
	w := &Workflows{Registry: new(toolkit.Registry)}
	both := joined{w.Registry, tools}
	set, err := file.NewWorkflows(workflow.Options{Handler: scope.WrapRegistry(both), Tools: both, Scope: scope})
	if err != nil {
		return nil, err
	}
	w.Set = set
	return w, w.Registry.Register(set.Tools()...)
}

// joined are workflows and other tools.
type joined struct {
	workflows *toolkit.Registry
	Governed
}

func (j joined) Lookup(name string) *toolkit.Definition {
	if d := j.workflows.Lookup(name); d != nil {
		return d
	}
	return j.Governed.Lookup(name)
}

func (j joined) Definitions() []toolkit.Definition {
	return append(j.workflows.Definitions(), j.Governed.Definitions()...)
}

func (j joined) Handle(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
	if j.workflows.Lookup(call.Name) != nil {
		return j.workflows.Handle(ctx, call)
	}
	return j.Governed.Handle(ctx, call)
}

// LateWorkflows is a source of workflows that are made after the pages that show them.
type LateWorkflows struct{ set atomic.Pointer[workflow.Set] }

// Show shows the workflows of a set.
func (l *LateWorkflows) Show(s *workflow.Set) { l.set.Store(s) }

// Workflows lists them; none before Show.
func (l *LateWorkflows) Workflows() []stats.Workflow {
	if s := l.set.Load(); s != nil {
		return s.Workflows()
	}
	return []stats.Workflow{}
}
