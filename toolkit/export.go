// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit

import (
	"bytes"
	"encoding/json"
)

// ExportOpenAI writes definitions in OpenAI's function form:
// [{"type":"function","function":{"name","description","parameters"}}].
func ExportOpenAI(defs []Definition) (json.RawMessage, error) {
	type function struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parameters"`
	}
	type tool struct {
		Type     string   `json:"type"`
		Function function `json:"function"`
	}
	return export(defs, func(d *Definition) any {
		return tool{"function", function{d.Name, d.Description, d.schema()}}
	})
}

// ExportAnthropic writes definitions in Anthropic's form:
// [{"name","description","input_schema"}].
func ExportAnthropic(defs []Definition) (json.RawMessage, error) {
	type tool struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		InputSchema json.RawMessage `json:"input_schema"`
	}
	return export(defs, func(d *Definition) any { return tool{d.Name, d.Description, d.schema()} })
}

// ExportMCP writes definitions as the Model Context Protocol lists tools
// (revision 2025-11-25), with annotations, and with what policies need in the
// member "harness" beside the protocol's own: category, riskLevel, rateLimit,
// timeout (ms), idempotent, requiresApproval, costPerCall.
func ExportMCP(defs []Definition) (json.RawMessage, error) {
	return export(defs, func(d *Definition) any { return newMCPTool(d) })
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
	Category         string   `json:"category,omitempty"`
	RiskLevel        Risk     `json:"riskLevel,omitempty"`
	RateLimit        *mcpRate `json:"rateLimit,omitempty"`
	Timeout          float64  `json:"timeout,omitempty"`
	Idempotent       bool     `json:"idempotent,omitempty"`
	RequiresApproval bool     `json:"requiresApproval,omitempty"`
	CostPerCall      float64  `json:"costPerCall,omitempty"`
}

type mcpRate struct {
	MaxCalls int     `json:"maxCalls"`
	WindowMS float64 `json:"windowMs"`
}

func newMCPTool(d *Definition) mcpTool {
	t := mcpTool{Name: d.Name, Title: d.Title, Description: d.Description, InputSchema: d.schema(), OutputSchema: d.OutputSchema}
	if hints := (mcpHints{d.ReadOnly.pointer(), d.Destructive.pointer(), d.Idempotent.pointer(), d.OpenWorld.pointer()}); hints != (mcpHints{}) {
		t.Annotations = &hints
	}
	h := mcpHarness{
		Category: d.Category, RiskLevel: d.Risk, Timeout: max(0, float64(d.Timeout.Nanoseconds())/1e6),
		Idempotent: d.Idempotent == Yes, RequiresApproval: d.RequiresApproval, CostPerCall: d.Cost,
	}
	if d.RateLimit.MaxCalls > 0 {
		h.RateLimit = &mcpRate{d.RateLimit.MaxCalls, float64(d.RateLimit.Window.Nanoseconds()) / 1e6}
	}
	if h != (mcpHarness{}) {
		t.Harness = &h
	}
	return t
}

// pointer is nil for a hint that says nothing.
func (h Hint) pointer() *bool {
	if h == Unsaid {
		return nil
	}
	yes := h == Yes
	return &yes
}

// export writes one JSON array, without escaping HTML, since models read it.
func export(defs []Definition, form func(*Definition) any) (json.RawMessage, error) {
	list := make([]any, len(defs))
	for i := range defs {
		list[i] = form(&defs[i])
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(list); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}
