// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope/toolkit"
)

// The keys of a tool's _meta that carry what the protocol has no field for: harness is
// what policies need, as export.MCP writes it; toolscope is the rest of a
// definition.
const (
	metaHarness   = "harness"
	metaToolscope = "toolscope"
)

// harness is the extension of enterprise harnesses. Times are in milliseconds.
type harness struct {
	Category         string       `json:"category,omitempty"`
	RiskLevel        toolkit.Risk `json:"riskLevel,omitempty"`
	RateLimit        *harnessRate `json:"rateLimit,omitempty"`
	Timeout          float64      `json:"timeout,omitempty"`
	Idempotent       bool         `json:"idempotent,omitempty"`
	RequiresApproval bool         `json:"requiresApproval,omitempty"`
	CostPerCall      float64      `json:"costPerCall,omitempty"`
}

type harnessRate struct {
	MaxCalls int     `json:"maxCalls"`
	WindowMS float64 `json:"windowMs"`
}

// extension is what neither the protocol nor harness can say. Times are in
// nanoseconds. Said tells the hints that the protocol's form has no "unsaid" for.
type extension struct {
	Type      toolkit.ToolType `json:"type,omitempty"`
	Timeout   time.Duration    `json:"timeout,omitempty"`
	Window    time.Duration    `json:"window,omitempty"`
	CacheTTL  time.Duration    `json:"cacheTtl,omitempty"`
	Resources []string         `json:"resources,omitempty"`
	Volatile  []string         `json:"volatile,omitempty"`
	NotOnly   bool             `json:"notReadOnly,omitempty"`   // ReadOnly is No, and not unsaid
	NotIdem   bool             `json:"notIdempotent,omitempty"` // the same for Idempotent
	NoSchema  bool             `json:"noInputSchema,omitempty"`

	CallsTools bool `json:"callsTools,omitempty"`
}

// ToolOf is a definition in the protocol's form. What the protocol has no field for
// stands in _meta, under "harness" and "toolscope", so that [DefinitionOf] gives the
// definition back without loss.
func ToolOf(d toolkit.Definition) *mcp.Tool {
	t := &mcp.Tool{Name: d.Name, Title: d.Title, Description: d.Description}
	x := extension{
		Type: d.Type, CacheTTL: d.CacheTTL, Resources: d.Resources, Volatile: d.Volatile, NotOnly: d.ReadOnly == toolkit.No,
		NotIdem: d.Idempotent == toolkit.No, CallsTools: d.CallsTools,
	}
	if t.InputSchema = json.RawMessage(d.InputSchema); len(d.InputSchema) == 0 {
		t.InputSchema, x.NoSchema = json.RawMessage(`{"type":"object"}`), true
	}
	if len(d.OutputSchema) > 0 {
		t.OutputSchema = d.OutputSchema
	}
	if d.ReadOnly != toolkit.Unsaid || d.Idempotent != toolkit.Unsaid || d.Destructive != toolkit.Unsaid ||
		d.OpenWorld != toolkit.Unsaid {
		t.Annotations = &mcp.ToolAnnotations{
			ReadOnlyHint: d.ReadOnly == toolkit.Yes, IdempotentHint: d.Idempotent == toolkit.Yes,
			DestructiveHint: pointer(d.Destructive), OpenWorldHint: pointer(d.OpenWorld),
		}
	}
	h := harness{
		Category: d.Category, RiskLevel: d.Risk, Idempotent: d.Idempotent == toolkit.Yes,
		RequiresApproval: d.RequiresApproval, CostPerCall: d.Cost,
	}
	if h.Timeout = milliseconds(d.Timeout); d.Timeout < 0 || d.Timeout%time.Millisecond != 0 {
		h.Timeout, x.Timeout = max(0, h.Timeout), d.Timeout
	}
	if r := d.RateLimit; r.MaxCalls > 0 {
		h.RateLimit = &harnessRate{r.MaxCalls, milliseconds(r.Window)}
		if r.Window%time.Millisecond != 0 {
			x.Window = r.Window
		}
	}
	for key, v := range map[string]any{metaHarness: h, metaToolscope: x} {
		if text := rawJSON(v); string(text) != "{}" {
			if t.Meta == nil {
				t.Meta = mcp.Meta{}
			}
			t.Meta[key] = text
		}
	}
	return t
}

// DefinitionOf is a tool of the protocol as a definition. An error names the field that
// is wrong, as [toolkit.Definition.Validate] does. What a server says of its tools
// is its word: policies for untrusted servers need the application's own rules. Set CallsTools to false for a tool of
// another process, as the proxy and mcp/manager do: its calls do not pass this process's policies.
func DefinitionOf(t *mcp.Tool) (toolkit.Definition, error) {
	if t == nil {
		return toolkit.Definition{}, fmt.Errorf("toolmcp: DefinitionOf: got nil, want a tool")
	}
	d := toolkit.Definition{
		Name: t.Name, Title: t.Title, Description: t.Description, InputSchema: rawJSON(t.InputSchema),
		OutputSchema: rawJSON(t.OutputSchema),
	}
	var h harness
	var x extension
	for key, into := range map[string]any{metaHarness: &h, metaToolscope: &x} {
		if v, ok := t.Meta[key]; ok {
			if err := json.Unmarshal(rawJSON(v), into); err != nil {
				return toolkit.Definition{}, fmt.Errorf("toolmcp: tool %.80q: _meta.%s: %w", t.Name, key, err)
			}
		}
	}
	if x.NoSchema {
		d.InputSchema = nil
	}
	if a := t.Annotations; a != nil {
		if d.Title == "" {
			d.Title = a.Title
		}
		d.Destructive, d.OpenWorld = hint(a.DestructiveHint), hint(a.OpenWorldHint)
		d.ReadOnly, d.Idempotent = said(a.ReadOnlyHint, x.NotOnly), said(a.IdempotentHint, x.NotIdem)
	}
	if h.Idempotent && d.Idempotent == toolkit.Unsaid {
		d.Idempotent = toolkit.Yes
	}
	d.Category, d.Risk, d.RequiresApproval, d.Cost = h.Category, h.RiskLevel, h.RequiresApproval, h.CostPerCall
	if d.Timeout = fromMilliseconds(h.Timeout); x.Timeout != 0 {
		d.Timeout = x.Timeout
	}
	if r := h.RateLimit; r != nil {
		d.RateLimit = toolkit.RateLimit{MaxCalls: r.MaxCalls, Window: fromMilliseconds(r.WindowMS)}
		if x.Window != 0 {
			d.RateLimit.Window = x.Window
		}
	}
	d.Type, d.CacheTTL, d.Resources, d.Volatile, d.CallsTools = x.Type, x.CacheTTL, x.Resources, x.Volatile, x.CallsTools
	if err := d.Validate(); err != nil {
		return toolkit.Definition{}, err
	}
	return d, nil
}

// said is the hint of a field that is false both for no and for nothing said.
func said(yes, no bool) toolkit.Hint {
	switch {
	case yes:
		return toolkit.Yes
	case no:
		return toolkit.No
	}
	return toolkit.Unsaid
}

func hint(b *bool) toolkit.Hint {
	if b == nil {
		return toolkit.Unsaid
	}
	return toolkit.HintOf(*b)
}

func pointer(h toolkit.Hint) *bool {
	if h == toolkit.Unsaid {
		return nil
	}
	yes := h == toolkit.Yes
	return &yes
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// fromMilliseconds is at most what a duration can hold.
func fromMilliseconds(ms float64) time.Duration {
	const most = float64(1<<63-1) / float64(time.Millisecond)
	switch {
	case !(ms > 0):
		return 0
	case ms >= most:
		return 1<<63 - 1
	}
	return time.Duration(ms * float64(time.Millisecond))
}
