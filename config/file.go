// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/internal/strictyaml"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/middleware/audit"
	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/toolkit"
)

// A File is a configuration file that was read. Make one with [Open]. Safe for
// concurrent use.
type File struct {
	path       string
	registered sections
	stores     Stores // of those parts
	storesOf   string // the section that has them
	parts      []Part // what the registered sections built when the file was opened

	mu       sync.Mutex
	document *document        // nil until the file has been read
	opened   []sectionText    // the registered sections that the file had when it was opened
	built    map[string]built // policies by the name of their section
	redactor *redact.Redactor
	log      *audit.Log // nil without audit
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

// built is a policy and what it was built of.
type built struct {
	section any // a *policies.Section
	content []byte
	policy  middleware.Policy
}

// settings are what can change while a scope is in use.
func (f *File) settings(d *document, built map[string]built) (s toolscope.Settings) {
	s.Off, s.NoContent, s.ToolsOff = turnedOff(d.Enabled), turnedOff(d.Content), d.toolsOff()
	for _, name := range d.names() {
		s.Policies = append(s.Policies, built[name].policy)
	}
	return s
}
