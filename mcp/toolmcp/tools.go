// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

// toolTable is the tools of a server, as its lists say. Names come from lists only: a call, even one that
// succeeds, never adds one, because models make names up and a server may answer any.
type toolTable struct {
	client bool // whether another process has the tools

	mu      sync.RWMutex
	tools   map[string]*toolkit.Definition
	listed  bool
	pages   map[string]*toolkit.Definition // of a list that is not complete
	due     time.Time                      // when an unknown name may list again
	stale   time.Time                      // when any name lists again
	listing chan struct{}                  // closed when the list under way has ended; nil if there is none
}

// The bounds of a table, and of what refreshing it costs.
const (
	maxTools     = 16384
	refreshAfter = time.Second
	staleAfter   = time.Minute
	listWait     = 2 * time.Second
)

// unlisted is the tool of each call on a client that has not seen a list of the server's tools. A failure
// of such a call is the tool's: it does not show that the tool is unknown.
var unlisted = &toolkit.Definition{Name: tracing.UnknownTool}

// lookup finds a tool. A name that the server does not list is nil, and [unlisted] on a client that has not
// seen a complete list. It is a toolkit.Lookup.
func (t *toolTable) lookup(name string) *toolkit.Definition {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if def := t.tools[name]; def != nil || t.listed || !t.client {
		return def
	}
	return unlisted
}

// label is the name as it may appear in a span name or a metric.
func (t *toolTable) label(name string) string {
	if def := t.lookup(name); def != nil {
		return def.Name
	}
	return tracing.UnknownTool
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
	if t.pages == nil { // a page of a list whose beginning was not seen
		return
	}
	for name, def := range defs {
		if len(t.pages) < maxTools {
			t.pages[name] = def
		}
	}
	if res.NextCursor == "" {
		t.tools, t.pages, t.listed = t.pages, nil, true
	}
}

// refresh lists the server's tools if that may tell of name, or was long ago. A call of a
// tool that is known does not wait for the list, one of another only so long, since the
// list may be slow, or hang.
func (t *toolTable) refresh(ctx context.Context, name string, s mcp.Session, next mcp.MethodHandler) {
	now := time.Now()
	if ss, ok := s.(*mcp.ServerSession); ok && t.needsList(name, now) {
		t.refreshBy(ctx, name, now, func(ctx context.Context) { t.listAll(ctx, ss, next) })
	}
}

// refreshClient is refresh of another process's tools, by requests that the client's middlewares see.
func (t *toolTable) refreshClient(ctx context.Context, name string, cs *mcp.ClientSession) {
	now := time.Now()
	if !t.needsList(name, now) {
		return
	}
	t.refreshBy(ctx, name, now, func(ctx context.Context) {
		for params := new(mcp.ListToolsParams); params != nil; {
			res, err := cs.ListTools(ctx, params)
			if err != nil || res.NextCursor == "" || res.NextCursor == params.Cursor {
				return
			}
			params = &mcp.ListToolsParams{Cursor: res.NextCursor}
		}
	})
}

// needsList reports whether a list may tell of a name, or the last one was long ago.
func (t *toolTable) needsList(name string, now time.Time) bool {
	fresh, _, _ := t.state(name, now)
	return !fresh
}

func (t *toolTable) refreshBy(ctx context.Context, name string, now time.Time, all func(context.Context)) {
	listed, patience := t.list(name, now, func() { all(context.WithoutCancel(ctx)) })
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
				_ = recover() // of another middleware: the call itself will tell
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

// listOf is the list that a result is; nil if it is none.
func listOf(res mcp.Result) *mcp.ListToolsResult {
	switch l := res.(type) {
	case *mcp.ListToolsResult:
		return l
	case *toolList:
		return l.ListToolsResult
	}
	return nil
}
