// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

// category is that of the tools that a sub-agent is not shown.
const category = "agents"

const description = "Hands tasks to sub-agents that work at the same time with the tools you have, and answers " +
	"with what each found out. " +
	"A sub-agent knows nothing but its task: say in it all that is needed. It cannot ask back, and cannot delegate."

const maxTask = 64 << 10 // bytes of a task

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
	return toolkit.NewTool(toolkit.Definition{
		Name: "agent_delegate", Description: description,
		Title: "Delegate to sub-agents", InputSchema: json.RawMessage(fmt.Sprintf(schema, o.MaxTasks)),
		Type: toolkit.ToolExtension, Category: category, Risk: toolkit.RiskMedium,
		// Whether it is destructive depends on the calls that the sub-agents make.
		ReadOnly: toolkit.No, Idempotent: toolkit.No, Destructive: toolkit.Unsaid, OpenWorld: toolkit.Yes,
		Timeout: time.Duration((o.MaxTasks+o.Parallel-1)/o.Parallel) * o.Timeout, CacheTTL: -1,
	}, d.runTasks), nil
}

const schema = `{
  "type": "object",
  "properties": {
    "tasks": {"type": "array", "minItems": 1, "maxItems": %d, "description": "The tasks, each for a sub-agent of its own.",
      "items": {"type": "string", "minLength": 1, "description": "What is to be done and what the answer should be, ` +
	`with all that the sub-agent has to know."}}
  },
  "required": ["tasks"],
  "additionalProperties": false
}`

// delegate is the tool.
type delegate struct {
	model   Model
	options Options
}

type input struct {
	Tasks []string `json:"tasks"`
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
	for i, t := range in.Tasks {
		if strings.TrimSpace(t) == "" || len(t) > maxTask {
			return invalid("tasks[%d]: got %d bytes, want a text of at most %d", i, len(t), maxTask)
		}
	}
	return nil
}

func (d *delegate) runTasks(ctx context.Context, in input) (string, error) {
	if err := d.check(ctx, in); err != nil {
		return "", err
	}
	tasks := make([]*task, len(in.Tasks))
	for i, text := range in.Tasks {
		tasks[i] = &task{delegate: d, text: text}
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
	return report(tasks)
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
		fmt.Fprintf(&b, "\n--- task %d: ", i+1)
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

type insideKey struct{}

// inside reports whether a sub-agent makes the call.
func inside(ctx context.Context) bool { return ctx.Value(insideKey{}) != nil }
