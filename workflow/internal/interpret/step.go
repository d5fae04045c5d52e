// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package interpret

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/toolscope/toolscope/toolkit"
)

// sequence runs steps one after the other. The result is that of the last one.
func (r *run) sequence(e Engine, f *frame, steps []*Node, path string) (result any, failure *Failure) {
	for _, n := range steps {
		if result, failure = r.step(e, f, n, path); failure != nil {
			return nil, failure
		}
	}
	return result, nil
}

// step runs a step below a path and does what it says about errors.
func (r *run) step(e Engine, f *frame, n *Node, path string) (any, *Failure) {
	path = below(path, n.Name)
	if ended := e.Ended(); ended != nil {
		return nil, at(ended, path)
	}
	if r.steps.Add(1) > maxSteps {
		return nil, &Failure{Type: string(toolkit.ErrBudgetExceeded), Step: path, Final: true,
			Message: fmt.Sprintf("the run has made %d steps", maxSteps)}
	}
	entry := Entry{Step: path, Kind: n.Kind.String(), Status: Done, Start: e.Now()}
	if n.Kind == Call {
		entry.Tool = n.Call.Tool
	}
	value, failure := r.limited(e, f, n, path)
	result := value
	outcome := map[string]any{"ok": failure == nil, "error": nil}
	if failure != nil {
		entry.ErrorType = failure.Type
		outcome["error"] = map[string]any{"type": failure.Type, "message": failure.Message}
		entry.Status, result, failure = r.proceed(e, f, n, path, failure)
	}
	entry.Took = e.Now().Sub(entry.Start)
	f.addEntry(entry)
	outcome["result"] = result
	if failure == nil && n.ID != "" {
		f.env[n.ID] = outcome
	}
	if entry.Status == Done && n.Undo != nil {
		arguments, err := n.Undo.With.Eval(f.env)
		f.undos = append(f.undos, undo{path, n.Undo.Tool, arguments, err})
	}
	return result, failure
}

// proceed is what follows a failure: how the step ended, its result, and the failure if the run does not go on.
// What ended the strand is never skipped over.
func (r *run) proceed(e Engine, f *frame, n *Node, path string, failure *Failure) (Status, any, *Failure) {
	if ended := e.Ended(); ended != nil {
		return Canceled, nil, endedAt(ended, failure)
	}
	switch {
	case failure.Final || n.OnError == Stop:
		return Failed, nil, failure
	case n.OnError == Skip:
		return Skipped, nil, nil
	case n.FallbackStep != nil:
		value, failure := r.step(e, f, n.FallbackStep, path)
		if failure != nil {
			return Failed, nil, failure
		}
		return FellBack, value, nil
	case n.Fallback != nil:
		value, err := n.Fallback.Eval(f.env)
		if err != nil {
			return Failed, nil, invalid(path, err)
		}
		return FellBack, value, nil
	}
	return FellBack, map[string]any{"fallback": true, "error": failure.Message, "error_type": failure.Type}, nil
}

// limited runs a step within its time limit. A call has its own.
func (r *run) limited(e Engine, f *frame, n *Node, path string) (any, *Failure) {
	if n.Kind == Call {
		return r.call(e, f, n.Call, path, n.Timeout)
	}
	if n.Timeout > 0 {
		limited, release := e.Limit(n.Timeout)
		defer release()
		e = limited
	}
	switch n.Kind {
	case Parallel:
		return r.parallel(e, f, n, path)
	case If:
		return r.branch(e, f, n, path)
	case Each:
		return r.each(e, f, n, path)
	case Loop:
		return r.loop(e, f, n, path)
	case Set:
		return r.set(f, n, path)
	}
	return r.sequence(e, f, n.Steps, path)
}

func (r *run) set(f *frame, n *Node, path string) (any, *Failure) {
	set := map[string]any{}
	for _, v := range n.Set {
		value, err := v.Value.Eval(f.env)
		if err != nil {
			return nil, invalid(path, fmt.Errorf("%s: %w", v.Name, err))
		}
		set[v.Name] = value
	}
	variables := f.env["var"].(map[string]any)
	for _, v := range n.Set {
		variables[v.Name] = set[v.Name]
	}
	return set, nil
}

func (r *run) branch(e Engine, f *frame, n *Node, path string) (any, *Failure) {
	yes, failure := condition(f, n, path)
	switch {
	case failure != nil:
		return nil, failure
	case yes:
		return r.step(e, f, n.Then, path)
	case n.Else != nil:
		return r.step(e, f, n.Else, path)
	}
	return nil, nil
}

func (r *run) loop(e Engine, f *frame, n *Node, path string) (any, *Failure) {
	defer restore(f, "iteration", "results")()
	results := []any{}
	for i := 0; ; i++ {
		f.env["iteration"], f.env["results"] = i, results
		if i == n.Max {
			return results, nil
		}
		again, failure := condition(f, n, path)
		if failure != nil || !again {
			return results, failure
		}
		if i > 0 && n.Delay > 0 {
			e.Sleep(n.Delay)
		}
		value, failure := r.step(e, f, n.Body, below(path, strconv.Itoa(i)))
		if failure != nil {
			return nil, failure
		}
		results = append(results[:i:i], value)
	}
}

// restore returns what gives names the values that they have now.
func restore(f *frame, names ...string) func() {
	before := map[string]any{}
	for _, name := range names {
		if v, ok := f.env[name]; ok {
			before[name] = v
		}
	}
	return func() {
		for _, name := range names {
			delete(f.env, name)
			if v, ok := before[name]; ok {
				f.env[name] = v
			}
		}
	}
}

func condition(f *frame, n *Node, path string) (bool, *Failure) {
	value, err := n.When.Eval(f.env)
	if err != nil {
		return false, invalid(path, err)
	}
	yes, ok := value.(bool)
	if !ok {
		return false, invalid(path, NotACondition(value))
	}
	return yes, nil
}

// below is a path with a further part.
func below(path, name string) string {
	if path == "" || name == "" {
		return path + name
	}
	return path + "/" + name
}

// endedAt is the failure of a strand that ended while a step of it failed.
func endedAt(ended, failure *Failure) *Failure {
	copied := at(ended, failure.Step)
	if failure.Nested {
		copied.Nested = true
		if copied.Message = failure.Message; !strings.HasPrefix(failure.Message, ended.Message) { // of a step in this one
			copied.Message = ended.Message + ": " + failure.Message
		}
	}
	return copied
}

// at is a failure of a strand, at a step.
func at(failure *Failure, step string) *Failure {
	copied := *failure
	copied.Step = step
	return &copied
}
