// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package replaycmd

import (
	"context"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/calllog"
	"github.com/toolscope/toolscope/mcp/toolmcp"
	"github.com/toolscope/toolscope/toolkit"
)

// listed are the tools that a recording lists, and other ones. Policies decide by their definitions where no tool runs.
type listed struct {
	recorded toolkit.Tools
	toolscope.Registry
}

// withListed puts the tools that a recording lists before others. The last definition of a tool counts.
func withListed(records []calllog.Record, others toolscope.Registry) (toolscope.Registry, error) {
	var definitions []toolkit.Definition
	places := map[string]int{}
	for i := range records {
		d := definitionOf(toolkit.Definition{Name: records[i].Tool}, records[i].Definition)
		at, there := places[d.Name]
		switch {
		case d.Validate() != nil:
		case there:
			definitions[at] = d
		default:
			places[d.Name] = len(definitions)
			definitions = append(definitions, d)
		}
	}
	if len(definitions) == 0 {
		return others, nil
	}
	tools, err := toolkit.NewTools(definitions...)
	return listed{tools, others}, err
}

// Lookup finds a tool of the recording first.
func (l listed) Lookup(name string) *toolkit.Definition {
	if d := l.recorded.Lookup(name); d != nil {
		return d
	}
	return l.Registry.Lookup(name)
}

// Definitions are those of the recording.
func (l listed) Definitions() []toolkit.Definition { return l.recorded.Definitions() }

// Handle runs no tool.
func (l listed) Handle(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
	return toolkit.Failure(&toolkit.Error{
		Kind: toolkit.ErrUnknownTool, Tool: call.Name, Message: "the recording does not list it",
	}), nil
}

// definitionOf is a recorded definition with what MCP servers of toolscope add to it; d where the text has none.
func definitionOf(d toolkit.Definition, text []byte) toolkit.Definition {
	var tool mcp.Tool
	if json.Unmarshal(text, &tool) == nil {
		if def, err := toolmcp.DefinitionOf(&tool); err == nil && def.Name == d.Name && def.Validate() == nil {
			return def
		}
	}
	return d
}
