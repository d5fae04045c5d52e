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

func TestListsOfToolsAreBounded(t *testing.T) {
	r := newRecorder(t)
	for range 10 * maxListers {
		r.Register(new(toolkit.Registry))
	}
	if n := len(r.registered.lists); n != maxListers {
		t.Errorf("got %d lists, want %d", n, maxListers)
	}
}
