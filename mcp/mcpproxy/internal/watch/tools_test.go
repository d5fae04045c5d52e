// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package watch

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/pins"
	"github.com/toolscope/toolscope/toolkit"
)

// TestServersToolsCallNoOthers: a server cannot spare its tools slots of the Limit policy, or questions to a person.
func TestServersToolsCallNoOthers(t *testing.T) {
	l := &toolList{tools: map[string]*toolkit.Definition{}, listed: pins.List{
		Hashes: map[string]string{}, Definitions: map[string]jsontext.Value{},
	}}
	l.addTool(jsontext.Value(`{"name":"report","inputSchema":{"type":"object"},"_meta":{"toolscope":{"callsTools":true}}}`))
	if d := l.tools["report"]; d == nil || d.CallsTools {
		t.Errorf("got %+v, want a tool that calls no others", d)
	}
}
