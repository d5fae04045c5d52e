// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/middleware/audit"
	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/redact/redactfile"
	"github.com/toolscope/toolscope/toolkit"
)

// maxFile is the longest file, in bytes.
const maxFile = 1 << 20

// A File is a configuration file that was read. Make one with [Open]. Safe for
// concurrent use.
type File struct {
	path       string
	registered sections
	found      []sectionText // the registered sections that the file had when it was opened
	parts      []Part        // what they built

	mu       sync.Mutex
	config   *Config
	built    map[string]built // policies by the name of their section
	redactor *redact.Redactor
	log      *audit.Log // nil without audit
}

// built is a policy and what it was built of.
type built struct {
	section section
	content []byte
	policy  middleware.Policy
}

// Parse reads the text of a file; name is how errors call it. All errors found are
// joined, each an [*Error]: at most 20 of what the file says, and if there are none what
// policies refuse of their sections. Files that it names are not opened, and registered sections
// are not built.
func Parse(name string, text []byte, registered ...Section) (*Config, error) {
	if err := sections(registered).check(); err != nil {
		return nil, err
	}
	c, _, lines, err := parse(name, text, registered)
	if err != nil {
		return c, err
	}
	f := &File{path: name}
	policies, err := f.policies(c, lines, false)
	f.discard(policies)
	return c, err
}

func parse(name string, text []byte, registered sections) (*Config, []sectionText, map[string]int, error) {
	if len(text) > maxFile {
		return nil, nil, nil, &Error{File: name, Got: fmt.Sprintf("%d bytes", len(text)), Want: fmt.Sprintf("at most %d", maxFile)}
	}
	c := new(Config)
	d := &decoder{file: name, lines: map[string]int{}}
	var doc, more yaml.Node
	documents := yaml.NewDecoder(bytes.NewReader(text))
	switch err := documents.Decode(&doc); {
	case err == io.EOF:
		return nil, nil, nil, &Error{File: name, Got: "an empty file", Want: wantSomething}
	case err != nil:
		return nil, nil, nil, &Error{File: name, Got: err.Error(), Want: "YAML"}
	}
	switch err := documents.Decode(&more); {
	case err == nil:
		return nil, nil, nil, &Error{File: name, Line: more.Line, Got: "a second document", Want: "one"}
	case err != io.EOF:
		return nil, nil, nil, &Error{File: name, Got: err.Error(), Want: "YAML"}
	}
	if root := doc.Content[0]; root.Kind == yaml.ScalarNode && root.Tag == "!!null" {
		return nil, nil, nil, &Error{File: name, Line: root.Line, Got: "an empty document", Want: wantSomething}
	}
	found := d.decodeRoot(doc.Content[0], c, registered)
	if c.Audit != nil && c.Audit.on() && c.Audit.File == "" {
		d.errors = append(d.errors, &Error{name, d.lines["audit"], "audit.file", "nothing", "a file's path"})
	}
	return c, found, d.lines, errors.Join(d.errors...)
}

// wantSomething is what a file without content should have. An empty file is never meant: most likely
// another program is writing it.
var wantSomething = "at least one of " + strings.Join(fieldNames(reflect.TypeFor[Config]()), ", ") + ", or {} to set nothing"

// AllPolicies is a configuration in which every policy is on, with its defaults, but
// for approve, since nobody may be there to be asked, and for budget and retry,
// which do nothing until they are told what to limit and what to try again.
const AllPolicies = "policies:\n" +
	"  recover: {}\n  loop: {}\n  truncate: {}\n  validate: {}\n  permit: {}\n  dedupe: {}\n  cache: {}\n  breaker: {}\n  limit: {}\n  timeout: {}\n"

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
	next, err := f.read(text)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	f.config, f.built, f.found = next.config, next.built, next.found
	return f, nil
}

// reading is a file read and built, not yet in use.
type reading struct {
	config *Config
	built  map[string]built
	found  []sectionText
	notes  []string // what changed and holds after a restart
}

// read reads the file and builds what changed. On an error everything new is closed.
func (f *File) read(text []byte) (*reading, error) {
	config, found, lines, err := parse(f.path, text, f.registered)
	if err != nil {
		return nil, err
	}
	var notes []string
	if f.config != nil {
		if notes, err = f.checkSections(found); err != nil {
			return nil, err
		}
		if err := f.checkRemoved(config, lines); err != nil {
			return nil, err
		}
	} else {
		if err := f.start(config, lines); err != nil {
			return nil, err
		}
	}
	policies, err := f.policies(config, lines, true)
	if err != nil {
		return nil, err
	}
	if f.config == nil {
		if err := f.buildSections(found, lines); err != nil {
			f.discard(policies)
			return nil, err
		}
	}
	return &reading{config, policies, found, notes}, nil
}

// start builds what holds for as long as the scope lives.
func (f *File) start(c *Config, lines map[string]int) error {
	f.redactor = redact.Default()
	if c.Redact.File != "" {
		redactor, err := redactfile.Load(f.beside(c.Redact.File))
		if err != nil {
			return &Error{f.path, lines["redact.file"], "redact.file", err.Error(), ""}
		}
		f.redactor = redactor
	}
	if c.Audit == nil || !c.Audit.on() {
		return nil
	}
	log, err := audit.Open(f.beside(c.Audit.File), audit.Options{Redactor: f.redactor, Sync: c.Audit.Sync, All: c.Audit.All, WithoutArguments: c.Audit.WithoutArguments})
	if err != nil {
		return &Error{f.path, lines["audit.file"], "audit.file", err.Error(), ""}
	}
	f.log = log
	return nil
}

// tell writes what becomes of requests for approval to the audit log.
func (f *File) tell(d approve.Decision) {
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
	r, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("config: %w", err)
	}
	defer r.Close()
	text, err := io.ReadAll(io.LimitReader(r, maxFile+1))
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
	s := f.settings(f.config, f.built)
	s.Off = s.Off || own.Off && f.config.Enabled == nil
	s.NoContent = s.NoContent || own.NoContent
	for _, name := range own.ToolsOff {
		if !slices.Contains(s.ToolsOff, name) {
			s.ToolsOff = append(s.ToolsOff, name)
		}
	}
	s.Policies = append(slices.Clone(own.Policies), s.Policies...)
	return s
}

// Redactor is what the file says that everything passes before it leaves, for observers of
// the host's own.
func (f *File) Redactor() *redact.Redactor { return f.redactor }

// settings are what can change while a scope is in use.
func (f *File) settings(c *Config, policies map[string]built) (s toolscope.Settings) {
	s.Off, s.NoContent, s.ToolsOff = turnedOff(c.Enabled), turnedOff(c.Content), c.toolsOff()
	names, _ := c.Policies.sections()
	for _, name := range names {
		s.Policies = append(s.Policies, policies[name].policy)
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
