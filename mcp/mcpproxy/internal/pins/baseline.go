// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package pins

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/toolscope/toolscope/toolkit"
)

// A Baseline is what the definitions of a server's tools were when they were first seen. A
// server whose tools change afterwards, so that a user has agreed to something else than
// what runs, is a known attack. A change is reported at each connection until a user accepts
// it. Safe for concurrent use; the file is the user's alone (0600).
type Baseline struct {
	Path string // "" keeps it in memory

	mu        sync.Mutex
	broken    error // why the file cannot be read
	file      File
	info      os.FileInfo     // of the file as it was read or written; nil for none
	Accepting bool            // the next list is accepted
	changed   map[string]bool // of tools, those that any list of this process had otherwise
}

// ErrNotAccepted says that tools are to be pinned that no user has accepted.
var ErrNotAccepted = errors.New("mcpproxy: got tools to be pinned that no user has accepted, want them accepted once")

// Open is the baseline of a server in the user's state directory: identity is
// what tells it from others, such as its command line, of which only a hash is kept.
func Open(dir string, identity ...string) (*Baseline, error) {
	if dir == "" {
		var err error
		if dir, err = stateDir(); err != nil {
			return nil, err
		}
	}
	h := sha256.New()
	for _, part := range identity {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return &Baseline{Path: filepath.Join(dir, hex.EncodeToString(h.Sum(nil)[:16])+".json")}, nil
}

// stateDir is $XDG_STATE_HOME/toolscope/mcp, or its default below the home directory.
func stateDir() (string, error) {
	dir := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(dir) {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("mcpproxy: got no $XDG_STATE_HOME and no home directory: %w", err)
		}
		dir = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(dir, "toolscope", "mcp"), nil
}

// load reads the file if it is not as it was: the user may have accepted or reset tools. The caller holds the lock.
func (b *Baseline) load() error {
	if b.Path == "" {
		return nil
	}
	info, err := os.Stat(b.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if b.info != nil {
			b.file, b.info, b.broken, b.changed = File{}, nil, nil, nil
		}
		return b.broken
	case err != nil:
		b.broken = err
		return err
	case b.info != nil && os.SameFile(info, b.info) && info.ModTime().Equal(b.info.ModTime()) && info.Size() == b.info.Size():
		return b.broken
	}
	was := b.file.Tools
	b.file, b.broken = readFile(b.Path, info)
	b.info = info
	for name, hash := range b.file.Tools {
		if was[name] != hash {
			delete(b.changed, name)
		}
	}
	return b.broken
}

// Accept has the next list that is compared become what the tools should be. The error is that
// it could not be kept.
func (b *Baseline) Accept() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.Path != "" {
		probe := b.Path + ".try"
		if err := writeFile(probe, nil); err != nil {
			return fmt.Errorf("mcpproxy: baseline: got one that cannot be written, want one to keep what is accepted: %w", err)
		}
		_ = os.Remove(probe)
	}
	b.Accepting = true
	return nil
}

// Pinnable is why tools cannot be pinned, nil if a user has accepted them or is about to.
func (b *Baseline) Pinnable() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.Accepting {
		return nil
	}
	if err := b.load(); err != nil {
		return fmt.Errorf("mcpproxy: baseline: %w", err)
	}
	if !b.file.Accepted {
		return ErrNotAccepted
	}
	return nil
}

// accepts reports whether a definition that stands in a list may be shown: it is the one that a user
// accepted, and no list of this process had another one. Each is while the list is to be accepted.
func (b *Baseline) accepts(name, hash string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.Accepting {
		return true
	}
	was, known := b.file.Tools[name]
	if known && was != hash {
		b.change(name)
	}
	return known && b.file.Accepted && !b.changed[name]
}

// refresh has what is asked next be answered from the file as it is now.
func (b *Baseline) refresh() {
	b.mu.Lock()
	defer b.mu.Unlock()
	_ = b.load() // Compare reports it
}

// change notes that a list had a tool otherwise; the caller holds the lock.
func (b *Baseline) change(name string) {
	if b.changed == nil {
		b.changed = map[string]bool{}
	}
	b.changed[name] = true
}

// Has reports whether a user accepted a tool of that name, and it was the same in each list since;
// false while the file cannot be read.
func (b *Baseline) Has(name string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.info == nil {
		_ = b.load() // Compare reports it
	}
	_, has := b.file.Tools[name]
	return has && b.file.Accepted && !b.changed[name]
}

// Names are the names of the tools that earlier connections listed; nil while the file cannot be read.
func (b *Baseline) Names() map[string]*toolkit.Definition {
	b.mu.Lock()
	defer b.mu.Unlock()
	_ = b.load() // Compare reports it
	names := make(map[string]*toolkit.Definition, len(b.file.Tools))
	for name := range b.file.Tools {
		names[name] = nil
	}
	return names
}

// Difference is how a list differs from the baseline, by name and sorted.
type Difference struct {
	Changed, Added, Removed []string
	Renamed                 []Renaming // of Added and Removed
}

// Compare compares a complete list with the baseline. Without one, and if it is accepted,
// the list becomes the baseline.
func (b *Baseline) Compare(server string, list List) (d Difference, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.load(); err != nil && !b.Accepting {
		return d, fmt.Errorf("mcpproxy: baseline: %w", err)
	}
	if b.file.Tools == nil || b.Accepting {
		b.file = File{Server: server, Since: now(), Accepted: b.Accepting, Tools: list.Hashes, Definitions: redacted(list, nil)}
		b.broken, b.changed, b.Accepting = nil, nil, false
		return d, b.save()
	}
	for name, hash := range list.Hashes {
		switch was, known := b.file.Tools[name]; {
		case !known:
			d.Added = append(d.Added, name)
		case was != hash:
			d.Changed = append(d.Changed, name)
			b.change(name)
		}
	}
	for name := range b.file.Tools {
		if _, there := list.Hashes[name]; !there {
			d.Removed = append(d.Removed, name)
		}
	}
	slices.Sort(d.Changed)
	slices.Sort(d.Added)
	slices.Sort(d.Removed)
	d.Renamed = renamed(d, &b.file, list)
	return d, b.keepLatest(d, list)
}

// keepLatest keeps a list that differs, for the user to compare and accept.
func (b *Baseline) keepLatest(d Difference, list List) error {
	if len(d.Changed)+len(d.Added)+len(d.Removed) == 0 {
		return nil
	}
	differ := map[string]string{}
	for _, name := range slices.Concat(d.Changed, d.Added) {
		differ[name] = list.Hashes[name]
	}
	if last := b.file.Latest; last != nil && maps.Equal(last.Tools, differ) && slices.Equal(last.Removed, d.Removed) {
		return nil
	}
	b.file.Latest = &Latest{At: now(), Tools: differ, Removed: d.Removed, Renamed: d.Renamed, Definitions: redacted(list, differ)}
	return b.save()
}

// save writes the file; the caller holds the lock.
func (b *Baseline) save() error {
	if b.Path == "" {
		return nil
	}
	info, err := b.file.write(b.Path)
	if err != nil {
		return fmt.Errorf("mcpproxy: baseline: %w", err)
	}
	b.info = info
	return nil
}

// HashOf is the hash of a definition, whatever its blanks and order.
func HashOf(raw jsontext.Value) string {
	if canonical := raw.Clone(); canonical.Canonicalize() == nil {
		raw = canonical
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}
