// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/toolkit"
)

// NewServer serves a registry's tools over the Model Context Protocol. handler runs the
// calls; nil is the registry's Handle. Give it the bare handler and [Instrument] the
// server: a handler that a scope wraps as well would be watched and governed
// twice. A nil impl is "toolscope" with its version. For options of the SDK's make the
// server yourself and call [AddTools].
//
// Definitions keep all they say ([ToolOf]); in tools/list the extension "harness" stands
// beside the protocol's members as well, for peers that look there. A failed result
// is one with isError; so is an error of the handler's. A result that is suspended is sent
// as it is. Tools that the registry gets later are not served until [AddTools] says so.
//
// An error names the tool whose definition cannot be served, and why.
func NewServer(impl *mcp.Implementation, registry toolscope.Registry, handler toolkit.Handler) (*mcp.Server, error) {
	if registry == nil {
		return nil, errors.New("toolmcp: NewServer: got no registry, want one")
	}
	if impl == nil {
		impl = &mcp.Implementation{Name: "toolscope", Version: moduleVersion()}
	}
	if handler == nil {
		handler = registry.Handle
	}
	server := mcp.NewServer(
		impl, &mcp.ServerOptions{Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}}},
	)
	if err := AddTools(server, registry.Definitions(), handler); err != nil {
		return nil, err
	}
	server.AddReceivingMiddleware(harnessBeside)
	return server, nil
}

// AddTools adds tools to a server, or puts them in the place of those of their names.
// An error names the first tool that cannot be served; those before it have been added.
func AddTools(server *mcp.Server, defs []toolkit.Definition, handler toolkit.Handler) error {
	handler = toolkit.Chain(handler)
	for _, def := range defs {
		if err := addTool(server, def, handler); err != nil {
			return err
		}
	}
	return nil
}

// addTool adds one tool. The SDK panics at a schema that it cannot serve.
func addTool(server *mcp.Server, def toolkit.Definition, handler toolkit.Handler) (err error) {
	if err := def.Validate(); err != nil {
		return fmt.Errorf("toolmcp: AddTools: %w", err)
	}
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("toolmcp: AddTools: %v", v)
		}
	}()
	tool := ToolOf(def)
	tool.InputSchema = withType(def.InputSchema)
	server.AddTool(tool, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		res, err := handler(ctx, toolkit.Call{Name: def.Name, Arguments: req.Params.Arguments})
		switch {
		case err != nil && res.Output == "" && res.Fault == nil:
			res = toolkit.Failure(err)
		case err != nil:
			res.Fault = err
		}
		out := callToolResult(res)
		if res.Fault != nil {
			out.SetError(res.Fault) // the kind of the failure, for the spans
		}
		return out, nil
	})
	return nil
}

// withType is a schema with the type that the protocol asks for, if it says none.
func withType(schema json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if len(schema) == 0 {
		return json.RawMessage(`{"type":"object"}`)
	}
	if err := json.Unmarshal(schema, &members); err != nil || members["type"] != nil {
		return schema
	}
	rest := bytes.TrimSpace(schema)[1:]
	if len(members) == 0 {
		return json.RawMessage(`{"type":"object"}`)
	}
	return append([]byte(`{"type":"object",`), rest...)
}

// harnessBeside puts what a tool's _meta says under "harness" beside the protocol's own
// members, too.
func harnessBeside(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		if list, ok := res.(*mcp.ListToolsResult); ok && err == nil && list != nil {
			return &toolList{list}, nil
		}
		return res, err
	}
}

// toolList is a list of tools whose JSON has the extension.
type toolList struct{ *mcp.ListToolsResult }

func (l *toolList) MarshalJSON() ([]byte, error) {
	text, err := json.Marshal(l.ListToolsResult)
	if err != nil {
		return nil, err
	}
	var members map[string]json.RawMessage
	var tools []json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(members["tools"], &tools); err != nil {
		return nil, err
	}
	for i, t := range l.Tools {
		if extension := rawJSON(t.Meta[metaHarness]); extension != nil {
			tools[i] = fmt.Appendf(bytes.TrimSuffix(tools[i], []byte("}")), `,%q:%s}`, metaHarness, extension)
		}
	}
	if members["tools"], err = json.Marshal(tools); err != nil {
		return nil, err
	}
	return json.Marshal(members)
}

// moduleVersion is this module's version as the binary knows it.
func moduleVersion() string {
	const module = "github.com/toolscope/toolscope"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(devel)"
	}
	for _, d := range append(info.Deps, &info.Main) {
		if d.Path == module && d.Version != "" {
			return d.Version
		}
	}
	return "(devel)"
}
