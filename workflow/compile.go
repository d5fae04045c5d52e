// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package workflow

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/toolscope/toolscope/internal/strictyaml"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/workflow/internal/expression"
	"github.com/toolscope/toolscope/workflow/internal/interpret"
)

// Bounds of definitions, and their defaults.
const (
	defaultTimeout  = 30 * time.Minute
	defaultCalls    = 1000
	maxCalls        = 10_000
	maxSteps        = 100
	maxBranches     = 50
	defaultParallel = 4
	maxParallel     = 50
	defaultItems    = 100
	maxItems        = 1000
	maxIterations   = 1000
)

var identifier = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,63}$`)

// reserved are the names of values that are not steps.
var reserved = []string{"input", "var", "item", "index", "iteration", "results"}

// A compiler compiles one definition, and collects what is wrong with it.
type compiler struct {
	find  func(tool string) *toolkit.Definition // nil: tools are not known, and not checked
	tools []string                              // their names
	ids   map[string]bool                       // of all steps
	steps int
	errs  []error
}

// A place is where a step is: the path of its field, its part of the path of a run, and what it inherits.
type place struct {
	field, name string
	names       []string // that its values may refer to
	variables   []string // members of $var, which a step sets whose variables are visible there
	onError     OnError
}

func (p place) in(field, name string, names ...string) place {
	p.field, p.name, p.names = p.field+field, name, append(p.names[:len(p.names):len(p.names)], names...)
	return p
}

// isolated is a place whose failures count where it is called from, whatever the workflow's default is.
func (p place) isolated() place {
	p.onError = Stop
	return p
}

// apart is the place of a step whose variables stay in it: a branch, or the body of each.
func (p place) apart(s *Step) place {
	p.variables = slices.Concat(p.variables, variables(s))
	return p.isolated()
}

func (c *compiler) fail(field, got, want string) {
	c.errs = append(c.errs, &Error{field, got, want})
}

// compile compiles a definition.
func (c *compiler) compile(name string, d Definition) *interpret.Program {
	c.collect(d.Steps, name)
	whole := variables(&Step{Steps: d.Steps})
	at := place{name, "", []string{"input", "var"}, whole, cmp.Or(d.OnError, Stop)}
	if _, ok := onErrors[at.onError]; !ok {
		c.fail(name+".on_error", fmt.Sprintf("%.40q", d.OnError), "stop, skip or fallback")
	}
	p := &interpret.Program{Name: name, Timeout: cmp.Or(d.Timeout, defaultTimeout)}
	c.positive(name+".timeout", d.Timeout)
	p.MaxCalls = c.bounded(name+".max_calls", d.MaxCalls, defaultCalls, maxCalls)
	if len(d.Steps) == 0 {
		c.fail(name+".steps", "none", "at least one")
	}
	var names []string
	p.Steps, names = c.sequence(d.Steps, at.in(".steps", ""))
	if d.Output != nil {
		p.Output = c.value(d.Output, place{name + ".output", "", names, whole, Stop})
	}
	if c.steps > maxSteps {
		c.fail(name+".steps", fmt.Sprintf("%d steps", c.steps), fmt.Sprintf("at most %d", maxSteps))
	}
	return p
}

// collect notes the ids of all steps.
func (c *compiler) collect(steps []Step, name string) {
	c.ids = map[string]bool{}
	walk(steps, func(s *Step) {
		if s.ID != "" {
			c.ids[s.ID] = true
		}
	})
}

var onErrors = map[OnError]interpret.OnError{Stop: interpret.Stop, Skip: interpret.Skip, Fallback: interpret.Fallback}

// sequence compiles steps one after the other, and returns the names that are known after them.
func (c *compiler) sequence(steps []Step, at place) (nodes []*interpret.Node, names []string) {
	names = at.names
	for i := range steps {
		s := &steps[i]
		nodes = append(nodes, c.step(s, place{fmt.Sprintf("%s[%d]", at.field, i), fmt.Sprint(i), names, at.variables, at.onError}))
		if s.ID != "" {
			names = append(names[:len(names):len(names)], s.ID)
		}
	}
	return nodes, names
}

// step compiles a step.
func (c *compiler) step(s *Step, at place) *interpret.Node {
	c.steps++
	n := &interpret.Node{ID: s.ID, Name: cmp.Or(s.ID, at.name), Timeout: s.Timeout}
	c.identify(s, at)
	c.positive(at.field+".timeout", s.Timeout)
	n.OnError = c.onError(s, at)
	if s.Fallback != nil {
		n.Fallback = c.value(s.Fallback, at.in(".fallback", ""))
	}
	if s.FallbackStep != nil {
		n.FallbackStep = c.step(s.FallbackStep, at.in(".fallback_step", "fallback").isolated())
	}
	c.kind(s, n, at)
	if s.Undo != nil {
		after := at.names
		if s.ID != "" {
			after = append(after[:len(after):len(after)], s.ID)
		}
		n.Undo = c.call(s.Undo.Tool, s.Undo.With, place{at.field + ".undo", "", after, at.variables, Stop})
	}
	return n
}

// identify checks the id of a step.
func (c *compiler) identify(s *Step, at place) {
	field := at.field + ".id"
	switch {
	case s.ID == "":
	case !identifier.MatchString(s.ID):
		c.fail(field, fmt.Sprintf("%.80q", s.ID), "a letter followed by letters, digits and _, at most 64")
	case slices.Contains(reserved, s.ID) || expression.Reserved(s.ID):
		c.fail(field, fmt.Sprintf("%q, which has a meaning in values", s.ID), "another name")
	case !c.ids[s.ID]:
		c.fail(field, fmt.Sprintf("%q a second time", s.ID), "a name that no other step has")
	}
	delete(c.ids, s.ID) // those left come later
}

func (c *compiler) onError(s *Step, at place) interpret.OnError {
	word := cmp.Or(s.OnError, at.onError)
	if s.Fallback != nil || s.FallbackStep != nil {
		word = cmp.Or(s.OnError, Fallback)
		field := "fallback"
		if s.Fallback == nil {
			field = "fallback_step"
		}
		if s.Fallback != nil && s.FallbackStep != nil {
			c.fail(at.field+".fallback_step", "fallback and fallback_step together", "one of them")
		}
		if word == Stop || word == Skip {
			c.fail(at.field+"."+field, fmt.Sprintf("%s and on_error: %s together", field, word), "one of them")
		}
	}
	mode, ok := onErrors[word]
	if !ok {
		c.fail(at.field+".on_error", fmt.Sprintf("%.40q", s.OnError), "stop, skip or fallback")
	}
	return mode
}

// kind compiles what a step does.
func (c *compiler) kind(s *Step, n *interpret.Node, at place) {
	var kinds []string
	for _, k := range []struct {
		name    string
		set     bool
		compile func(*Step, *interpret.Node, place)
	}{
		{"call", s.Call != "", c.compileCall}, {"parallel", s.Parallel != nil, c.compileParallel},
		{"if", s.If != "", c.compileIf}, {"each", s.Each != nil, c.compileEach}, {"loop", s.Loop != nil, c.compileLoop},
		{"set", s.Set != nil, c.compileSet}, {"steps", s.Steps != nil, c.compileBlock},
	} {
		if k.set {
			if kinds = append(kinds, k.name); len(kinds) == 1 {
				k.compile(s, n, at)
			}
		}
	}
	if len(kinds) != 1 {
		got := "none of them with a value"
		if len(kinds) > 1 {
			got = strings.Join(kinds, " and ") + " together"
		}
		c.fail(at.field, got, "exactly one of call, parallel, if, each, loop, set and steps")
	}
	if s.With != nil && s.Call == "" {
		c.fail(at.field+".with", "arguments without a call", "call")
	}
	if s.Then != nil && s.If == "" {
		c.fail(at.field+".then", "then without a condition", "if")
	}
	if s.Else != nil && s.If == "" {
		c.fail(at.field+".else", "else without a condition", "if")
	}
}

func (c *compiler) compileCall(s *Step, n *interpret.Node, at place) {
	n.Kind, n.Call = interpret.Call, c.call(s.Call, s.With, at)
}

// call compiles the call of a tool.
func (c *compiler) call(tool string, with map[string]any, at place) *interpret.ToolCall {
	if tool == "" {
		c.fail(at.field+".call", "nothing", "the name of a tool")
	} else if c.find != nil {
		if d := c.find(tool); d != nil {
			c.arguments(d, with, at.field+".with")
			c.literals(d, with, at.field+".with")
		} else {
			c.fail(at.field+".call", fmt.Sprintf("the unknown tool %.128q", tool), "the name of a tool"+didYouMean(tool, c.tools))
		}
	}
	if with == nil {
		with = map[string]any{}
	}
	return &interpret.ToolCall{Tool: tool, With: c.value(with, at.in(".with", ""))}
}

var merges = map[Merge]interpret.Merge{
	First: interpret.First, All: interpret.All, Majority: interpret.Majority, Agree: interpret.Agree,
}

func (c *compiler) compileParallel(s *Step, n *interpret.Node, at place) {
	n.Kind = interpret.Parallel
	field, ok := at.field+".parallel", false
	if n.Merge, ok = merges[s.Parallel.Merge]; !ok {
		c.fail(field+".merge", fmt.Sprintf("%.40q", s.Parallel.Merge), "first, all, majority or agree")
	}
	branches := s.Parallel.Branches
	if len(branches) == 0 || len(branches) > maxBranches {
		c.fail(field+".branches", fmt.Sprint(len(branches)), fmt.Sprintf("1 to %d", maxBranches))
	}
	if s.Parallel.Writes && ok && n.Merge != interpret.First {
		c.fail(field+".writes", fmt.Sprintf("true with merge: %s, which cancels no branch", s.Parallel.Merge), "merge: first")
	}
	for i := range branches {
		in := at.in(fmt.Sprintf(".parallel.branches[%d]", i), fmt.Sprint(i)).apart(&branches[i])
		n.Branches = append(n.Branches, c.step(&branches[i], in))
		if n.Merge == interpret.First && !s.Parallel.Writes {
			c.onlyReads(branches[i:i+1], in.field)
		}
	}
}

// onlyReads refuses tools that may write.
func (c *compiler) onlyReads(steps []Step, field string) {
	if c.find == nil {
		return
	}
	for _, tool := range calls(steps) {
		if d := c.find(tool); d != nil && d.ReadOnly != toolkit.Yes {
			c.fail(field, fmt.Sprintf("the tool %q, which may write, in a branch that is cancelled when another one answers", tool),
				"tools that only read, or writes: true")
		}
	}
}

func (c *compiler) compileIf(s *Step, n *interpret.Node, at place) {
	n.Kind, n.When = interpret.If, c.condition(s.If, at.in(".if", ""))
	if s.Then == nil {
		c.fail(at.field+".then", "nothing", "a step")
		return
	}
	n.Then = c.step(s.Then, at.in(".then", "then"))
	if s.Else != nil {
		n.Else = c.step(s.Else, at.in(".else", "else"))
	}
}

func (c *compiler) compileEach(s *Step, n *interpret.Node, at place) {
	e := s.Each
	n.Kind, n.In = interpret.Each, c.value(e.In, at.in(".each.in", ""))
	n.Parallel = c.bounded(at.field+".each.parallel", e.Parallel, defaultParallel, maxParallel)
	n.Max = c.bounded(at.field+".each.max", e.Max, defaultItems, maxItems)
	list, ok := e.In.([]any)
	switch {
	case !ok && !n.In.Bare():
		c.fail(at.field+".each.in", "no list", "a list, or a value such as $input.urls")
	case len(list) > n.Max && n.Max > 0:
		c.fail(at.field+".each.in", fmt.Sprintf("%d elements", len(list)), fmt.Sprintf("at most %d (each.max)", n.Max))
	}
	if e.Do == nil {
		c.fail(at.field+".each.do", "nothing", "a step")
		return
	}
	n.Body = c.step(e.Do, at.in(".each.do", "", "item", "index").apart(e.Do))
	if e.Merge != nil {
		n.Combine = c.call(e.Merge.Tool, e.Merge.With, at.in(".each.merge", "", "results"))
	}
}

func (c *compiler) compileLoop(s *Step, n *interpret.Node, at place) {
	l := s.Loop
	n.Kind, n.Delay = interpret.Loop, l.Delay
	in := at.in(".loop.while", "", "iteration", "results")
	n.When = c.condition(l.While, in)
	if n.Max = l.Max; l.Max < 1 || l.Max > maxIterations {
		c.fail(at.field+".loop.max", fmt.Sprint(l.Max), fmt.Sprintf("1 to %d", maxIterations))
	}
	c.positive(at.field+".loop.delay", l.Delay)
	if l.Do == nil {
		c.fail(at.field+".loop.do", "nothing", "a step")
		return
	}
	n.Body = c.step(l.Do, place{at.field + ".loop.do", "", in.names, at.variables, at.onError})
}

func (c *compiler) compileSet(s *Step, n *interpret.Node, at place) {
	n.Kind = interpret.Set
	for _, name := range slices.Sorted(maps.Keys(s.Set)) {
		if !identifier.MatchString(name) {
			c.fail(at.field+".set."+name, fmt.Sprintf("the name %.80q", name), "a letter followed by letters, digits and _, at most 64")
		}
		n.Set = append(n.Set, interpret.Variable{Name: name, Value: c.value(s.Set[name], at.in(".set."+name, ""))})
	}
}

func (c *compiler) compileBlock(s *Step, n *interpret.Node, at place) {
	n.Kind = interpret.Block
	if len(s.Steps) == 0 {
		c.fail(at.field+".steps", "none", "at least one")
	}
	n.Steps, _ = c.sequence(s.Steps, at.in(".steps", ""))
}

// value compiles a value.
func (c *compiler) value(v any, at place) *expression.Value {
	names := slices.Compact(slices.Sorted(slices.Values(at.names)))
	known := slices.Compact(slices.Sorted(slices.Values(at.variables)))
	compiled, err := expression.Compile(v, expression.Scope{Names: names, Variables: known, Unknown: c.unknown, Members: members})
	if err == nil {
		return compiled
	}
	if e := (*expression.Error)(nil); errors.As(err, &e) {
		c.fail(at.field+e.Path, e.Got, e.Want)
	} else {
		c.fail(at.field, err.Error(), "")
	}
	return expression.Literal(nil)
}

// condition compiles a value that is true or false.
func (c *compiler) condition(text string, at place) *expression.Value {
	v := c.value(text, at)
	if !v.Bare() && (len(c.errs) == 0 || text == "" || text[0] != '$') {
		c.fail(at.field, fmt.Sprintf("%.60q", text), "a condition such as ${ input.n > 2 }")
	}
	if v.Bare() && len(v.Names()) == 0 {
		if constant, err := v.Eval(nil); err != nil {
			c.fail(at.field, err.Error(), "")
		} else if _, ok := constant.(bool); !ok {
			c.fail(at.field, fmt.Sprintf("%.60q, which is %s", text, expression.TypeName(constant)), "true or false")
		}
	}
	return v
}

// members are those of the value that a step's id has in values; nil for other names, whose members are not known.
func members(name string) []string {
	if slices.Contains(reserved, name) {
		return nil
	}
	return []string{"result", "ok", "error"}
}

// unknown says more of a name that is not known.
func (c *compiler) unknown(name string) string {
	if c.ids[name] {
		return fmt.Sprintf("%q, a step that comes later", name)
	}
	return ""
}

// arguments checks the names of a call's arguments against the tool's schema. Their values are known when it is made.
func (c *compiler) arguments(tool *toolkit.Definition, with map[string]any, field string) {
	var schema struct {
		Properties, PatternProperties map[string]json.RawMessage
		Required                      []string
		AdditionalProperties          json.RawMessage
	}
	if json.Unmarshal(tool.InputSchema, &schema) != nil {
		return // none, or one of another form
	}
	for _, name := range schema.Required {
		if _, ok := with[name]; !ok {
			c.fail(field, "no "+name, "the arguments that "+tool.Name+" requires: "+strings.Join(schema.Required, ", "))
		}
	}
	if string(schema.AdditionalProperties) != "false" || len(schema.PatternProperties) > 0 {
		return
	}
	known := slices.Sorted(maps.Keys(schema.Properties))
	for _, name := range slices.Sorted(maps.Keys(with)) {
		if _, ok := schema.Properties[name]; !ok {
			c.fail(field+"."+name, "an unknown argument of "+tool.Name+didYouMean(name, known),
				cmp.Or(strings.Join(known, ", "), "none"))
		}
	}
}

// didYouMean suggests the nearest of the names that are known, if one is near.
func didYouMean(name string, known []string) string {
	if near := strictyaml.Nearest(name, known); near != "" {
		return fmt.Sprintf(" (did you mean %q?)", near)
	}
	return ""
}

func (c *compiler) positive(field string, d time.Duration) {
	if d < 0 {
		c.fail(field, d.String(), "0 or more")
	}
}

// bounded returns n, or what 0 stands for.
func (c *compiler) bounded(field string, n, standard, most int) int {
	switch {
	case n < 0:
		c.fail(field, fmt.Sprint(n), fmt.Sprintf("1 to %d, or 0 for %d", most, standard))
	case n > most:
		c.fail(field, fmt.Sprint(n), fmt.Sprintf("at most %d, or 0 for %d", most, standard))
	}
	return cmp.Or(n, standard)
}
