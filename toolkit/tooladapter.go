// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit

import (
	"encoding/json"
	"slices"
)

// ToolAdapter is the adapter for one tool's own function of the shape
// func(context.Context, json.RawMessage) (string, error). An invalid def is an error where the
// function is wrapped.
func ToolAdapter(def Definition) Adapter[json.RawMessage, string] {
	tools, err := NewTools(def)
	return Adapter[json.RawMessage, string]{
		Tools:      tools,
		Call:       func(args json.RawMessage) Call { return Call{Name: def.Name, Arguments: args} },
		Result:     func(out string, _ error) Result { return Result{Output: out} },
		With:       func(_, args json.RawMessage) json.RawMessage { return slices.Clone(args) },
		Answer:     func(_ json.RawMessage, res Result, _ error) string { return res.Output },
		Copy:       func(out string, _ json.RawMessage) string { return out },
		needsError: true,
		err:        err,
	}
}
