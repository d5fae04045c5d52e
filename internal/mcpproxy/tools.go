// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"crypto/sha256"
	"encoding/hex"
	stdjson "encoding/json"
	"slices"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/toolmcp"
)

// toolTable is the tools that the server's lists name. Until there was one any name counts,
// up to maxUnlisted. lookup is safe for concurrent use.
type toolTable struct {
	mu     sync.RWMutex
	tools  map[string]*toolkit.Definition
	listed bool

	changed []string // that are not what they were, sorted
}

// The bounds of a table.
const (
	maxTools    = 16384
	maxUnlisted = 1024
)

// toolList is a list as the client gets it.
type toolList struct {
	tools  map[string]*toolkit.Definition
	hashes map[string]string // of the definitions as they stand on the wire
	bytes  int
}

// tokens is how many tokens of a model's a list takes, roughly: four bytes each.
func (l *toolList) tokens() int { return (l.bytes + 3) / 4 }

// lookup finds a tool; nil if the server does not list it.
func (t *toolTable) lookup(name string) *toolkit.Definition {
	t.mu.RLock()
	def, open := t.tools[name], !t.listed && len(t.tools) < maxUnlisted
	t.mu.RUnlock()
	if def != nil || !open {
		return def
	}
	made := &toolkit.Definition{Name: name}
	if made.Validate() != nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.listed || t.tools[name] != nil {
		return t.tools[name]
	}
	if t.tools == nil {
		t.tools = map[string]*toolkit.Definition{}
	}
	t.tools[name] = made
	return made
}

// known reports whether a complete list was seen, and whether it has the name.
func (t *toolTable) known(name string) (listed, has bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.listed, t.tools[name] != nil
}

// setChanged says which tools are not what they were.
func (t *toolTable) setChanged(names []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.changed = names
}

// hasChanged reports whether a tool is not what it was.
func (t *toolTable) hasChanged(name string) bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return slices.Contains(t.changed, name)
}

// changedNames are the names of the tools that are not what they were, as they may leave.
func (t *toolTable) changedNames(clean func(string) string) (names []string) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for _, name := range t.changed {
		names = append(names, clean(name))
	}
	return names
}

// page takes in a page of a list, of which pages has those before, and gives the list if it
// is complete.
func (t *toolTable) page(cursor string, result jsontext.Value, pages **toolList) *toolList {
	var page struct {
		Tools      []jsontext.Value `json:"tools"`
		NextCursor string           `json:"nextCursor"`
	}
	if unmarshal(result, &page) != nil {
		return nil
	}
	if cursor == "" {
		*pages = &toolList{tools: map[string]*toolkit.Definition{}, hashes: map[string]string{}}
	}
	list := *pages
	if list == nil { // a page of a list whose beginning nobody saw
		return nil
	}
	for _, raw := range page.Tools {
		list.add(raw)
	}
	if page.NextCursor != "" {
		return nil
	}
	*pages = nil
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tools, t.listed = list.tools, true
	return list
}

// add adds a tool. What is no tool counts by its size only.
func (l *toolList) add(raw jsontext.Value) {
	l.bytes += len(raw)
	if len(l.hashes) >= maxTools {
		return
	}
	var tool mcp.Tool
	if stdjson.Unmarshal(raw, &tool) != nil || tool.Name == "" {
		return
	}
	def, err := toolmcp.DefinitionOf(&tool)
	if err != nil {
		def = toolkit.Definition{Name: tool.Name}
		if def.Validate() != nil {
			return
		}
	}
	l.tools[def.Name] = &def
	l.hashes[def.Name] = hashOf(raw)
}

// hashOf is the hash of a definition, whatever its blanks and order.
func hashOf(raw jsontext.Value) string {
	if canonical := raw.Clone(); canonical.Canonicalize() == nil {
		raw = canonical
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}
