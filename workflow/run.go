// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package workflow

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/internal/workflowagent"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/validate"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/workflow/internal/expression"
	"github.com/toolscope/toolscope/workflow/internal/interpret"
)

// A Result is what came of a run.
type Result struct {
	// Output is a value of JSON; nil after a failure.
	Output any
	// Err says which step failed and why, and what was undone; nil for a success. errors.Is finds the step's kind.
	Err error
	// Run is the run without content, as the history keeps it.
	Run stats.WorkflowRun
}

// Run runs a workflow. arguments is a JSON object; nil is an empty one. The call is not one of a model: it has no span and no
// statistics of its own, and policies apply to the steps only.
func (s *Set) Run(ctx context.Context, name string, arguments json.RawMessage) Result {
	f := s.flows[name]
	if f == nil {
		return Result{Err: &Error{name, "the unknown workflow", "one of " + strings.Join(s.names(), ", ")}}
	}
	if err := s.validate(ctx, f, arguments); err != nil {
		return Result{Err: err}
	}
	return s.run(ctx, f, arguments)
}

// validate checks the arguments of a workflow against its schema.
func (s *Set) validate(ctx context.Context, f *flow, arguments json.RawMessage) error {
	policy, err := validate.New(validate.Options{})
	if err != nil {
		return err
	}
	lookup := func(string) *toolkit.Definition { return &f.definition }
	_, err = check(ctx, lookup, toolkit.Call{Name: f.definition.Name, Arguments: arguments}, policy)
	return err
}

// check passes a call through policies without running a tool, and returns what they recorded.
func check(
	ctx context.Context, tools toolkit.Lookup, call toolkit.Call, policies ...middleware.Policy,
) (tags []toolkit.Tag, err error) {
	accept := func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
		tags = call.Record.Disposition().Tags
		return toolkit.Result{}, nil
	}
	res, err := toolkit.Chain(accept, toolkit.Observe(tools, unobserved{}), func(h toolkit.Handler) toolkit.Handler {
		return middleware.Wrap(h, policies...)
	})(ctx, call)
	return tags, cmp.Or(err, res.Fault)
}

// unobserved observes nothing: calls have a record.
type unobserved struct{}

func (unobserved) Begin(ctx context.Context, _ toolkit.Call, _ *toolkit.CallInfo) context.Context {
	return ctx
}
func (unobserved) Wants(context.Context) bool          { return false }
func (unobserved) End(context.Context, *toolkit.Ended) {}

// depth is the key of how many workflows are around a call.
type depth struct{}

// run runs a workflow whose arguments were checked.
func (s *Set) run(ctx context.Context, f *flow, arguments json.RawMessage) Result {
	name := f.definition.Name
	level, _ := ctx.Value(depth{}).(int)
	if level == maxNesting {
		return Result{Err: &Error{name, "a run within more workflows", fmt.Sprintf("at most %d", maxNesting)}}
	}
	input, err := inputOf(name, f.source.Input, arguments)
	if err != nil {
		return Result{Err: err}
	}
	id := strings.ToLower(rand.Text()[:16])
	ctx, span := s.options.Scope.Tracing().StartWorkflow(ctx, name, id, f.digest)
	inner := context.WithValue(ctx, depth{}, level+1)
	if session := toolkit.SessionFrom(ctx); session != nil {
		own := *session
		own.Agent, own.Batch = workflowagent.Name(name), ""
		inner = toolkit.WithSession(inner, own)
	}
	var record interpret.Record
	finished := false
	defer func() {
		if !finished {
			span.End(toolkit.ErrPanic)
		}
	}()
	record = interpret.Run(local{inner, s.options.Handler}, f.program, id, input)
	finished = true
	result := Result{Output: record.Output, Run: runOf(name, id, record)}
	if sc := trace.SpanContextFromContext(ctx); sc.IsSampled() {
		result.Run.TraceID = sc.TraceID().String()
	}
	if record.Failure != nil {
		result.Err = failed(name, record)
	}
	span.End(result.Err)
	s.history.addRun(result.Run)
	return result
}

// inputOf reads the arguments of a workflow: a JSON object, or nothing.
// Members that are missing have the defaults of the workflow's schema.
func inputOf(name string, schema map[string]any, arguments json.RawMessage) (map[string]any, error) {
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	value, err := expression.Decode(arguments)
	input, ok := value.(map[string]any)
	if err == nil && !ok {
		err = errors.New("got arguments that are no JSON object")
	}
	if err != nil {
		return nil, &toolkit.Error{Kind: toolkit.ErrInvalidArguments, Tool: name, Message: err.Error()}
	}
	properties, _ := schema["properties"].(map[string]any)
	for member, property := range properties {
		property, _ := property.(map[string]any)
		standard, there := property["default"]
		if _, given := input[member]; given || !there {
			continue
		}
		if value, err := expression.Normalise(standard); err == nil {
			input[member] = value
		}
	}
	return input, nil
}

// failed describes a failed run.
func failed(name string, r interpret.Record) *toolkit.Error {
	text := fmt.Sprintf("the workflow %s failed at %s (%s): %s", name, r.Failure.Step, r.Failure.Type, r.Failure.Message)
	if len(r.Undone) > 0 {
		text += "; undone: " + strings.Join(r.Undone, ", ")
	}
	if len(r.NotUndone) > 0 {
		text += "; could not be undone: "
		for i, step := range r.NotUndone {
			if i > 0 {
				text += ", "
			}
			text += fmt.Sprintf("%s (%s)", step, r.NotUndoneWhy[i])
		}
	}
	kind := toolkit.ErrTool // the workflow ran, whatever refused its step
	if k := toolkit.Kind(r.Failure.Type); k == toolkit.ErrTimeout || k == toolkit.ErrCanceled {
		kind = k
	}
	return &toolkit.Error{Kind: kind, Tool: name, Message: text, Cause: stepError(r.Failure.Type)}
}

// stepError is the kind of the step that failed.
func stepError(kind string) error {
	if k := toolkit.Kind(kind); k.Known() {
		return k
	}
	return errors.New(kind)
}

// MetaKey is the member of a result's Meta, and of _meta in MCP, that has the run as a [stats.WorkflowRun].
const MetaKey = interpret.MetaKey

// handle is the workflow as a tool.
func (s *Set) handle(ctx context.Context, f *flow, call toolkit.Call) (toolkit.Result, error) {
	r := s.run(ctx, f, call.Arguments)
	res := toolkit.Result{}
	if text, err := json.Marshal(r.Run); err == nil && r.Run.ID != "" {
		res.Meta = map[string]json.RawMessage{MetaKey: text}
	}
	if r.Err != nil {
		// The output is not the text of the fault: policies that replace a fault, such as Timeout, keep what the tool said.
		res.Fault, res.Output = r.Err, r.Err.Error()
		if e := (*toolkit.Error)(nil); errors.As(r.Err, &e) {
			res.Output = e.Message
		}
		return res, nil
	}
	if text, ok := r.Output.(string); ok {
		res.Output = text
		return res, nil
	}
	text, err := json.Marshal(r.Output)
	if err != nil {
		return toolkit.Failure(err), nil
	}
	res.Output = string(text)
	if _, ok := r.Output.(map[string]any); ok {
		res.Parts = []toolkit.Part{{Kind: toolkit.PartStructured, JSON: text}}
	}
	return res, nil
}
