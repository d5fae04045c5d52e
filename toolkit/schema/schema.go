// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package schema

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/toolscope/toolscope/toolkit"
)

// For returns the JSON Schema of In, which must be a struct or a map with string
// keys, since a tool's arguments are a JSON object. It fails for types that
// JSON Schema cannot tell: channels, functions, complex numbers, maps with other
// keys, and types that contain themselves.
func For[In any]() (json.RawMessage, error) {
	s, err := jsonschema.For[In](nil)
	if err != nil {
		return nil, fmt.Errorf("toolkit/schema: type %v: %w", reflect.TypeFor[In](), err)
	}
	if s.Type != "object" {
		return nil, fmt.Errorf(
			"toolkit/schema: type %v: got a JSON Schema of another type than \"object\", want a struct or a map with string keys",
			reflect.TypeFor[In](),
		)
	}
	text, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("toolkit/schema: type %v: %w", reflect.TypeFor[In](), err)
	}
	return text, nil
}

// NewTool is [toolkit.NewTool] with the input schema of In, unless the definition has an InputSchema
// already. It fails if In has no schema ([For]), run is nil, or the definition is not valid.
func NewTool[In any](
	def toolkit.Definition, run func(ctx context.Context, in In) (string, error),
) (toolkit.Tool, error) {
	if run == nil {
		return nil, fmt.Errorf("toolkit/schema: tool %q: run: got nil, want a function", def.Name)
	}
	schema, err := For[In]()
	if err != nil {
		return nil, err
	}
	if def.InputSchema == nil {
		def.InputSchema = schema
	}
	if err := def.Validate(); err != nil {
		return nil, err
	}
	return toolkit.NewTool(def, run), nil
}
