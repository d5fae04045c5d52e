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

	mu      sync.RWMutex
	tools   map[string]*toolkit.Definition
	listed  bool
	learned int                            // tools that no list named
	pages   map[string]*toolkit.Definition // of a list that is not complete
	due     time.Time                      // when an unknown name may list again
	stale   time.Time                      // when any name lists again
	listing chan struct{}                  // closed when the list under way has ended; nil if there is none
}

// The bounds of a table, and of what refreshing it costs.
const (
	maxTools     = 16384
	maxUnlisted  = 1024
	refreshAfter = time.Second
	staleAfter   = time.Minute
	listWait     = 2 * time.Second
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

// refresh lists the server's tools if that may tell of name, or was long ago. A call of a
// tool that is known does not wait for the list, one of another only so long, since the
// list may be somebody's who is slow, or hangs.
func (t *toolTable) refresh(ctx context.Context, name string, s mcp.Session, next mcp.MethodHandler) {
	ss, ok := s.(*mcp.ServerSession)
	if !ok {
		return
	}
	now := time.Now()
	if fresh, _, _ := t.state(name, now); fresh {
		return
	}
	listed, patience := t.list(name, now, func() { t.listAll(context.WithoutCancel(ctx), ss, next) })
	if patience <= 0 {
		return
	}
	limit := time.NewTimer(patience)
	defer limit.Stop()
	select {
	case <-listed:
	case <-limit.C:
	case <-ctx.Done():
	}
}

// list runs all in a goroutine if a list is due and none is under way. It returns what is
// closed when the one under way has ended, and how long that is to be waited for: 0 if
// there is none, or the name is known.
func (t *toolTable) list(name string, now time.Time, all func()) (listed <-chan struct{}, patience time.Duration) {
	t.mu.Lock()
	if t.listing == nil && !now.Before(t.due) {
		done := make(chan struct{})
		t.listing, t.due, t.stale = done, now.Add(refreshAfter), now.Add(staleAfter)
		go func() {
			defer func() {
				_ = recover() // of somebody's middleware: the call itself will tell
				t.mu.Lock()
				t.listing = nil
				t.mu.Unlock()
				close(done)
			}()
			all()
		}()
	}
	t.mu.Unlock()
	_, listed, patience = t.state(name, now)
	return listed, patience
}

// state reports whether no new list is due for a name, and what list returns.
func (t *toolTable) state(name string, now time.Time) (fresh bool, listed <-chan struct{}, patience time.Duration) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if t.tools[name] != nil {
		return now.Before(t.stale), t.listing, 0
	}
	if t.listing == nil {
		return now.Before(t.due), nil, 0
	}
	return false, t.listing, t.due.Add(listWait - refreshAfter).Sub(now)
}

// listAll reads all pages of the server's list.
func (t *toolTable) listAll(ctx context.Context, ss *mcp.ServerSession, next mcp.MethodHandler) {
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
