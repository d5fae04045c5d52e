// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package pins

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

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
	loaded    bool
	broken    error             // why the file cannot be read
	Tools     map[string]string // SHA-256 of the definitions, by name
	accepted  bool              // a user accepted them
	Accepting bool              // the next list is
	changed   map[string]bool   // of tools, those that any list of this process had otherwise
}

// baselineFile is what the file holds.
type baselineFile struct {
	Server string    `json:"server"`
	Since  time.Time `json:"since"`
	// Accepted is whether a user accepted them; the first list is remembered on trust.
	Accepted bool              `json:"accepted"`
	Tools    map[string]string `json:"tools"` // name to the SHA-256 of its definition
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

// maxBaseline is how large a file may be, in bytes.
const maxBaseline = 8 << 20

// load reads the file once; the caller holds the lock.
func (b *Baseline) load() error {
	if !b.loaded && b.Path != "" {
		b.broken = b.read()
	}
	b.loaded = true
	return b.broken
}

// read reads the file.
func (b *Baseline) read() error {
	info, err := os.Stat(b.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Size() > maxBaseline {
		return fmt.Errorf("%s: got %d bytes, want at most %d", filepath.Base(b.Path), info.Size(), maxBaseline)
	}
	text, err := os.ReadFile(b.Path)
	if err != nil {
		return err
	}
	var file baselineFile
	if err := json.Unmarshal(text, &file); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(b.Path), err)
	}
	b.Tools, b.accepted = file.Tools, file.Accepted && file.Tools != nil // else the next list would be
	return nil
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
	if !b.accepted {
		return ErrNotAccepted
	}
	return nil
}

// accepts reports whether a definition that stands in a list may be shown: it is the one that was
// accepted, and no list of this process had another one. Each is while the list is to be accepted.
func (b *Baseline) accepts(name, hash string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.Accepting {
		return true
	}
	_ = b.load() // compare tells it
	was, known := b.Tools[name]
	if known && was != hash {
		b.change(name)
	}
	return known && !b.changed[name]
}

// change notes that a list had a tool otherwise; the caller holds the lock.
func (b *Baseline) change(name string) {
	if b.changed == nil {
		b.changed = map[string]bool{}
	}
	b.changed[name] = true
}

// Has reports whether a tool of that name was accepted, and was the same in each list since;
// false while the file cannot be read.
func (b *Baseline) Has(name string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	_ = b.load() // compare tells it
	_, has := b.Tools[name]
	return has && !b.changed[name]
}

// Names are the names of the tools that earlier connections listed; nil while the file cannot be read.
func (b *Baseline) Names() map[string]*toolkit.Definition {
	b.mu.Lock()
	defer b.mu.Unlock()
	_ = b.load() // compare tells it
	names := make(map[string]*toolkit.Definition, len(b.Tools))
	for name := range b.Tools {
		names[name] = nil
	}
	return names
}

// difference is how a list differs from the baseline, by name and sorted.
type difference struct{ Changed, Added, Removed []string }

// Compare compares a complete list with the baseline. Without one, and if it is accepted,
// the list becomes the baseline.
func (b *Baseline) Compare(server string, hashes map[string]string) (d difference, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.load(); err != nil && !b.Accepting {
		return d, fmt.Errorf("mcpproxy: baseline: %w", err)
	}
	if b.Tools == nil || b.Accepting {
		b.Tools, b.broken, b.changed = hashes, nil, nil
		b.accepted, b.Accepting = b.Accepting, false
		return d, b.save(server)
	}
	for name, hash := range hashes {
		switch was, known := b.Tools[name]; {
		case !known:
			d.Added = append(d.Added, name)
		case was != hash:
			d.Changed = append(d.Changed, name)
			b.change(name)
		}
	}
	for name := range b.Tools {
		if _, there := hashes[name]; !there {
			d.Removed = append(d.Removed, name)
		}
	}
	slices.Sort(d.Changed)
	slices.Sort(d.Added)
	slices.Sort(d.Removed)
	return d, nil
}

// save writes the file, whole or not at all; the caller holds the lock.
func (b *Baseline) save(server string) error {
	if b.Path == "" {
		return nil
	}
	text, err := json.MarshalIndent(baselineFile{
		Server: server, Since: time.Now().UTC().Truncate(time.Second), Accepted: b.accepted, Tools: b.Tools,
	}, "", "  ")
	if err != nil {
		return fmt.Errorf("mcpproxy: baseline: %w", err)
	}
	if err := writeFile(b.Path, append(text, '\n')); err != nil {
		return fmt.Errorf("mcpproxy: baseline: %w", err)
	}
	return nil
}

// writeFile puts a file in the place of what is there, whole or not at all, for the user alone as its
// directory is.
func writeFile(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".toolscope-*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Chmod(0o600), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// HashOf is the hash of a definition, whatever its blanks and order.
func HashOf(raw jsontext.Value) string {
	if canonical := raw.Clone(); canonical.Canonicalize() == nil {
		raw = canonical
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}
