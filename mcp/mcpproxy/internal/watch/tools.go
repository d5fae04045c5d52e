// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package watch

import (
	stdjson "encoding/json"
	"slices"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/pins"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/wire"
	"github.com/toolscope/toolscope/mcp/toolmcp"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

// ToolTable is the tools that the server's lists name. A call never adds a name, because models make names
// up and a server may answer any. lookup is safe for concurrent use.
type ToolTable struct {
	Earlier *earlierTools // of other connections; nil for none

	mu     sync.RWMutex
	tools  map[string]*toolkit.Definition
	listed bool

	changed []string // that are not what they were, sorted
}

// maxTools bounds a table.
const maxTools = 16384

// maxKept is how much of a list is kept until it is complete, in bytes, to be compared and stored.
const maxKept = 4 << 20

// unlisted is the tool of each call of a connection over which no list has passed. A failure of such a call is
// the tool's: it does not show that the tool is unknown.
var unlisted = &toolkit.Definition{Name: tracing.UnknownTool}

// earlierTools are the names in the latest complete list of any connection to the server, for connections over
// which none has passed yet. The definitions have nothing but the name: what else a list says is for the client
// that got it. Safe for concurrent use.
type earlierTools struct {
	mu    sync.RWMutex
	named map[string]*toolkit.Definition
}

func (e *earlierTools) find(name string) *toolkit.Definition {
	if e == nil {
		return nil
	}
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.named[name]
}

// Replace takes over the names of a list. Definitions of names that stay are the same, as observers remember
// them by their addresses.
func (e *earlierTools) Replace(list map[string]*toolkit.Definition) {
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	named := make(map[string]*toolkit.Definition, len(list))
	for name := range list {
		if named[name] = e.named[name]; named[name] == nil {
			named[name] = &toolkit.Definition{Name: name}
		}
	}
	e.named = named
}

// toolList is a list as the client gets it.
type toolList struct {
	tools  map[string]*toolkit.Definition
	listed pins.List
	bytes  int
}

// tokens is how many tokens of a model's a list takes, roughly: four bytes each.
func (l *toolList) tokens() int { return (l.bytes + 3) / 4 }

// Lookup finds a tool. A name that the server does not list is nil. Before a list has passed it is a tool that
// an earlier connection listed, or else [unlisted].
func (t *ToolTable) Lookup(name string) *toolkit.Definition {
	t.mu.RLock()
	def, listed := t.tools[name], t.listed
	t.mu.RUnlock()
	if def != nil || listed {
		return def
	}
	if def = t.Earlier.find(name); def != nil {
		return def
	}
	return unlisted
}

// known reports whether a complete list was seen, and whether it has the name.
func (t *ToolTable) known(name string) (listed, has bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.listed, t.tools[name] != nil
}

// setChanged says which tools are not what they were.
func (t *ToolTable) setChanged(names []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.changed = names
}

// hasChanged reports whether a tool is not what it was.
func (t *ToolTable) hasChanged(name string) bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return slices.Contains(t.changed, name)
}

// changedNames are the names of the tools that are not what they were, as they may leave.
func (t *ToolTable) changedNames(clean func(string) string) (names []string) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for _, name := range t.changed {
		names = append(names, clean(name))
	}
	return names
}

// page takes in a page of a list, of which pages has those before, and gives the list if it
// is complete.
func (t *ToolTable) page(cursor string, result jsontext.Value, pages **toolList) *toolList {
	var page struct {
		Tools      []jsontext.Value `json:"tools"`
		NextCursor string           `json:"nextCursor"`
	}
	if wire.Unmarshal(result, &page) != nil {
		return nil
	}
	if cursor == "" {
		*pages = &toolList{tools: map[string]*toolkit.Definition{}, listed: pins.List{
			Hashes: map[string]string{}, Definitions: map[string]jsontext.Value{},
		}}
	}
	list := *pages
	if list == nil { // a page of a list whose beginning was not seen
		return nil
	}
	for _, raw := range page.Tools {
		list.addTool(raw)
	}
	if page.NextCursor != "" {
		return nil
	}
	*pages = nil
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tools, t.listed = list.tools, true
	t.Earlier.Replace(list.tools)
	return list
}

// addTool adds a tool. What is no tool counts by its size only.
func (l *toolList) addTool(raw jsontext.Value) {
	l.bytes += len(raw)
	if len(l.listed.Hashes) >= maxTools {
		return
	}
	var tool mcp.Tool
	if stdjson.Unmarshal(raw, &tool) != nil || tool.Name == "" {
		return
	}
	l.listed.Hashes[tool.Name] = pins.HashOf(raw) // of a name with control characters, too
	if l.bytes <= maxKept {
		l.listed.Definitions[tool.Name] = raw
	}
	def, err := toolmcp.DefinitionOf(&tool)
	if err != nil {
		def = toolkit.Definition{Name: tool.Name}
		if def.Validate() != nil {
			return
		}
	}
	def.CallsTools = false // a server's tools do not call others through the policies of this process
	l.tools[def.Name] = &def
}
