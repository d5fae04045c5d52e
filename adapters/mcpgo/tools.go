// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpgo

import (
	"context"
	"reflect"
	"sync"
	"unsafe"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/toolscope/toolscope/toolkit"
)

// maxKnown is how many definitions are remembered.
const maxKnown = 4096

// registered are the tools of a server, as they are registered at the time, and tools of sessions
// that were called.
type registered struct {
	server *server.MCPServer
	mu     sync.Mutex
	known  map[string]knownTool
}

// knownTool is the definition that was made of a tool. It is made again if the tool is another one.
type knownTool struct {
	of         identity
	definition *toolkit.Definition
	session    bool
}

// identity tells two registered tools apart without a look at their schemas: a tool that is
// registered again has others.
type identity struct {
	title, description string
	annotations        mcp.ToolAnnotation
	properties         uintptr
	input, output      *byte
}

func identityOf(t *mcp.Tool) identity {
	return identity{
		title: t.Title, description: t.Description, annotations: t.Annotations,
		properties: reflect.ValueOf(t.InputSchema.Properties).Pointer(),
		input:      unsafe.SliceData(t.RawInputSchema), output: unsafe.SliceData(t.RawOutputSchema),
	}
}

// meet remembers a tool that only the session of ctx has.
func (r *registered) meet(ctx context.Context, name string) {
	session, ok := server.ClientSessionFromContext(ctx).(server.SessionWithTools)
	if !ok {
		return
	}
	if tool, ok := session.GetSessionTools()[name]; ok {
		r.definition(&tool.Tool, true)
	}
}

// Lookup returns the tool of that name, or nil.
func (r *registered) Lookup(name string) *toolkit.Definition {
	if tool := r.server.GetTool(name); tool != nil {
		return r.definition(&tool.Tool, false)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if known := r.known[name]; known.session {
		return known.definition
	}
	return nil
}

// Definitions are those of all tools of the server.
func (r *registered) Definitions() []toolkit.Definition {
	var all []toolkit.Definition
	for _, tool := range r.server.ListTools() {
		all = append(all, *r.definition(&tool.Tool, false))
	}
	return all
}

func (r *registered) definition(t *mcp.Tool, session bool) *toolkit.Definition {
	of := identityOf(t)
	r.mu.Lock()
	defer r.mu.Unlock()
	if known, ok := r.known[t.Name]; ok && known.of == of {
		return known.definition
	}
	d, err := DefinitionOf(*t)
	if err != nil { // its schema cannot be encoded, so that the server cannot list it either
		d = toolkit.Definition{Name: t.Name, Description: t.Description, Type: toolkit.ToolExtension}
	}
	if r.known == nil || len(r.known) >= maxKnown {
		r.known = map[string]knownTool{}
	}
	r.known[t.Name] = knownTool{of, &d, session}
	return &d
}
