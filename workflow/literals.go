// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package workflow

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/toolscope/toolscope/middleware/validate"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/workflow/internal/expression"
)

// literals checks those arguments of a call that are known when the file is loaded against the tool's schema.
func (c *compiler) literals(tool *toolkit.Definition, with map[string]any, field string) {
	schema, ok := ofProperties(tool.InputSchema)
	if !ok {
		return
	}
	policy, err := validate.New(validate.Options{})
	if err != nil {
		return
	}
	reduced := toolkit.Definition{Name: tool.Name, InputSchema: schema}
	lookup := func(string) *toolkit.Definition { return &reduced }
	for _, name := range slices.Sorted(maps.Keys(with)) {
		value, known := constant(with[name])
		text, err := json.Marshal(map[string]any{name: value})
		if !known || err != nil {
			continue
		}
		_, err = check(context.Background(), lookup, toolkit.Call{Name: tool.Name, Arguments: text}, policy)
		if !errors.Is(err, toolkit.ErrInvalidArguments) {
			continue // it fits, or the schema is wrong, which the call reports
		}
		for line := range strings.Lines(err.Error()) {
			if _, wrong, ok := strings.Cut(strings.TrimSpace(line), "- /"+name); ok { // the rest is ": …" or "/PLACE: …"
				c.fail(field+"."+name, strings.TrimPrefix(wrong, ": ")+" ("+tool.Name+"'s schema)", "")
			}
		}
	}
}

// ofProperties is a schema without what it says of the properties together, since some are not known.
func ofProperties(schema []byte) ([]byte, bool) {
	var all map[string]json.RawMessage
	if json.Unmarshal(schema, &all) != nil || all["properties"] == nil {
		return nil, false
	}
	maps.DeleteFunc(all, func(key string, _ json.RawMessage) bool {
		return !slices.Contains([]string{"$schema", "$defs", "definitions", "properties"}, key)
	})
	reduced, err := json.Marshal(all)
	return reduced, err == nil
}

// constant is the value of an argument that refers to nothing.
func constant(v any) (value any, known bool) {
	compiled, err := expression.Compile(v, expression.Scope{})
	if err != nil || len(compiled.Names()) > 0 {
		return nil, false
	}
	value, err = compiled.Eval(nil)
	return value, err == nil
}
