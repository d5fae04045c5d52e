// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit

import (
	"fmt"
	"slices"
)

// Tools are the registered tools. A *[Registry] implements it; [NewTools] makes a fixed list.
// Safe for concurrent use.
type Tools interface {
	// Lookup finds a tool's definition, which must not be changed; nil if there is none of that
	// name.
	Lookup(name string) *Definition
	// Definitions lists the tools, so that statistics can name those never used; nil if the list
	// is not known.
	Definitions() []Definition
}

// A Lookup finds a registered tool's definition, which must not be changed after that; nil if no
// tool of that name is registered. A nil Lookup knows no tool: then no name reaches a span name
// or a label. As [Tools] it is a list that cannot be read. Safe for concurrent use.
type Lookup func(name string) *Definition

// NoTools are tools that are not known: no name reaches a span name or a label, and no call
// counts as one to an unknown tool.
var NoTools Tools = Lookup(nil)

// Lookup calls l; a nil l returns nil.
func (l Lookup) Lookup(name string) *Definition { return l.find(name) }

// Definitions returns nil: the list is not known.
func (l Lookup) Definitions() []Definition { return nil }

func (l Lookup) find(name string) *Definition {
	if l == nil {
		return nil
	}
	return l(name)
}

// safeFind is find for observers: a panic counts as an observer's, and the tool as unknown.
func (l Lookup) safeFind(name string) (tool *Definition) {
	if l == nil {
		return nil
	}
	var failed bool
	defer swallow(&failed)
	return l(name)
}

// fixedTools is a list that does not change.
type fixedTools struct {
	definitions []Definition
	byName      map[string]*Definition
}

// NewTools returns a fixed list of tools. It copies defs. An error names the first definition
// that is wrong, or a name that stands twice.
func NewTools(defs ...Definition) (Tools, error) {
	t := &fixedTools{byName: make(map[string]*Definition, len(defs))}
	for i := range defs {
		if err := defs[i].Validate(); err != nil {
			return nil, err
		}
		if t.byName[defs[i].Name] != nil {
			return nil, fmt.Errorf("toolkit: NewTools: definition of %s: got the name twice, want each once", quote(defs[i].Name))
		}
		d := defs[i].clone()
		t.byName[d.Name] = d
		t.definitions = append(t.definitions, *d)
	}
	return t, nil
}

func (t *fixedTools) Lookup(name string) *Definition { return t.byName[name] }

func (t *fixedTools) Definitions() []Definition { return slices.Clone(t.definitions) }
