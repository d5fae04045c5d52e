// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"slices"
	"testing"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

// definitions is a list that cannot be compared.
type definitions []toolkit.Definition

func (d definitions) Definitions() []toolkit.Definition { return d }

func TestToolsNeverUsedAreNamed(t *testing.T) {
	r := newRecorder(t)
	if got := r.Health(Window{}).Unused; got != nil {
		t.Errorf("before any was registered: got %q, want nil", got)
	}
	registry := new(toolkit.Registry)
	tool := toolkit.ToolFunc(toolkit.Definition{Name: "search"}, nil)
	r.Register(nil)
	r.Register(registry)
	r.Register(registry)
	r.Register(definitions{{Name: "write"}, {Name: "read"}})
	if err := registry.Register(tool); err != nil { // after the registry was registered
		t.Fatal(err)
	}
	record(r, call(&toolkit.Definition{Name: "read"}, time.Millisecond))
	if got, want := r.Health(Window{}).Unused, []string{"search", "write"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if n := len(r.registered.lists); n != 2 {
		t.Errorf("got %d lists, want 2", n)
	}
}

func TestToolsAreListedByCategory(t *testing.T) {
	r := newRecorder(t)
	read := toolkit.Definition{Name: "read", Category: "files", Risk: toolkit.RiskLow, ReadOnly: toolkit.Yes}
	all := definitions{
		{Name: "wipe", Category: "files", Risk: toolkit.RiskHigh, Destructive: toolkit.Yes, RequiresApproval: true},
		{Name: "plain"}, {Name: "add", Category: "data"}, read,
	}
	r.Register(all)
	r.Register(definitions{{Name: "read", Category: "again"}}) // the first definition of a name counts
	record(r, call(&read, time.Millisecond))
	want := []RegisteredTool{
		{Tool: "plain"}, {Tool: "add", Category: "data"},
		{Tool: "read", Category: "files", Risk: "low", ReadOnly: true, Calls: 1},
		{Tool: "wipe", Category: "files", Risk: "high", Destructive: true, Approval: true},
	}
	if got := RegisteredTools(r); !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := toolkit.OfCategory(all.Definitions(), "files"); len(got) != 2 || got[0].Name != "wipe" || got[1].Name != "read" {
		t.Errorf("definitions of a category: got %v", got)
	}
}

func TestListsOfToolsAreBounded(t *testing.T) {
	r := newRecorder(t)
	for range 10 * maxListers {
		r.Register(new(toolkit.Registry))
	}
	if n := len(r.registered.lists); n != maxListers {
		t.Errorf("got %d lists, want %d", n, maxListers)
	}
}
