// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"cmp"
	"reflect"
	"slices"
	"sync"

	"github.com/toolscope/toolscope/toolkit"
)

// lister lists the definitions of tools that are registered.
type lister = interface{ Definitions() []toolkit.Definition }

// maxListers bounds what [Recorder.Register] keeps.
const maxListers = 64

// registeredTools are the lists of a recorder.
type registeredTools struct {
	mu    sync.Mutex
	lists []lister
}

// Register adds registered tools to those of [Options].Registered, so that the recorder can name
// those never used. A [toolkit.Registry] lists its definitions; readers ask it, from any goroutine. A
// pointer that is registered again counts once; of more than 64 lists the earliest is forgotten. A
// nil list is ignored.
func (r *Recorder) Register(tools interface{ Definitions() []toolkit.Definition }) {
	if tools == nil {
		return
	}
	pointer := reflect.TypeOf(tools).Kind() == reflect.Pointer // others may not be comparable
	l := &r.registered
	l.mu.Lock()
	defer l.mu.Unlock()
	if pointer && slices.ContainsFunc(l.lists, func(known lister) bool { return known == tools }) {
		return
	}
	if len(l.lists) == maxListers {
		l.lists = slices.Delete(l.lists, 0, 1)
	}
	l.lists = append(l.lists, tools)
}

// definitions calls visit for each registered tool; it returns false if no list was registered.
func (r *Recorder) definitions(visit func(*toolkit.Definition)) bool {
	r.registered.mu.Lock()
	lists := slices.Clone(r.registered.lists)
	r.registered.mu.Unlock()
	add := func(list []toolkit.Definition) {
		for i := range list {
			visit(&list[i])
		}
	}
	if r.config.Registered != nil {
		add(r.config.Registered())
	}
	for _, l := range lists {
		add(l.Definitions())
	}
	return len(lists) > 0 || r.config.Registered != nil
}

// registeredNames are the names of the registered tools, sorted, each once; false
// if none was registered.
func (r *Recorder) registeredNames() (names []string, any bool) {
	any = r.definitions(func(d *toolkit.Definition) { names = append(names, r.config.names.shownAs(d.Name)) })
	slices.Sort(names)
	return slices.Compact(names), any
}

// A RegisteredTool is a tool that an agent can call, whether it did or not. Its texts are redacted.
type RegisteredTool struct {
	Tool     string `json:"tool"`               // name of the tool
	Category string `json:"category,omitempty"` // category of its definition; left out if it has none
	Risk     string `json:"risk,omitempty"`     // low, medium or high; left out if its definition says nothing
	// ReadOnly is whether its definition says that it changes nothing.
	ReadOnly bool `json:"read_only,omitempty"`
	// Destructive is whether its definition says that it may destroy something.
	Destructive bool   `json:"destructive,omitempty"`
	Approval    bool   `json:"requires_approval,omitempty"` // whether a person has to approve each call
	Calls       uint64 `json:"calls"`                       // number of calls since the recorder started
}

// RegisteredTools lists the tools that are registered with a recorder by category and name, those without a category
// first, each name once. [toolkit.OfCategory] selects definitions. It is no method, so that programs that do not list
// tools do not link it.
func RegisteredTools(r *Recorder) []RegisteredTool {
	calls := make(map[string]uint64)
	for _, t := range r.Snapshot(Window{}).Tools {
		calls[t.Tool] = t.Calls()
	}
	tools := []RegisteredTool{}
	r.definitions(func(d *toolkit.Definition) {
		name := r.config.names.shownAs(d.Name)
		tools = append(tools, RegisteredTool{
			Tool: name, Category: r.config.names.shownAs(d.Category), Risk: r.config.names.shownAs(string(d.Risk)),
			ReadOnly: d.ReadOnly == toolkit.Yes, Destructive: d.Destructive == toolkit.Yes, Approval: d.RequiresApproval,
			Calls: calls[name],
		})
	})
	slices.SortStableFunc(tools, func(a, b RegisteredTool) int { return cmp.Compare(a.Tool, b.Tool) })
	tools = slices.CompactFunc(tools, func(a, b RegisteredTool) bool { return a.Tool == b.Tool })
	slices.SortStableFunc(tools, func(a, b RegisteredTool) int { return cmp.Compare(a.Category, b.Category) })
	return tools
}
