// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/toolscope/toolscope/internal/policies"
	"github.com/toolscope/toolscope/internal/secretfile"
	"github.com/toolscope/toolscope/middleware/audit"
	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/redact/redactfile"
)

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
	if err := f.buildSections(d); err != nil {
		return err
	}
	next, err := f.build(d, true)
	if err != nil {
		f.closeUnused()
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
		path := f.beside(d.Audit.KeyFile)
		key, err := readFile(path)
		secretfile.Warn(path)
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
