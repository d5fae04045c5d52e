// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"cmp"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/pins"
)

// A Baseline stores what the definitions of a server's tools were when they were first seen. A
// server whose tools change afterwards, so that a user has agreed to something else than
// what runs, is a known attack. A change is reported at each connection until a user accepts
// it. Safe for concurrent use; only the user can read the file (0600).
type Baseline struct{ tools *pins.Baseline }

// ErrNotAccepted says that tools are to be pinned that no user has accepted.
var ErrNotAccepted = pins.ErrNotAccepted

// OpenBaseline is the baseline of a server in a directory; "" is that of the user's state. The identity
// tells the server from others, such as its command line, of which only a hash is stored.
func OpenBaseline(dir string, identity ...string) (*Baseline, error) {
	tools, err := pins.Open(dir, identity...)
	if err != nil {
		return nil, err
	}
	return &Baseline{tools}, nil
}

// Baselines are those that are stored in a directory; "" is that of the user's state.
func Baselines(dir string) ([]*Baseline, error) {
	all, err := pins.All(dir)
	if err != nil {
		return nil, err
	}
	var list []*Baseline
	for _, tools := range all {
		list = append(list, &Baseline{tools})
	}
	return list, nil
}

// A BaselineReport is what a baseline stores. Definitions are redacted; those that a version of toolscope stored
// which kept none, and very long ones, are nil.
type BaselineReport struct {
	ID       string                     `json:"id"`
	Server   string                     `json:"server"`
	Since    time.Time                  `json:"since"`    // when the tools were first seen, or a user last accepted some
	Accepted bool                       `json:"accepted"` // by a user, so that they may be pinned
	Tools    map[string]json.RawMessage `json:"tools"`    // definitions by name
	Changes  []ToolChange               `json:"changes"`  // of the last list that differed, by name
	ListedAt time.Time                  `json:"listed_at,omitzero"`
}

// A ToolChange is a tool that differs from the baseline.
type ToolChange struct {
	Tool   string          `json:"tool"`
	Change string          `json:"change"` // "changed", "added" or "removed"
	Before json.RawMessage `json:"before,omitempty"`
	After  json.RawMessage `json:"after,omitempty"`
	// RenamedFrom is the tool that is gone and in whose place this one stands; Same says that nothing but the
	// name differs. Without Same the two are similar.
	RenamedFrom string `json:"renamed_from,omitempty"`
	Same        bool   `json:"same,omitempty"`
}

// Report is what the baseline stores; the error is of its file.
func (b *Baseline) Report() (BaselineReport, error) {
	f, err := b.tools.File()
	r := BaselineReport{
		ID: strings.TrimSuffix(filepath.Base(b.tools.Path), ".json"), Server: f.Server, Since: f.Since, Accepted: f.Accepted,
		Tools: map[string]json.RawMessage{}, Changes: []ToolChange{},
	}
	for name := range f.Tools {
		r.Tools[name] = f.Definitions[name]
	}
	if err != nil || f.Latest == nil {
		return r, err
	}
	r.ListedAt = f.Latest.At
	for _, name := range slices.Sorted(maps.Keys(f.Latest.Tools)) {
		c := ToolChange{Tool: name, Change: "changed", Before: f.Definitions[name], After: f.Latest.Definitions[name]}
		if _, known := f.Tools[name]; !known {
			c.Change = "added"
		}
		for _, renaming := range f.Latest.Renamed {
			if renaming.To == name {
				c.RenamedFrom, c.Same, c.Before = renaming.From, renaming.Same, f.Definitions[renaming.From]
			}
		}
		r.Changes = append(r.Changes, c)
	}
	for _, name := range f.Latest.Removed {
		r.Changes = append(r.Changes, ToolChange{Tool: name, Change: "removed", Before: f.Definitions[name]})
	}
	slices.SortStableFunc(r.Changes, func(a, b ToolChange) int { return cmp.Compare(a.Tool, b.Tool) })
	return r, nil
}

// Accept accepts what the server listed last of the tools named; without names all of it, so that the tools may be
// pinned. Proxies that run take it over with the next list.
func (b *Baseline) Accept(tools ...string) error { return b.tools.AcceptTools(tools) }

// Reset forgets the tools. The next list is remembered on trust, and proxies that pin tools refuse all of them.
func (b *Baseline) Reset() error { return b.tools.Reset() }
