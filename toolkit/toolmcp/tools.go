// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope/toolkit"
)

// toolTable is the tools of a server, as its lists say.
type toolTable struct {
	open bool // any name counts until there was a list

	listing sync.Mutex // held by who lists

	mu      sync.RWMutex
	tools   map[string]*toolkit.Definition
	listed  bool
	learned int                            // tools that no list named
	pages   map[string]*toolkit.Definition // of a list that is not complete
	due     time.Time                      // when an unknown name may list again
	stale   time.Time                      // when any name lists again
}

// The bounds of a table, and of what refreshing it costs.
const (
	maxTools     = 16384
	maxUnlisted  = 1024
	refreshAfter = time.Second
	staleAfter   = time.Minute
)

// lookup finds a tool; nil if the server does not list it. It is a toolkit.Lookup.
func (t *toolTable) lookup(name string) *toolkit.Definition {
	t.mu.RLock()
	def, listed, n := t.tools[name], t.listed, len(t.tools)
	t.mu.RUnlock()
	if def != nil || listed || !t.open || n >= maxUnlisted {
		return def
	}
	made := &toolkit.Definition{Name: name}
	if made.Validate() != nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.listed || t.tools[name] != nil || len(t.tools) >= maxUnlisted {
		return t.tools[name]
	}
	if t.tools == nil {
		t.tools = map[string]*toolkit.Definition{}
	}
	t.tools[name] = made
	return made
}

// learn takes in a name that no list has and that the peer answered to: a tool that it
// got after it was asked.
func (t *toolTable) learn(name string) {
	t.mu.RLock()
	known := t.tools[name] != nil || len(t.tools) >= maxTools || t.learned >= maxUnlisted
	t.mu.RUnlock()
	if known {
		return
	}
	made := &toolkit.Definition{Name: name}
	if made.Validate() != nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.tools[name] == nil && t.learned < maxUnlisted {
		if t.tools == nil {
			t.tools = map[string]*toolkit.Definition{}
		}
		t.tools[name] = made
		t.learned++
	}
}

// page takes in one page of a list; the last one completes it.
func (t *toolTable) page(first bool, res *mcp.ListToolsResult) {
	defs := make(map[string]*toolkit.Definition, len(res.Tools))
	for _, tool := range res.Tools {
		if def, err := DefinitionOf(tool); err == nil {
			defs[def.Name] = &def
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if first {
		t.pages = map[string]*toolkit.Definition{}
	}
	if t.pages == nil { // a page of a list whose beginning nobody saw
		return
	}
	for name, def := range defs {
		if len(t.pages) < maxTools {
			t.pages[name] = def
		}
	}
	if res.NextCursor == "" {
		t.tools, t.pages, t.listed, t.learned = t.pages, nil, true, 0
	}
}

// refresh lists the server's tools if that may tell of name, or was long ago. Whoever
// comes meanwhile waits for the list.
func (t *toolTable) refresh(ctx context.Context, name string, s mcp.Session, next mcp.MethodHandler) {
	ss, ok := s.(*mcp.ServerSession)
	if !ok || t.fresh(name, time.Now()) {
		return
	}
	t.listing.Lock()
	defer t.listing.Unlock()
	now := time.Now()
	if t.fresh(name, now) {
		return
	}
	t.mu.Lock()
	t.due, t.stale = now.Add(refreshAfter), now.Add(staleAfter)
	t.mu.Unlock()
	defer func() { _ = recover() }() // of somebody's middleware: the call itself will tell
	cursor := ""
	for range maxTools {
		res, err := next(ctx, methodListTools, &mcp.ListToolsRequest{Session: ss, Params: &mcp.ListToolsParams{Cursor: cursor}})
		list := listOf(res)
		if err != nil || list == nil {
			return
		}
		t.page(cursor == "", list)
		if list.NextCursor == "" || list.NextCursor == cursor {
			return
		}
		cursor = list.NextCursor
	}
}

// fresh reports whether a new list is not due.
func (t *toolTable) fresh(name string, now time.Time) bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.tools[name] != nil && now.Before(t.stale) || now.Before(t.due)
}
