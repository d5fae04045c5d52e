// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package workflow

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/workflow/internal/interpret"
)

// Options configure a [Set].
type Options struct {
	// Handler makes the calls of steps: your application's, observed and governed. Required.
	Handler toolkit.Handler
	// Tools are the tools that steps can call. Required.
	Tools toolkit.Tools
	// Definitions are the workflows by name. The name is that of the workflow's tool.
	Definitions map[string]Definition
	// Scope is the one that wraps Handler. It gives runs their span, and dry runs the policies. Nil does without.
	Scope *toolscope.Scope
}

// A Set runs workflows. Make one with [New]. Safe for concurrent use.
type Set struct {
	options Options
	flows   map[string]*flow
	history history
}

// A flow is a compiled workflow.
type flow struct {
	source     Definition
	program    *interpret.Program
	definition toolkit.Definition
	digest     string
	calls      []string
}

// New compiles workflows. All errors found are joined, each an [*Error].
func New(o Options) (*Set, error) {
	if o.Handler == nil || o.Tools == nil {
		return nil, errors.New("workflow: Options.Handler, Options.Tools: got nil, want the handler and its tools")
	}
	return build(o, true)
}

// Check reports what is wrong with definitions, as [New] does, but for tools, which it does not know.
func Check(definitions map[string]Definition) error {
	_, err := build(Options{Definitions: definitions}, false)
	return err
}

func build(o Options, tools bool) (*Set, error) {
	s := &Set{options: o, flows: map[string]*flow{}}
	names, errs := order(o.Definitions)
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	for _, name := range names {
		d := o.Definitions[name]
		c := &compiler{}
		if tools {
			c.find, c.tools = s.find, s.toolNames()
		}
		f := &flow{source: d, program: c.compile(name, d), calls: calls(d.Steps)}
		if tools && o.Tools.Lookup(name) != nil {
			c.fail(name, "the name of a tool", "one that no tool has")
		}
		if kind, ok := d.Input["type"]; ok && kind != "object" {
			c.fail(name+".input.type", fmt.Sprintf("%.40q", fmt.Sprint(kind)), "object, since arguments have names")
		} else if err := checkSchema(d.Input); err != nil {
			c.fail(name+".input", err.Error(), "")
		}
		if errs = append(errs, c.errs...); len(c.errs) == 0 {
			errs = append(errs, s.complete(name, f)...)
		}
		s.flows[name] = f
	}
	return s, errors.Join(errs...)
}

// complete makes what follows from a workflow that was compiled.
func (s *Set) complete(name string, f *flow) []error {
	var tools []*toolkit.Definition
	for _, tool := range f.calls {
		if d := s.find(tool); d != nil {
			tools = append(tools, d)
		}
	}
	var err error
	if f.definition, err = describe(name, f.source, f.program.Timeout, tools); err != nil {
		return []error{&Error{Field: name, Got: err.Error()}}
	}
	text, err := json.Marshal(f.source)
	if err != nil {
		return []error{&Error{Field: name, Got: err.Error()}}
	}
	sum := sha256.Sum256(text)
	f.digest = hex.EncodeToString(sum[:8])
	return nil
}

// find returns the definition of a tool or of a workflow that was compiled.
func (s *Set) find(tool string) *toolkit.Definition {
	if f := s.flows[tool]; f != nil {
		return &f.definition
	}
	if s.options.Tools == nil {
		return nil
	}
	return s.options.Tools.Lookup(tool)
}

func (s *Set) toolNames() []string {
	names := slices.Collect(maps.Keys(s.options.Definitions))
	for _, d := range s.options.Tools.Definitions() {
		names = append(names, d.Name)
	}
	return names
}

// Tools are the workflows as tools, sorted by name, for the registry that Options.Handler calls.
func (s *Set) Tools() (tools []toolkit.Tool) {
	for _, name := range s.names() {
		f := s.flows[name]
		tools = append(tools, toolkit.ToolFunc(f.definition, func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
			return s.handle(ctx, f, call)
		}))
	}
	return tools
}

func (s *Set) names() []string { return slices.Sorted(maps.Keys(s.flows)) }

// noLoader loads no further schemas: a schema must not read files.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("got a reference to %.80q, want one within the schema", url)
}

func checkSchema(schema map[string]any) error {
	if schema == nil {
		return nil
	}
	text, err := json.Marshal(schema)
	if err != nil {
		return err
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		return err
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	if err := c.AddResource("toolscope:input", doc); err != nil {
		return err
	}
	if _, err := c.Compile("toolscope:input"); err != nil {
		return fmt.Errorf("got a mapping that is no JSON Schema: %w", err)
	}
	return nil
}
