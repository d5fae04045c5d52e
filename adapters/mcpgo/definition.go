// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpgo

import (
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscope/toolscope/toolkit"
)

// DefinitionOf is a tool as policies and spans know it. A hint that the tool does not give stays
// unsaid. A schema that cannot be encoded is an error.
func DefinitionOf(t mcp.Tool) (toolkit.Definition, error) {
	d := toolkit.Definition{
		Name: t.Name, Title: t.Title, Description: t.Description, Type: toolkit.ToolExtension,
		ReadOnly: hint(t.Annotations.ReadOnlyHint), Destructive: hint(t.Annotations.DestructiveHint),
		Idempotent: hint(t.Annotations.IdempotentHint), OpenWorld: hint(t.Annotations.OpenWorldHint),
	}
	if d.Title == "" {
		d.Title = t.Annotations.Title
	}
	text, err := json.Marshal(t)
	if err != nil {
		return toolkit.Definition{}, err
	}
	var schemas struct{ InputSchema, OutputSchema json.RawMessage }
	if err := json.Unmarshal(text, &schemas); err != nil {
		return toolkit.Definition{}, err
	}
	d.InputSchema, d.OutputSchema = schemas.InputSchema, schemas.OutputSchema
	return d, nil
}

func hint(b *bool) toolkit.Hint {
	if b == nil {
		return toolkit.Unsaid
	}
	return toolkit.HintOf(*b)
}
