// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

const description = "Hands tasks to sub-agents that work at the same time with the tools you have, and answers " +
	"with what each found out. " +
	"A sub-agent knows nothing but its task: say in it all that is needed. It cannot ask back, and cannot delegate."

// New makes the tool agent_delegate over a model. It fails on a nil model and on
// options that are wrong. The tool is safe for concurrent use; the goroutines of a
// call end with it, provided that the model and the handler return when their context is over.
func New(model Model, o Options) (toolkit.Tool, error) {
	if model == nil {
		return nil, errors.New("agent: New: model: got nil, want a Model")
	}
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	d := &delegate{model, o}
	def := toolkit.Definition{
		Name: "agent_delegate", Description: description,
		Title: "Delegate to sub-agents", InputSchema: json.RawMessage(fmt.Sprintf(schema, o.MaxTasks)),
		Type: toolkit.ToolExtension, Category: category, Risk: toolkit.RiskMedium,
		// Whether it is destructive depends on the calls that the sub-agents make.
		ReadOnly: toolkit.No, Idempotent: toolkit.No, Destructive: toolkit.Unsaid, OpenWorld: toolkit.Yes,
		Timeout: time.Duration((o.MaxTasks+o.Parallel-1)/o.Parallel) * o.Timeout, CacheTTL: -1,
	}
	return toolkit.ToolFunc(def, func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		var tasks []*task
		res, err := toolkit.NewTool(def, func(ctx context.Context, in input) (text string, err error) {
			tasks, err = d.runTasks(ctx, in)
			if err != nil {
				return "", err
			}
			return report(tasks)
		}).Handle(ctx, call)
		if len(tasks) > 0 {
			content, failed := structured(tasks)
			if failed != nil {
				return res, failed
			}
			res.Parts = append(res.Parts, toolkit.Part{Kind: toolkit.PartStructured, JSON: content})
		}
		return res, err
	}), nil
}

func (d *delegate) check(ctx context.Context, in input) error {
	invalid := func(format string, args ...any) error {
		return &toolkit.Error{Kind: toolkit.ErrInvalidArguments, Message: fmt.Sprintf(format, args...)}
	}
	switch {
	case inside(ctx):
		return &toolkit.Error{Kind: toolkit.ErrPermissionDenied, Message: "a sub-agent may not delegate: do the " +
			"task with the other tools"}
	case len(in.Tasks) == 0:
		return invalid("tasks: got none, want at least one")
	case len(in.Tasks) > d.options.MaxTasks:
		return invalid("tasks: got %d, want at most %d", len(in.Tasks), d.options.MaxTasks)
	}
	tools := d.tools()
	for i := range in.Tasks {
		if err := in.Tasks[i].check(func(tool string) bool {
			return slices.ContainsFunc(tools, func(def toolkit.Definition) bool { return def.Name == tool })
		}); err != nil {
			return invalid("tasks[%d]: %v", i, err)
		}
	}
	return nil
}

func (d *delegate) runTasks(ctx context.Context, in input) ([]*task, error) {
	if err := d.check(ctx, in); err != nil {
		return nil, err
	}
	tasks := make([]*task, len(in.Tasks))
	for i, t := range in.Tasks {
		tasks[i] = &task{delegate: d, text: t.Instruction, name: cmp.Or(t.Name, fmt.Sprintf("task %d", i+1)), only: t.Tools}
	}
	var next atomic.Int64
	var done sync.WaitGroup
	var work func()
	work = func() {
		finished := false
		defer func() {
			if !finished { // a model ended this goroutine: another takes over
				done.Go(work)
			}
		}()
		for i := next.Add(1) - 1; i < int64(len(tasks)); i = next.Add(1) - 1 {
			tasks[i].runTask(ctx)
		}
		finished = true
	}
	for range min(d.options.Parallel, len(tasks)) {
		done.Go(work)
	}
	done.Wait()
	return tasks, nil
}

// report tells how each task went. It is a failure if all of them failed.
func report(tasks []*task) (string, error) {
	var b strings.Builder
	var failed []error
	for _, t := range tasks {
		if t.err != nil {
			failed = append(failed, t.err)
		}
	}
	fmt.Fprintf(&b, "%d of %d tasks done\n", len(tasks)-len(failed), len(tasks))
	for i, t := range tasks {
		fmt.Fprintf(&b, "\n--- task %d", i+1)
		if t.name != fmt.Sprintf("task %d", i+1) {
			fmt.Fprintf(&b, " (%s)", t.name)
		}
		b.WriteString(": ")
		if t.err == nil {
			b.WriteString("done")
		} else {
			fmt.Fprintf(&b, "failed, %.500s", t.err.Error())
		}
		fmt.Fprintf(&b, " (turns %d, calls %d, of which %d failed, tokens %d)\n", t.turns, t.calls, t.failures, t.tokens)
		if answer := strings.TrimSpace(t.answer); answer != "" {
			b.WriteString(answer + "\n")
		}
	}
	if len(failed) < len(tasks) {
		return b.String(), nil
	}
	// The first one's kind stands for all.
	return b.String(), &toolkit.Error{Kind: toolkit.Kind(toolkit.TypeOf(failed[0])), Message: "no task was done",
		Cause: errors.Join(failed...)}
}

// TaskName returns the name of the task whose context it is, which [Options].Start and the sub-agent's calls get:
// that of the arguments, or "task 1" and so on. Outside of tasks it is "".
func TaskName(ctx context.Context) string {
	name, _ := ctx.Value(insideKey{}).(string)
	return name
}

// inside reports whether a sub-agent makes the call.
func inside(ctx context.Context) bool { return ctx.Value(insideKey{}) != nil }
