// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/internal/policies"
	"github.com/toolscope/toolscope/internal/strictyaml"
	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/middleware/audit"
	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/redact/redactfile"
	"github.com/toolscope/toolscope/toolkit"
)

// A File is a configuration file that was read. Make one with [Open]. Safe for
// concurrent use.
type File struct {
	path       string
	registered sections
	parts      []Part // what the registered sections built when the file was opened

	mu       sync.Mutex
	document *document        // nil until the file has been read
	opened   []sectionText    // the registered sections that the file had when it was opened
	built    map[string]built // policies by the name of their section
	redactor *redact.Redactor
	log      *audit.Log // nil without audit
}

// Check reads the text of a file; name is what errors call it. All errors found are joined: at most 20 of what the
// file says, and if there are none what policies refuse in their sections. Files that it names are not opened, and
// registered sections are not built.
func Check(name string, text []byte, registered ...Section) error {
	f := &File{path: name, registered: registered}
	if err := f.registered.check(); err != nil {
		return err
	}
	d, err := parse(name, text, registered)
	if err != nil {
		return err
	}
	next, err := f.build(d, false)
	f.discard(next)
	return err
}

// AllPolicies returns a configuration in which every policy is on that works with its defaults: all except approve,
// which needs a person, and budget and retry, which do nothing until they are configured.
func AllPolicies() string {
	text := "policies:\n"
	for _, p := range policies.All {
		if p.Needs == "" {
			text += "  " + p.Name + ": {}\n"
		}
	}
	return text
}

// Open reads a file, and builds what it says: nothing is left half done on an error, which
// names file, line, field, what was got and what is wanted. Sections of other packages have to be
// registered: see [NewSection].
func Open(path string, registered ...Section) (*File, error) {
	text, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return OpenText(path, text, registered...)
}

// OpenText is [Open] of a file whose text is already there; name is its path. A
// [File.Reload] reads the file.
func OpenText(name string, text []byte, registered ...Section) (*File, error) {
	f := &File{path: name, registered: registered}
	if err := f.registered.check(); err != nil {
		return nil, err
	}
	if err := f.open(text); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// open reads the text and builds everything. On an error the new policies are closed.
func (f *File) open(text []byte) error {
	d, err := parse(f.path, text, f.registered)
	if err != nil {
		return err
	}
	if err := f.start(d); err != nil {
		return err
	}
	next, err := f.build(d, true)
	if err != nil {
		return err
	}
	if err := f.buildSections(d); err != nil {
		f.discard(next)
		return err
	}
	f.document, f.opened, f.built = d, d.sections, next
	return nil
}

// start builds what stays in use for as long as the scope lives.
func (f *File) start(d *document) error {
	f.redactor = redact.Default()
	if d.Redact.File != "" {
		redactor, err := redactfile.Load(f.beside(d.Redact.File))
		if err != nil {
			return d.fail("redact.file", err)
		}
		f.redactor = redactor
	}
	if !d.Audit.on() {
		return nil
	}
	o := d.Audit.Options
	o.Redactor = f.redactor
	if d.Audit.KeyFile != "" {
		key, err := readFile(f.beside(d.Audit.KeyFile))
		if o.Key = bytes.TrimSpace(key); err == nil && len(o.Key) < 16 {
			err = fmt.Errorf("got a key of %d bytes, want 16 or more", len(o.Key))
		}
		if err != nil {
			return d.fail("audit.key_file", err)
		}
	}
	log, err := audit.Open(f.beside(d.Audit.File), o)
	if err != nil {
		return d.fail("audit.file", err)
	}
	f.log = log
	return nil
}

// fail is an error of a field.
func (d *document) fail(field string, err error) error {
	d.yaml.Fail(field, err.Error(), "")
	return d.yaml.Err()
}

// decided writes what becomes of requests for approval to the audit log.
func (f *File) decided(d approve.Decision) {
	if f.log != nil {
		f.log.Approval(d)
	}
}

// beside is a path, beside the file if it is relative.
func (f *File) beside(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(f.path), path)
}

func readFile(path string) ([]byte, error) {
	text, err := strictyaml.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("config: %w", err)
	}
	return text, nil
}

// Options returns o with what the file says, for [toolscope.New]. A Redactor of o stays; else it is the file's. The
// Settings of o are merged with the file's: tools and content that either turns off are off, and the policies of
// both apply. Off of o applies unless the file says enabled: true. Policies of o
// stay next to the file's. The file's audit log is added before the Observers of o. o is not changed.
func (f *File) Options(o toolscope.Options) toolscope.Options {
	f.mu.Lock()
	defer f.mu.Unlock()
	if o.Redactor == nil {
		o.Redactor = f.redactor
	}
	if f.log != nil {
		o.Observers = append([]toolkit.Observer{f.log}, o.Observers...)
	}
	for _, p := range f.parts {
		o.Observers = append(slices.Clip(o.Observers), p.Observers...)
		o.Policies = append(slices.Clip(o.Policies), p.Policies...)
	}
	o.Settings = f.merged(o.Settings)
	return o
}

// merged returns the file's settings with those of the application. Of two values the safer one is in force.
func (f *File) merged(own toolscope.Settings) toolscope.Settings {
	s := f.settings(f.document, f.built)
	s.Off = s.Off || own.Off && f.document.Enabled == nil
	s.NoContent = s.NoContent || own.NoContent
	for _, name := range own.ToolsOff {
		if !slices.Contains(s.ToolsOff, name) {
			s.ToolsOff = append(s.ToolsOff, name)
		}
	}
	s.Policies = append(slices.Clone(own.Policies), s.Policies...)
	return s
}

// Redactor redacts as the file says, for your application's own observers.
func (f *File) Redactor() *redact.Redactor { return f.redactor }

// settings are what can change while a scope is in use.
func (f *File) settings(d *document, built map[string]built) (s toolscope.Settings) {
	s.Off, s.NoContent, s.ToolsOff = turnedOff(d.Enabled), turnedOff(d.Content), d.toolsOff()
	for _, name := range d.names() {
		s.Policies = append(s.Policies, built[name].policy)
	}
	return s
}

// Close closes the audit log and what registered sections built. The policies are the scope's to close.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	err := f.closeParts()
	if f.log == nil {
		return err
	}
	return errors.Join(err, f.log.Close())
}
