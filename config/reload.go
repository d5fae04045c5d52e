// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/internal/policies"
	"github.com/toolscope/toolscope/internal/strictyaml"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/approve"
)

// Reload reads the file again and applies what can be changed to a scope that was made with
// the file's options; no call is dropped. On an error nothing changes, unless the error is that of closing a
// policy that is no longer used. Notes name what changed in the file and applies only after a restart.
//
// A reload removes nothing that the file no longer mentions, since the file may be half written: it is an
// error if the section of a policy that is in use, any field that such a section had set, a tool that is turned
// off or content: false are left out. The error says what to write to remove them. Replace a file by renaming
// another one to its name, which is atomic. Policies that the application added, and what it turned off by
// [toolscope.Scope.Apply], stay unless the file mentions them.
func (f *File) Reload(s *toolscope.Scope) (notes []string, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	text, err := readFile(f.path)
	if err != nil {
		return nil, err
	}
	d, err := parse(f.path, text, f.registered)
	if err != nil {
		return nil, err
	}
	if notes, err = f.checkSections(d.sections); err != nil {
		return nil, err
	}
	if err := f.checkRemoved(d); err != nil {
		return nil, err
	}
	built, err := f.build(d, true)
	if err != nil {
		return nil, err
	}
	next := f.addedByCode(s.Settings(), f.settings(d, built), d)
	if err = s.Apply(next); err != nil && !inUse(s, next) {
		f.discard(built)
		return nil, f.applyError(err)
	}
	if !reflect.DeepEqual(f.document.Redact, d.Redact) {
		notes = append(notes, "redact: a change holds after a restart")
	}
	if !reflect.DeepEqual(f.document.Audit, d.Audit) {
		notes = append(notes, "audit: a change holds after a restart")
	}
	if !reflect.DeepEqual(f.document.Workflows, d.Workflows) {
		notes = append(notes, "workflows: a change holds after a restart")
	}
	f.document, f.built = d, built
	return notes, err
}

// applyError is an error of [toolscope.Scope.Apply], with the field that it is about if that is known.
func (f *File) applyError(err error) error {
	if errors.Is(err, approve.ErrCannotAsk) {
		return fmt.Errorf("%s: policies.approve: %w", f.path, err)
	}
	return err
}

// inUse reports whether the settings are those of the scope.
func inUse(s *toolscope.Scope, n toolscope.Settings) bool {
	in := s.Settings()
	slices.Sort(n.ToolsOff)
	return in.Off == n.Off && in.NoContent == n.NoContent && slices.Equal(in.ToolsOff, n.ToolsOff) &&
		slices.EqualFunc(in.Policies, n.Policies, samePolicy)
}

// samePolicy reports whether two policies are one. Those of types that cannot be compared are not.
func samePolicy(p, q middleware.Policy) bool {
	return reflect.ValueOf(p).Comparable() && reflect.ValueOf(q).Comparable() && p == q
}

// addedByCode returns the next settings with what the application added to those in use: its policies, tools
// that it turned off, and content. What the next configuration mentions wins.
func (f *File) addedByCode(in, next toolscope.Settings, d *document) toolscope.Settings {
	own := slices.DeleteFunc(slices.Clone(in.Policies), func(p middleware.Policy) bool {
		for _, b := range f.built {
			if samePolicy(p, b.policy) {
				return true
			}
		}
		return false
	})
	next.Policies = append(own, next.Policies...)
	for _, name := range in.ToolsOff {
		if d.Tools[name].Enabled == nil && !slices.Contains(next.ToolsOff, name) {
			next.ToolsOff = append(next.ToolsOff, name)
		}
	}
	next.NoContent = next.NoContent || in.NoContent && d.Content == nil
	return next
}

// checkRemoved is an error for each protection in use that the next document does not mention.
func (f *File) checkRemoved(next *document) error {
	var errs []error
	removed := func(field, want string) {
		errs = append(errs, &strictyaml.Error{File: f.path, Field: field, Got: "nothing", Want: want})
	}
	was := f.document
	if turnedOff(was.Content) && next.Content == nil {
		removed("content", `"content: false" as before, or "content: true" to capture content again`)
	}
	for _, name := range was.toolsOff() {
		if next.Tools[name].Enabled == nil {
			removed("tools."+name, `"enabled: false" as before, or "enabled: true" to turn the tool on again`)
		}
	}
	on := next.names()
	was.enabled(func(p policies.Descriptor, section any) {
		field := "policies." + p.Name
		if !next.yaml.Has(field) {
			removed(field, `the section as before, or "`+p.Name+`: {enabled: false}" to turn the policy off`)
		} else if slices.Contains(on, p.Name) {
			r := &removal{next.yaml, removed}
			r.compareStruct(reflect.ValueOf(section).Elem(), next.section(p.Name), field)
		}
	})
	return errors.Join(errs...)
}
