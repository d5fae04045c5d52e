// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package pins

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// All are the baselines in a directory, by path.
func All(dir string) ([]*Baseline, error) {
	if dir == "" {
		var err error
		if dir, err = stateDir(); err != nil {
			return nil, err
		}
	}
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []*Baseline
	for _, e := range entries {
		if !e.IsDir() && strings.HasSuffix(e.Name(), ".json") {
			all = append(all, &Baseline{Path: filepath.Join(dir, e.Name())})
		}
	}
	return all, nil
}

// File is what is kept. The caller must not change it.
func (b *Baseline) File() (File, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	err := b.load()
	return b.file, err
}

// AcceptTools accepts what the server listed last of tools: changed and new ones, and that removed ones are gone. None
// accepts the whole list, so that the tools may be pinned.
func (b *Baseline) AcceptTools(names []string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.load(); err != nil {
		return fmt.Errorf("mcpproxy: baseline: %w", err)
	}
	if b.file.Tools == nil {
		return errors.New("mcpproxy: baseline: got no tools, want a server that has listed some")
	}
	last := b.file.Latest
	if last == nil {
		last = new(Latest)
	}
	for _, name := range names {
		if _, differs := last.Tools[name]; !differs && !slices.Contains(last.Removed, name) {
			return fmt.Errorf("mcpproxy: baseline: %.80q: got a tool that does not differ, want one that does", name)
		}
	}
	all := len(names) == 0
	f := &b.file
	f.Tools, f.Definitions = maps.Clone(f.Tools), maps.Clone(f.Definitions)
	for name, hash := range last.Tools {
		if all || slices.Contains(names, name) {
			f.Tools[name] = hash
			delete(f.Definitions, name)
			if text := last.Definitions[name]; text != nil {
				if f.Definitions == nil {
					f.Definitions = map[string]json.RawMessage{}
				}
				f.Definitions[name] = text
			}
		}
	}
	for _, name := range last.Removed {
		if all || slices.Contains(names, name) {
			delete(f.Tools, name)
			delete(f.Definitions, name)
		}
	}
	f.Latest = last.without(names)
	f.Accepted = f.Accepted || all
	f.Since = now()
	return b.save()
}

// without is what of a list differs still once tools are accepted; nil for nothing, and if all are.
func (l *Latest) without(names []string) *Latest {
	if len(names) == 0 {
		return nil
	}
	accepted := func(name string) bool { return slices.Contains(names, name) }
	left := &Latest{At: l.At, Tools: maps.Clone(l.Tools), Removed: slices.DeleteFunc(slices.Clone(l.Removed), accepted)}
	left.Definitions = maps.Clone(l.Definitions)
	for _, name := range names {
		delete(left.Tools, name)
		delete(left.Definitions, name)
	}
	for _, r := range l.Renamed {
		if !accepted(r.From) && !accepted(r.To) {
			left.Renamed = append(left.Renamed, r)
		}
	}
	if len(left.Tools) == 0 && len(left.Removed) == 0 {
		return nil
	}
	return left
}

// Reset forgets the tools: the next list is remembered on trust, and pinned once a user accepts it.
func (b *Baseline) Reset() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return os.Remove(b.Path)
}
