// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package export writes tool definitions in the forms that models and protocols read.
package export

import (
	"bytes"
	"encoding/json"

	"github.com/toolscope/toolscope/toolkit"
)

// OpenAI writes definitions in OpenAI's function form:
// [{"type":"function","function":{"name","description","parameters"}}].
func OpenAI(defs []toolkit.Definition) (json.RawMessage, error) {
	type function struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parameters"`
	}
	type tool struct {
		Type     string   `json:"type"`
		Function function `json:"function"`
	}
	return list(defs, func(d *toolkit.Definition) any {
		return tool{"function", function{d.Name, d.Description, schemaOf(d)}}
	})
}

// Anthropic writes definitions in Anthropic's form:
// [{"name","description","input_schema"}].
func Anthropic(defs []toolkit.Definition) (json.RawMessage, error) {
	type tool struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		InputSchema json.RawMessage `json:"input_schema"`
	}
	return list(defs, func(d *toolkit.Definition) any { return tool{d.Name, d.Description, schemaOf(d)} })
}

// MCP writes definitions as the Model Context Protocol lists tools
// (revision 2025-11-25), with annotations, and with what policies need in the
// member "harness" beside the protocol's own: category, riskLevel, rateLimit,
// timeout (ms), idempotent, requiresApproval, costPerCall.
func MCP(defs []toolkit.Definition) (json.RawMessage, error) {
	return list(defs, func(d *toolkit.Definition) any { return newMCPTool(d) })
}

type mcpTool struct {
	Name         string          `json:"name"`
	Title        string          `json:"title,omitempty"`
	Description  string          `json:"description,omitempty"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Annotations  *mcpHints       `json:"annotations,omitempty"`
	Harness      *mcpHarness     `json:"harness,omitempty"`
}

type mcpHints struct {
	ReadOnly    *bool `json:"readOnlyHint,omitempty"`
	Destructive *bool `json:"destructiveHint,omitempty"`
	Idempotent  *bool `json:"idempotentHint,omitempty"`
	OpenWorld   *bool `json:"openWorldHint,omitempty"`
}

type mcpHarness struct {
	Category         string       `json:"category,omitempty"`
	RiskLevel        toolkit.Risk `json:"riskLevel,omitempty"`
	RateLimit        *mcpRate     `json:"rateLimit,omitempty"`
	Timeout          float64      `json:"timeout,omitempty"`
	Idempotent       bool         `json:"idempotent,omitempty"`
	RequiresApproval bool         `json:"requiresApproval,omitempty"`
	CostPerCall      float64      `json:"costPerCall,omitempty"`
}

type mcpRate struct {
	MaxCalls int     `json:"maxCalls"`
	WindowMS float64 `json:"windowMs"`
}

func newMCPTool(d *toolkit.Definition) mcpTool {
	t := mcpTool{Name: d.Name, Title: d.Title, Description: d.Description, InputSchema: schemaOf(d), OutputSchema: d.OutputSchema}
	if hints := (mcpHints{pointer(d.ReadOnly), pointer(d.Destructive), pointer(d.Idempotent),
		pointer(d.OpenWorld)}); hints != (mcpHints{}) {
		t.Annotations = &hints
	}
	h := mcpHarness{
		Category: d.Category, RiskLevel: d.Risk, Timeout: max(0, float64(d.Timeout.Nanoseconds())/1e6),
		Idempotent: d.Idempotent == toolkit.Yes, RequiresApproval: d.RequiresApproval, CostPerCall: d.Cost,
	}
	if d.RateLimit.MaxCalls > 0 {
		h.RateLimit = &mcpRate{d.RateLimit.MaxCalls, float64(d.RateLimit.Window.Nanoseconds()) / 1e6}
	}
	if h != (mcpHarness{}) {
		t.Harness = &h
	}
	return t
}

// schemaOf is the definition's input schema, or the schema of any object.
func schemaOf(d *toolkit.Definition) json.RawMessage {
	if len(d.InputSchema) == 0 {
		return json.RawMessage(`{"type":"object"}`)
	}
	return d.InputSchema
}

// pointer is nil for a hint that says nothing.
func pointer(h toolkit.Hint) *bool {
	if h == toolkit.Unsaid {
		return nil
	}
	yes := h == toolkit.Yes
	return &yes
}

// list writes one JSON array, without escaping HTML, since models read it.
func list(defs []toolkit.Definition, form func(*toolkit.Definition) any) (json.RawMessage, error) {
	forms := make([]any, len(defs))
	for i := range defs {
		forms[i] = form(&defs[i])
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(forms); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}
