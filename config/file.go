// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sync"

	"go.yaml.in/yaml/v4"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/middleware/audit"
	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/redact/redactfile"
)

// maxFile is the longest file, in bytes.
const maxFile = 1 << 20

// A File is a configuration file that was read. Make one with [Open]. Safe for
// concurrent use.
type File struct {
	path string

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
// joined, each an [*Error], at most 20. Files that it names are not looked at.
func Parse(name string, text []byte) (*Config, error) {
	c, _, err := parse(name, text)
	return c, err
}

func parse(name string, text []byte) (*Config, map[string]int, error) {
	if len(text) > maxFile {
		return nil, nil, &Error{File: name, Got: fmt.Sprintf("%d bytes", len(text)), Want: fmt.Sprintf("at most %d", maxFile)}
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, nil, &Error{File: name, Got: err.Error(), Want: "YAML"}
	}
	c := new(Config)
	d := &decoder{file: name, lines: map[string]int{}}
	if len(doc.Content) > 0 {
		d.decode(doc.Content[0], reflect.ValueOf(c).Elem(), "", nil, 0)
	}
	return c, d.lines, errors.Join(d.errors...)
}

// AllPolicies is a configuration in which every policy is on, with its defaults, but
// for approve, since nobody may be there to be asked, and for budget and retry,
// which do nothing until they are told what to limit and what to try again.
const AllPolicies = "policies:\n" +
	"  recover: {}\n  loop: {}\n  fit: {}\n  validate: {}\n  permit: {}\n  dedupe: {}\n  cache: {}\n  breaker: {}\n  limit: {}\n  timeout: {}\n"

// Open reads a file, and builds what it says: nothing is left half done on an error, which
// names file, line, field, what was got and what is wanted.
func Open(path string) (*File, error) {
	text, err := readFile(path)
	if err != nil {
		return nil, err
	}
	return OpenText(path, text)
}

// OpenText is [Open] of a file whose text is already there; name is its path. A
// [File.Reload] reads the file.
func OpenText(name string, text []byte) (*File, error) {
	f := &File{path: name}
	next, err := f.read(text)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	f.config, f.built = next.config, next.built
	return f, nil
}

// reading is a file read and built, not yet in use.
type reading struct {
	config *Config
	built  map[string]built
}

// read reads the file and builds what changed. On an error everything new is closed.
func (f *File) read(text []byte) (_ *reading, err error) {
	config, lines, err := parse(f.path, text)
	if err != nil {
		return nil, err
	}
	if f.config == nil {
		if err := f.start(config, lines); err != nil {
			return nil, err
		}
	}
	next := &reading{config, map[string]built{}}
	defer func() {
		if err != nil {
			f.discard(next)
		}
	}()
	names, sections := config.Policies.sections()
	approver := slices.Contains(names, "approve")
	for i, name := range names {
		b := &builder{File: f, approver: approver}
		policy, err := sections[i].build(b)
		if err != nil {
			field := "policies." + name
			return nil, &Error{f.path, lines[field], field, err.Error(), ""}
		}
		next.built[name] = built{sections[i], b.content, policy}
		if was, ok := f.built[name]; ok && reflect.DeepEqual(was.section, sections[i]) && slices.Equal(was.content, b.content) {
			closePolicy(policy)
			next.built[name] = was
		}
	}
	return next, nil
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
	if c.Audit.File == "" {
		return &Error{f.path, lines["audit"], "audit.file", "nothing", "a file's path"}
	}
	log, err := audit.Open(f.beside(c.Audit.File), audit.Options{Redactor: f.redactor, Sync: c.Audit.Sync, All: c.Audit.All, WithoutArguments: c.Audit.WithoutArguments})
	if err != nil {
		return &Error{f.path, lines["audit.file"], "audit.file", err.Error(), ""}
	}
	f.log = log
	return nil
}

// discard closes what was built anew.
func (f *File) discard(r *reading) {
	for name, b := range r.built {
		if f.built[name].policy != b.policy {
			closePolicy(b.policy)
		}
	}
}

func closePolicy(p middleware.Policy) {
	switch c := p.(type) {
	case io.Closer:
		_ = c.Close() // it has served nobody
	case interface{ Close() }:
		c.Close()
	}
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

// Options are what the file says, for [toolscope.New].
func (f *File) Options() []toolscope.Option {
	f.mu.Lock()
	defer f.mu.Unlock()
	options := []toolscope.Option{toolscope.WithRedactor(f.redactor)}
	if f.log != nil {
		options = append(options, toolscope.WithObservers(f.log))
	}
	return append(options, toolscope.WithSettings(f.settings(f.config, f.built)))
}

// Redactor is what the file says that everything passes before it leaves, for observers of
// the host's own.
func (f *File) Redactor() *redact.Redactor { return f.redactor }

// settings are what can change while a scope is in use.
func (f *File) settings(c *Config, policies map[string]built) (s toolscope.Settings) {
	s.Off = c.Enabled != nil && !*c.Enabled
	s.NoContent = c.Content != nil && !*c.Content
	for name, t := range c.Tools {
		if t.Enabled != nil && !*t.Enabled {
			s.ToolsOff = append(s.ToolsOff, name)
		}
	}
	names, _ := c.Policies.sections()
	for _, name := range names {
		s.Policies = append(s.Policies, policies[name].policy)
	}
	return s
}

// Reload reads the file again and applies what can be changed to a scope made with the
// file's options; no call is dropped. On an error nothing changes. Notes name what was
// changed in the file and holds only after a restart.
func (f *File) Reload(s *toolscope.Scope) (notes []string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	text, err := readFile(f.path)
	if err != nil {
		return nil, err
	}
	r, err := f.read(text)
	if err != nil {
		return nil, err
	}
	if !reflect.DeepEqual(f.config.Redact, r.config.Redact) {
		notes = append(notes, "redact: a change holds after a restart")
	}
	if !reflect.DeepEqual(f.config.Audit, r.config.Audit) {
		notes = append(notes, "audit: a change holds after a restart")
	}
	f.config, f.built = r.config, r.built
	return notes, s.Apply(f.settings(r.config, r.built))
}

// Close closes the audit log. The policies are the scope's to close.
func (f *File) Close() error {
	if f.log == nil {
		return nil
	}
	return f.log.Close()
}
