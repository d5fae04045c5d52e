// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package workflow

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/workflow/internal/expression"
	"github.com/toolscope/toolscope/workflow/internal/interpret"
)

// A DryStep is a call that a run would make.
type DryStep struct {
	Step      string          `json:"step"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments,omitempty"` // nil if they depend on results
	// Verdict is "allow" or "ask" for a call that the Validate and Permit policies let pass, the error.type of one that they
	// refuse, and "unknown" for one whose arguments depend on results. It is "invalid_arguments" for a step, of whatever
	// kind, whose values are wrong: Reason says why.
	Verdict string `json:"verdict"`
	Reason  string `json:"reason,omitempty"`
	// Depth is how many workflows are around the step: 0 for those of the workflow that would run. The steps of a workflow
	// that a step calls follow that step, and their paths are those in it.
	Depth int `json:"depth,omitempty"`
}

// DryRun reports the calls that a run with these arguments would make, as far as they do not depend on results, and
// what the Validate and Permit policies of the scope say to each. No tool runs. Of a branch whose condition depends on a
// result both sides are reported. A step that calls a workflow is followed by the steps of that, unless it is refused.
func (s *Set) DryRun(ctx context.Context, name string, arguments json.RawMessage) ([]DryStep, error) {
	f := s.flows[name]
	if f == nil {
		return nil, &Error{name, "the unknown workflow", "one of " + strings.Join(s.names(), ", ")}
	}
	if err := s.validate(ctx, f, arguments); err != nil {
		return nil, err
	}
	input, err := inputOf(name, f.source.Input, arguments)
	if err != nil {
		return nil, err
	}
	settings := s.options.Scope.Settings()
	var policies []middleware.Policy
	for _, p := range settings.Policies {
		if stage := p.Stage(); stage == middleware.StageValidate || stage == middleware.StagePermit {
			policies = append(policies, p)
		}
	}
	d := &dryRun{ctx: ctx, find: s.find, flows: s.flows, off: settings.ToolsOff, policies: policies, steps: []DryStep{}}
	known := map[string]any{"input": input, "var": map[string]any{}}
	d.sequence(f.program.Steps, known, "")
	return d.steps, nil
}

type dryRun struct {
	ctx      context.Context
	find     toolkit.Lookup
	flows    map[string]*flow
	depth    int      // of the workflow whose steps are reported
	off      []string // tools that are turned off
	policies []middleware.Policy
	steps    []DryStep
	visited  int
	full     bool // a bound was reached
}

// Bounds of a dry run: lists within lists have many steps.
const (
	maxVisited  = 10_000
	maxReported = 1000
)

// sequence reports steps. known are the values that do not depend on results.
func (d *dryRun) sequence(steps []*interpret.Node, known map[string]any, path string) {
	for _, n := range steps {
		d.step(n, known, path)
	}
}

func (d *dryRun) step(n *interpret.Node, known map[string]any, path string) {
	if n == nil || d.full {
		return
	}
	if d.visited++; len(d.steps) >= maxReported || d.visited > maxVisited {
		d.full = true
		d.report("", &DryStep{Verdict: undecided,
			Reason: fmt.Sprintf("the dry run ends here: it has looked at %d steps", d.visited-1)})
		return
	}
	if n.Name != "" {
		path = strings.TrimPrefix(path+"/"+n.Name, "/")
	}
	switch n.Kind {
	case interpret.Call:
		d.call(n.Call, known, path)
	case interpret.Parallel:
		for _, branch := range n.Branches {
			d.step(branch, maps.Clone(known), path)
		}
	case interpret.If:
		d.branch(n, known, path)
	case interpret.Each:
		d.each(n, known, path)
	case interpret.Loop:
		d.loop(n, known, path)
	case interpret.Set:
		d.set(n, known, path)
	case interpret.Block:
		d.sequence(n.Steps, known, path)
	}
	d.step(n.FallbackStep, known, path)
}

func (d *dryRun) branch(n *interpret.Node, known map[string]any, path string) {
	switch yes, doubt := condition(n, known); {
	case doubt == nil && yes:
		d.step(n.Then, known, path)
	case doubt == nil:
		d.step(n.Else, known, path)
	case doubt.Verdict == undecided:
		before := maps.Clone(known)
		d.unsettle(n.Then, known, path)
		d.unsettle(n.Else, before, path)
	default:
		d.report(path, doubt)
	}
}

// loop reports the first repetition. What the others do depends on it.
func (d *dryRun) loop(n *interpret.Node, known map[string]any, path string) {
	first := maps.Clone(known)
	first["iteration"], first["results"] = 0, []any{}
	switch again, doubt := condition(n, first); {
	case doubt != nil && doubt.Verdict != undecided:
		d.report(path, doubt)
	case doubt != nil || again:
		d.step(n.Body, first, path+"/0")
		delete(known, "var")
	}
}

// unsettle reports a step that may run or not, or several times: no variable is known after it.
func (d *dryRun) unsettle(n *interpret.Node, known map[string]any, path string) {
	d.step(n, maps.Clone(known), path)
	delete(known, "var")
}

func (d *dryRun) call(c *interpret.ToolCall, known map[string]any, path string) {
	arguments, doubt := eval(c.With, known)
	if doubt != nil {
		doubt.Tool = c.Tool
		if d.report(path, doubt); doubt.Verdict == undecided {
			d.nested(c.Tool, map[string]any{})
		}
		return
	}
	step := DryStep{Step: path, Tool: c.Tool, Depth: d.depth}
	text, err := json.Marshal(arguments)
	if slices.Contains(d.off, c.Tool) {
		err = &toolkit.Error{Kind: toolkit.ErrPermissionDenied, Tool: c.Tool, Message: "the tool is turned off"}
	}
	if err == nil {
		step.Arguments, step.Verdict = text, "allow"
		var tags []toolkit.Tag
		if tags, err = check(d.ctx, d.find, toolkit.Call{Name: c.Tool, Arguments: text}, d.policies...); err == nil &&
			slices.Contains(tags, toolkit.Tag{Key: "permission.decision", Value: "ask"}) {
			step.Verdict = "ask"
		}
	}
	if err != nil {
		step.Verdict, step.Reason = toolkit.TypeOf(err), err.Error()
	}
	d.steps = append(d.steps, step)
	if f := d.flows[c.Tool]; f != nil && err == nil {
		if input, err := inputOf(c.Tool, f.source.Input, text); err == nil {
			d.nested(c.Tool, map[string]any{"input": input})
		}
	}
}

// nested reports the steps of a workflow that a step calls; known has its input, if that is known. The loader bounds how
// deep workflows call each other.
func (d *dryRun) nested(name string, known map[string]any) {
	f := d.flows[name]
	if f == nil {
		return
	}
	known["var"] = map[string]any{}
	d.depth++
	d.sequence(f.program.Steps, known, "")
	d.depth--
}

func (d *dryRun) each(n *interpret.Node, known map[string]any, path string) {
	value, doubt := eval(n.In, known)
	items, list := value.([]any)
	switch {
	case doubt != nil && doubt.Verdict == undecided:
		d.step(n.Body, maps.Clone(known), path+"/*")
	case doubt != nil:
		d.report(path, doubt)
		return
	case !list || len(items) > n.Max:
		d.report(path, wrong(interpret.NotAList(value, n.Max)))
		return
	}
	for i, item := range items {
		if d.full {
			return
		}
		own := maps.Clone(known)
		own["item"], own["index"] = item, i
		d.step(n.Body, own, path+"/"+strconv.Itoa(i))
	}
	if n.Combine != nil {
		d.call(n.Combine, known, path+"/merge")
	}
}

// set takes over variables. One whose value is not known makes all unknown, so that none has an old value.
func (d *dryRun) set(n *interpret.Node, known map[string]any, path string) {
	before, ok := known["var"].(map[string]any)
	variables := maps.Clone(before)
	for _, v := range n.Set {
		value, doubt := eval(v.Value, known)
		if doubt != nil && doubt.Verdict != undecided {
			doubt.Reason = v.Name + ": " + doubt.Reason
			d.report(path, doubt)
		}
		if ok = ok && doubt == nil; ok {
			variables[v.Name] = value
		}
	}
	if !ok {
		delete(known, "var")
		return
	}
	known["var"] = variables
}

// report adds what is doubtful at a step.
func (d *dryRun) report(path string, doubt *DryStep) {
	doubt.Step, doubt.Depth = path, d.depth
	d.steps = append(d.steps, *doubt)
}

// undecided is the verdict on what depends on results.
const undecided = "unknown"

// wrong is the verdict on a value that has an error whatever the results are.
func wrong(err error) *DryStep {
	return &DryStep{Verdict: string(toolkit.ErrInvalidArguments), Reason: err.Error()}
}

// eval evaluates a value if all that it depends on is known; else doubt says what is not, or what is wrong.
func eval(v *expression.Value, known map[string]any) (value any, doubt *DryStep) {
	for _, name := range v.Names() {
		if _, ok := known[name]; !ok {
			return nil, &DryStep{Verdict: undecided, Reason: "depends on " + name}
		}
	}
	value, err := v.Eval(known)
	if err != nil {
		return nil, wrong(err)
	}
	return value, nil
}

// condition evaluates the condition of a step.
func condition(n *interpret.Node, known map[string]any) (yes bool, doubt *DryStep) {
	value, doubt := eval(n.When, known)
	if doubt != nil {
		return false, doubt
	}
	yes, ok := value.(bool)
	if !ok {
		return false, wrong(interpret.NotACondition(value))
	}
	return yes, nil
}
