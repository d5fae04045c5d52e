// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/toolscope/toolscope/internal/policies"
	"github.com/toolscope/toolscope/internal/strictyaml"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
)

// A Section is a top-level section of configuration files that another package defines, such as a
// module that the core does not require. Make one with [NewSection], and give it to [Open]. The
// zero value is an error there.
type Section struct {
	name     string
	settings reflect.Type
	build    func(any) (Part, error)
}

// A Part is what a section adds to the stack. The zero value adds nothing.
type Part struct {
	Policies  []middleware.Policy // next to those of the file; the scope closes them
	Observers []toolkit.Observer  // after the file's audit log
	Stores    Stores              // keep the state of the file's policies, for processes that share it
	Close     func() error        // called by [File.Close]; nil closes nothing
}

// Stores keep the state of policies that processes share. What is nil stays in the process. Of two sections, one at
// most has stores.
type Stores = policies.Stores

// NewSection returns the section called name. T is a struct whose exported fields have the tags
// yaml (the field's name in a file), doc (what it means, for [Schema]) and, for texts, allowed (a
// list with commas). Their types are bool, int, float64, string, time.Duration, time.Time, and structs, pointers, slices
// and maps of these. An int with the tag unit:"bytes" may be written as 64KiB. A string of T with the tag path:"file" is a path:
// build gets one that is relative to the file's directory. Unknown names, wrong types and
// null are errors that name file, line and field, as everywhere in a file.
//
// build makes the part when a file with the section is opened. An error of it, or a panic, is an
// error of [Open], which has the error's text as it is. It is not called for a file without the
// section, nor when a file is read again: a changed section holds after a restart, and one that is
// gone is an error. What of T a file could not set is an error of [Open] in any program.
func NewSection[T any](name string, build func(T) (Part, error)) Section {
	s := Section{name: name, settings: reflect.TypeFor[T]()}
	if build != nil {
		s.build = func(settings any) (Part, error) { return build(settings.(T)) }
	}
	return s
}

// sectionImports are the import paths of packages of this repository that define sections, by the
// section's name, for the error of a program that does not register one that its file has.
var sectionImports = map[string]string{"redis": "github.com/toolscope/toolscope/store/redis"}

// sections are the registered sections, and what a file says in them.
type sections []Section

// check is an error if a section has another one's name, or is none that NewSection made.
func (all sections) check() error {
	seen := slices.Clone(topLevel)
	for i, s := range all {
		switch {
		case s.build == nil || s.settings == nil || s.settings.Kind() != reflect.Struct:
			return fmt.Errorf("config: sections[%d]: got none that NewSection made of a struct and a function, want one", i)
		case !sectionName.MatchString(s.name):
			return fmt.Errorf("config: sections[%d]: got the name %.60q, want one of at most 64 letters, digits, _ and -", i, s.name)
		case slices.Contains(seen, s.name):
			return fmt.Errorf("config: sections[%d]: got the name %q, which another section has", i, s.name)
		}
		if err := reader().CheckType(s.settings); err != nil {
			return fmt.Errorf("config: section %s: %w", s.name, err)
		}
		seen = append(seen, s.name)
	}
	return nil
}

var sectionName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,63}$`)

func (all sections) names() (names []string) {
	for _, s := range all {
		names = append(names, s.name)
	}
	return names
}

// A sectionText is a section that a file has.
type sectionText struct {
	Section
	value any
}

// describeUnknown says what is wrong with a section of this name, which is not registered.
func describeUnknown(name string, known []string) (got, want string) {
	got = "a section that this program does not register"
	if path := sectionImports[name]; path != "" {
		return got, fmt.Sprintf("config.Open with the section of %q", path)
	}
	return got, "one of " + strings.Join(known, ", ") + ", or config.Open with the section of the package that defines it"
}

// closeUnused closes the policies of the parts, which no scope has.
func (f *File) closeUnused() {
	for _, made := range f.parts {
		for _, p := range made.Policies {
			closePolicy(p)
		}
	}
}

func (p Part) close() (err error) {
	defer panicError(&err)
	if p.Close == nil {
		return nil
	}
	return p.Close()
}

// panicError is deferred around functions of sections. A panic's value may hold anything.
func panicError(err *error) {
	if recover() != nil {
		*err = errors.New("the section's function panicked")
	}
}

func (f *File) closeParts() (err error) {
	for _, p := range f.parts {
		err = errors.Join(err, p.close())
	}
	f.parts = nil
	return err
}

// checkSections compares the sections of a file that is read again with those in use.
func (f *File) checkSections(next []sectionText) (notes []string, err error) {
	for _, was := range f.opened {
		i := slices.IndexFunc(next, func(s sectionText) bool { return s.name == was.name })
		switch {
		case i < 0:
			err = errors.Join(err, &strictyaml.Error{File: f.path, Field: was.name, Got: "nothing",
				Want: "the section as before, or a restart without it"})
		case !reflect.DeepEqual(next[i].value, was.value):
			notes = append(notes, was.name+": a change holds after a restart")
		}
	}
	for _, s := range next {
		if !slices.ContainsFunc(f.opened, func(was sectionText) bool { return was.name == s.name }) {
			notes = append(notes, s.name+": the section holds after a restart")
		}
	}
	return notes, err
}

// closePolicy closes a policy that no scope has.
func closePolicy(p middleware.Policy) {
	switch c := p.(type) {
	case io.Closer:
		_ = c.Close()
	case interface{ Close() }:
		c.Close()
	}
}
