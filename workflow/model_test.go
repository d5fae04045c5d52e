// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package workflow_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/workflow"
)

// TestRandomDefinitions compares runs of random definitions with a model: results, failures, undos, the log and the ids
// of calls. TOOLSCOPE_WORKFLOWS is how many definitions; make workflows runs 10,000 with the race detector.
func TestRandomDefinitions(t *testing.T) {
	count := 1000
	if text := os.Getenv("TOOLSCOPE_WORKFLOWS"); text != "" {
		var err error
		if count, err = strconv.Atoi(text); err != nil {
			t.Fatalf("TOOLSCOPE_WORKFLOWS: got %q, want a number", text)
		}
	}
	b := newBench(t, toolscope.Options{})
	failures, undos := 0, 0
	for seed := range count {
		g := &generator{Rand: rand.New(rand.NewPCG(uint64(seed), 30))}
		definition := g.definition()
		b.calls = nil
		set, err := workflow.New(workflow.Options{Handler: b.handler, Tools: b.registry, Scope: b.scope,
			Definitions: map[string]workflow.Definition{"w": definition}})
		if err != nil {
			t.Fatalf("seed %d: %v\n%+v", seed, err, definition)
		}
		r := set.Run(t.Context(), "w", []byte(`{"n": 3, "list": [1, 2, 3]}`))
		m := runModel(definition)
		got := outcome{encoded(masked(r.Output)), r.Run.FailedStep, r.Run.ErrorType, r.Run.Undone, r.Run.NotUndone, nil,
			settled(b.ids(r.Run.ID), m)}
		for _, e := range r.Run.Log {
			if e.Status != "canceled" {
				got.log = append(got.log, fmt.Sprintf("%s %s %s %s %s", e.Step, e.Kind, e.Tool, e.Status, e.ErrorType))
			}
		}
		if want := m.outcome(); !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: got\n%+v, want\n%+v\n%s", seed, got, want, encoded(definition))
		}
		if r.Err != nil {
			failures++
		}
		undos += len(r.Run.Undone)
	}
	if failures < count/20 || failures > count*19/20 || undos < count/20 {
		t.Errorf("got %d failures and %d undos in %d runs, want more variety", failures, undos, count)
	}
}

// settled are the ids of calls in order, without those of tools that wait to be cancelled.
func settled(ids []string, m *model) (kept []string) {
	for _, id := range ids {
		if !slices.Contains(m.waits, id) {
			kept = append(kept, id)
		}
	}
	slices.Sort(kept)
	return kept
}

type outcome struct {
	output, step, errorType string
	undone, notUndone, log  []string
	calls                   []string
}

// A generator makes definitions that load.
type generator struct {
	*rand.Rand
	ids, steps int
}

func (g *generator) definition() workflow.Definition {
	d := workflow.Definition{OnError: []workflow.OnError{"", "", workflow.Stop, workflow.Skip, workflow.Fallback}[g.IntN(5)]}
	names := []string{"$input.n", "${ input.n + 1 }"}
	d.Steps, names = g.sequence(1+g.IntN(4), names, 0)
	d.Steps = append([]workflow.Step{{Set: map[string]any{"x": 0}}}, d.Steps...)
	if g.IntN(2) == 0 {
		d.Output = g.value(names)
	}
	return d
}

func (g *generator) sequence(n int, names []string, depth int) (steps []workflow.Step, after []string) {
	for range n {
		s := g.step(names, depth, false)
		if s.ID != "" {
			names = append(names[:len(names):len(names)], "$"+s.ID+".result", "$"+s.ID+".ok")
		}
		steps = append(steps, s)
	}
	return steps, names
}

func (g *generator) value(names []string) any {
	if g.IntN(12) == 0 {
		return "$input.missing"
	}
	if g.IntN(3) == 0 {
		return []any{names[g.IntN(len(names))], g.IntN(9)}
	}
	return names[g.IntN(len(names))]
}

func (g *generator) condition() string { return fmt.Sprintf("${ input.n > %d }", g.IntN(6)) }

// step makes a step. One that is safe does not fail, so that it can run next to others.
func (g *generator) step(names []string, depth int, safe bool) workflow.Step {
	g.steps++
	s := workflow.Step{}
	if g.IntN(3) > 0 {
		g.ids++
		s.ID = fmt.Sprintf("s%d", g.ids)
	}
	if safe {
		s.Call, s.With = "echo", map[string]any{"v": "$item"}
		return s
	}
	if kind := g.IntN(10); kind < 5 || depth > 2 || g.steps > 40 {
		g.call(&s, names)
	} else {
		g.composite(&s, kind, names, depth)
	}
	switch g.IntN(12) {
	case 0:
		s.OnError = workflow.Skip
	case 1:
		s.OnError = workflow.Fallback
	case 2:
		s.Fallback = g.value(names)
	case 3:
		f := workflow.Step{}
		g.call(&f, names)
		s.FallbackStep = &f
	}
	return s
}

func (g *generator) call(s *workflow.Step, names []string) {
	s.Call, s.With = []string{"echo", "echo", "write", "fail"}[g.IntN(4)], map[string]any{"v": g.value(names)}
	if g.IntN(3) == 0 {
		s.Undo = &workflow.Call{Tool: []string{"revert", "revert", "fail"}[g.IntN(3)], With: map[string]any{"v": g.value(names)}}
	}
}

func (g *generator) composite(s *workflow.Step, kind int, names []string, depth int) {
	inner := func() *workflow.Step { s := g.step(names, depth+1, false); return &s }
	switch kind {
	case 5:
		s.Parallel = &workflow.Parallel{Merge: []workflow.Merge{workflow.All, workflow.Majority, workflow.Agree,
			workflow.First}[g.IntN(4)]}
		if s.Parallel.Merge == workflow.First { // one that can succeed, so that it is known which wins
			s.Parallel.Branches = []workflow.Step{{Call: "wait"}, {Call: "echo", With: map[string]any{"v": 1}}, {Call: "wait"}}
			return
		}
		for range 1 + g.IntN(3) {
			s.Parallel.Branches = append(s.Parallel.Branches, *inner())
		}
	case 6:
		s.If, s.Then = g.condition(), inner()
		if g.IntN(2) == 0 {
			s.Else = inner()
		}
	case 7:
		s.Each = &workflow.Each{In: []any{"$input.list", "$input.n", []any{}, []any{"$input.n", 5}}[g.IntN(4)], Parallel: 1}
		if g.IntN(2) == 0 {
			s.Each.Parallel = 3
		}
		body := g.step(append(names[:len(names):len(names)], "$item", "$index"), depth+1, s.Each.Parallel > 1)
		s.Each.Do = &body
		if g.IntN(3) == 0 {
			s.Each.Merge = &workflow.Call{Tool: []string{"echo", "fail"}[g.IntN(2)], With: map[string]any{"r": "$results"}}
		}
	case 8:
		s.Loop = &workflow.Loop{While: fmt.Sprintf("${ iteration < %d }", g.IntN(4)), Max: 1 + g.IntN(3)}
		body := g.step(append(names[:len(names):len(names)], "$iteration", "$var.x"), depth+1, false)
		s.Loop.Do = &body
	default:
		if g.IntN(2) == 0 {
			s.Set = map[string]any{"x": g.value(names)}
			return
		}
		s.Steps, _ = g.sequence(1+g.IntN(3), names, depth+1)
	}
}

// A model runs definitions one step after the other, as the documentation says.
type model struct {
	d                    workflow.Definition
	log, calls, waits    []string
	undos                []func()
	undone, notUndone    []string
	output               any
	lost                 bool
	failedType, at, text string
}

func runModel(d workflow.Definition) *model {
	m := &model{d: d}
	env := map[string]any{"input": map[string]any{"n": 3, "list": []any{1, 2, 3}}, "var": map[string]any{}}
	v, ok := m.sequence(d.Steps, env, "", or(d.OnError, workflow.Stop))
	if ok && d.Output != nil {
		if v, ok = m.value(d.Output, env); !ok {
			m.fail("invalid_arguments", "output")
		}
	}
	if ok {
		m.output = v
		return m
	}
	m.lost = true
	at, kind := m.at, m.failedType
	for _, undo := range slices.Backward(m.undos) {
		undo()
	}
	m.at, m.failedType = at, kind
	return m
}

func (m *model) outcome() outcome {
	slices.Sort(m.calls)
	o := outcome{output: encoded(masked(m.output)), log: m.log, undone: m.undone, notUndone: m.notUndone, calls: m.calls}
	if m.lost {
		o.step, o.errorType = m.at, m.failedType
	}
	return o
}

func (m *model) fail(kind, at string) { m.failedType, m.at, m.text = kind, at, "TEXT" }

// masked is an output with TEXT in place of messages.
func masked(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = masked(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = masked(v[k])
		}
		if _, ok := v["error"].(string); ok {
			v["error"] = "TEXT"
		}
	}
	return v
}

func or[T comparable](a, b T) T {
	if a == *new(T) {
		return b
	}
	return a
}

// value evaluates what the generator makes.
func (m *model) value(v any, env map[string]any) (any, bool) {
	switch v := v.(type) {
	case []any:
		list := []any{}
		for _, e := range v {
			x, ok := m.value(e, env)
			if !ok {
				return nil, false
			}
			list = append(list, x)
		}
		return list, true
	case string:
		if rest, ok := strings.CutPrefix(v, "${ iteration < "); ok {
			n, _ := strconv.Atoi(strings.TrimSuffix(rest, " }"))
			return env["iteration"].(int) < n, true
		}
		if rest, ok := strings.CutPrefix(v, "${ input.n > "); ok {
			n, _ := strconv.Atoi(strings.TrimSuffix(rest, " }"))
			return 3 > n, true
		}
		switch v {
		case "${ input.n + 1 }":
			return 4, true
		case "$input.missing":
			return nil, false
		}
		var x any = env
		for _, name := range strings.Split(v[1:], ".") {
			x = x.(map[string]any)[name]
		}
		return x, true
	}
	return v, true
}

func (m *model) sequence(steps []workflow.Step, env map[string]any, path string, onError workflow.OnError) (v any, ok bool) {
	ok = true
	for i := range steps {
		if v, ok = m.step(&steps[i], env, path, strconv.Itoa(i), onError); !ok {
			return nil, false
		}
	}
	return v, true
}

func (m *model) tool(name string, with map[string]any, env map[string]any, path, id string) (any, bool) {
	arguments := map[string]any{}
	for _, k := range slices.Sorted(maps.Keys(with)) {
		v, ok := m.value(with[k], env)
		if !ok {
			m.fail("invalid_arguments", path)
			return nil, false
		}
		arguments[k] = v
	}
	m.calls = append(m.calls, id)
	if name == "fail" {
		m.fail("tool_error", path)
		m.text = "failed with " + encoded(arguments)
		return nil, false
	}
	return arguments, true
}

func join(path, name string) string { return strings.Trim(path+"/"+name, "/") }

func (m *model) step(s *workflow.Step, env map[string]any, path, name string, onError workflow.OnError) (any, bool) {
	path = join(path, or(s.ID, name))
	kind, v, ok := m.do(s, env, path, onError)
	status, errorType := "done", ""
	own := map[string]any{"ok": ok}
	if !ok {
		errorType = m.failedType
		mode := or(s.OnError, onError)
		if s.Fallback != nil || s.FallbackStep != nil {
			mode = workflow.Fallback
		}
		status = "failed"
		switch {
		case mode == workflow.Skip:
			status, v, ok = "skipped", nil, true
		case s.FallbackStep != nil:
			if v, ok = m.step(s.FallbackStep, env, path, "fallback", workflow.Stop); ok {
				status = "fallback"
			}
		case s.Fallback != nil:
			if v, ok = m.value(s.Fallback, env); ok {
				status = "fallback"
			} else {
				m.fail("invalid_arguments", path)
			}
		case mode == workflow.Fallback:
			status, v, ok = "fallback", map[string]any{"fallback": true, "error": m.text, "error_type": errorType}, true
		}
	}
	m.log = append(m.log, strings.TrimSuffix(fmt.Sprintf("%s %s %s %s %s", path, kind, s.Call, status, errorType), "\n"))
	if ok && s.ID != "" {
		own["result"] = v
		env[s.ID] = own
	}
	if status == "done" && s.Undo != nil {
		seen := maps.Clone(env)
		with := map[string]any{}
		valid := true
		for k, x := range s.Undo.With {
			value, ok := m.value(x, seen)
			with[k], valid = value, valid && ok
		}
		m.undos = append(m.undos, func() { m.undo(s, path, valid) })
	}
	return v, ok
}

func (m *model) undo(s *workflow.Step, path string, valid bool) {
	kind := ""
	switch {
	case !valid:
		kind = "invalid_arguments"
	case s.Undo.Tool == "fail":
		kind = "tool_error"
	}
	if valid {
		m.calls = append(m.calls, path+"/undo")
	}
	status := "done"
	if kind != "" {
		status = "failed"
		m.notUndone = append(m.notUndone, path)
	} else {
		m.undone = append(m.undone, path)
	}
	m.log = append(m.log, fmt.Sprintf("%s undo %s %s %s", path, s.Undo.Tool, status, kind))
}

// alone is the environment of a branch.
func alone(env map[string]any) map[string]any {
	own := maps.Clone(env)
	own["var"] = maps.Clone(env["var"].(map[string]any))
	return own
}

func (m *model) do(s *workflow.Step, env map[string]any, path string, onError workflow.OnError) (kind string, v any, ok bool) {
	switch {
	case s.Call != "":
		v, ok = m.tool(s.Call, s.With, env, path, path)
		return "call", v, ok
	case s.Parallel != nil:
		v, ok = m.parallel(s.Parallel, env, path)
		return "parallel", v, ok
	case s.If != "":
		if yes, _ := m.value(s.If, env); yes == true {
			v, ok = m.step(s.Then, env, path, "then", onError)
		} else if ok = true; s.Else != nil {
			v, ok = m.step(s.Else, env, path, "else", onError)
		}
		return "if", v, ok
	case s.Each != nil:
		v, ok = m.each(s.Each, env, path)
		return "each", v, ok
	case s.Loop != nil:
		results := []any{}
		before := maps.Clone(env)
		defer func() {
			delete(env, "iteration")
			if i, was := before["iteration"]; was {
				env["iteration"] = i
			}
		}()
		for i := range s.Loop.Max {
			env["iteration"] = i
			if again, _ := m.value(s.Loop.While, env); again != true {
				break
			}
			v, ok := m.step(s.Loop.Do, env, join(path, strconv.Itoa(i)), "", onError)
			if !ok {
				return "loop", nil, false
			}
			results = append(results, v)
		}
		return "loop", results, true
	case s.Set != nil:
		x, ok := m.value(s.Set["x"], env)
		if !ok {
			m.fail("invalid_arguments", path)
			return "set", nil, false
		}
		env["var"].(map[string]any)["x"] = x
		return "set", map[string]any{"x": x}, true
	}
	v, ok = m.sequence(s.Steps, env, path, onError)
	return "steps", v, ok
}

func (m *model) parallel(p *workflow.Parallel, env map[string]any, path string) (any, bool) {
	values, kind, at, text := []any{}, "", "", ""
	for i := range p.Branches {
		if p.Branches[i].Call == "wait" {
			m.waits = append(m.waits, join(path, strconv.Itoa(i)))
			continue
		}
		if v, ok := m.step(&p.Branches[i], alone(env), path, strconv.Itoa(i), workflow.Stop); ok {
			values = append(values, v)
		} else if kind == "" {
			kind, at, text = m.failedType, m.at, m.text
		}
	}
	switch {
	case p.Merge == workflow.First:
		return values[0], true
	case p.Merge == workflow.All && kind != "":
		m.fail(kind, at)
		m.text = text
		return nil, false
	case p.Merge == workflow.All:
		return values, true
	case 2*len(values) <= len(p.Branches):
		m.fail(kind, path)
		return nil, false
	case p.Merge == workflow.Majority:
		return values, true
	}
	for _, v := range values {
		same := 0
		for _, w := range values {
			if encoded(v) == encoded(w) {
				same++
			}
		}
		if 2*same > len(p.Branches) {
			return v, true
		}
	}
	m.fail("tool_error", path)
	return nil, false
}

func (m *model) each(e *workflow.Each, env map[string]any, path string) (any, bool) {
	in, _ := m.value(e.In, env)
	list, ok := in.([]any)
	if !ok {
		m.fail("invalid_arguments", path)
		return nil, false
	}
	results := []any{}
	for i, item := range list {
		own := alone(env)
		own["item"], own["index"] = item, i
		v, ok := m.step(e.Do, own, join(path, strconv.Itoa(i)), "", workflow.Stop)
		if !ok {
			return nil, false
		}
		results = append(results, v)
	}
	if e.Merge == nil {
		return results, true
	}
	with := maps.Clone(env)
	with["results"] = results
	v, ok := m.tool(e.Merge.Tool, e.Merge.With, with, join(path, "merge"), join(path, "merge"))
	status, kind := "done", ""
	if !ok {
		status, kind = "failed", m.failedType
	}
	m.log = append(m.log, fmt.Sprintf("%s merge %s %s %s", join(path, "merge"), e.Merge.Tool, status, kind))
	return v, ok
}
