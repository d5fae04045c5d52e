// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package servecmd

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/builtin"
	"github.com/toolscope/toolscope/config"
	"github.com/toolscope/toolscope/mcp/toolmcp"
	"github.com/toolscope/toolscope/toolkit"
)

// serveWorkflows adds the workflows of the configuration to the tools of the server, and returns their
// definitions. Their steps call tools through scope.
func serveWorkflows(
	file *config.File, scope *toolscope.Scope, server *mcp.Server, tools builtin.Governed, pages *builtin.LateWorkflows,
) ([]toolkit.Definition, error) {
	w, err := builtin.OpenWorkflows(file, scope, tools)
	if err != nil {
		return nil, err
	}
	pages.Show(w.Set)
	if recorder := scope.Stats(); recorder != nil {
		recorder.Register(w.Registry)
	}
	definitions := w.Registry.Definitions()
	return definitions, toolmcp.AddTools(server, definitions, w.Registry.Handle)
}

// served are the tools of MCP servers under the policies of each.
type served struct {
	toolkit.Tools
	handle toolkit.Handler
}

func (s served) Handle(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
	return s.handle(ctx, call)
}
