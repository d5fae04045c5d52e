// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"bytes"
	"errors"
	"fmt"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/toolscope/toolscope/toolkit"
)

// maxSchemas is how many tools' compiled schemas are kept; beyond it all are
// forgotten and compiled again as they are asked for.
const maxSchemas = 10_000

// schemas are the compiled schemas by tool. A registered tool's definition does not
// change, so that its address tells whether the tool was replaced.
type schemas struct {
	mu     sync.RWMutex
	byName map[string]*compiled
}

// compiled is one tool's schema.
type compiled struct {
	tool   *toolkit.Definition
	once   sync.Once
	schema *jsonschema.Schema
	shape  *shape
	err    error
}

// forTool is the tool's schema, compiled; its err says why it could not be.
func (s *schemas) forTool(tool *toolkit.Definition) *compiled {
	s.mu.RLock()
	c := s.byName[tool.Name]
	s.mu.RUnlock()
	if c == nil || c.tool != tool {
		c = s.addTool(tool)
	}
	c.once.Do(func() {
		if c.schema, c.err = compile(tool.InputSchema); c.err == nil {
			c.shape = shapes{}.forSchema(c.schema)
		}
	})
	return c
}

func (s *schemas) addTool(tool *toolkit.Definition) *compiled {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.byName[tool.Name]; c != nil && c.tool == tool {
		return c
	}
	if s.byName == nil || len(s.byName) >= maxSchemas {
		s.byName = map[string]*compiled{}
	}
	c := &compiled{tool: tool}
	s.byName[tool.Name] = c
	return c
}

// here is the address of the schema itself: nothing is ever loaded from anywhere.
const here = "tool:input-schema"

// nowhere loads no other schema: a reference in a tool's definition must not make
// this process read a file or call a host.
type nowhere struct{}

func (nowhere) Load(url string) (any, error) {
	return nil, fmt.Errorf("a reference to %.100q: got another document, want one within the schema", url)
}

// compile reads a schema of draft 4 to 2020-12, the latest if it names none.
func compile(text []byte) (s *jsonschema.Schema, err error) {
	defer func() {
		if recover() != nil {
			s, err = nil, errors.New("the schema library panicked")
		}
	}()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(nowhere{})
	if err := c.AddResource(here, doc); err != nil {
		return nil, err
	}
	return c.Compile(here)
}
