// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/toolscope/toolscope/internal/policies"
)

// enabled calls do with each policy whose section is on.
func (d *document) enabled(do func(p policies.Descriptor, section any)) {
	for i, p := range policies.All {
		field := d.policies.Elem().Field(i)
		if !field.IsNil() && field.Interface().(interface{ On() bool }).On() {
			do(p, field.Interface())
		}
	}
}

// section is that of a policy, which the file has.
func (d *document) section(name string) reflect.Value {
	i := slices.IndexFunc(policies.All, func(p policies.Descriptor) bool { return p.Name == name })
	return d.policies.Elem().Field(i).Elem()
}

// names are those of the policies whose sections are on.
func (d *document) names() (names []string) {
	d.enabled(func(p policies.Descriptor, _ any) { names = append(names, p.Name) })
	return names
}

// build builds the policies whose sections are on. A policy whose section, and the files it depends on, are unchanged
// is the one that is in use. All errors are joined; then the new policies are closed. Without files a policy that
// depends on one is nil.
func (f *File) build(d *document, files bool) (map[string]built, error) {
	next := map[string]built{}
	f.checkStores(d)
	approver := slices.Contains(d.names(), "approve")
	d.enabled(func(p policies.Descriptor, section any) {
		was := f.built[p.Name]
		b := &policies.Builder{Approver: approver, Redactor: f.redactor, Decided: f.decided, InUse: was.policy, Path: f.beside,
			Stores: f.stores}
		if files {
			b.ReadFile = readFile
		}
		policy, err := p.Build(section, b)
		if err != nil {
			d.yaml.Fail("policies."+p.Name, err.Error(), "")
			return
		}
		next[p.Name] = built{section, b.Content, policy}
		if was.policy != nil && reflect.DeepEqual(was.section, section) && slices.Equal(was.content, b.Content) {
			closePolicy(policy)
			next[p.Name] = was
		}
	})
	if err := d.yaml.Err(); err != nil {
		f.discard(next)
		return nil, err
	}
	return next, nil
}

// buildSections makes the parts of a file's sections. On an error the parts made are closed.
func (f *File) buildSections(d *document) error {
	for _, s := range d.sections {
		part, err := s.make(f.beside)
		if err != nil {
			f.closeUnused()
			return errors.Join(d.fail(s.name, err), f.closeParts())
		}
		f.parts = append(f.parts, part)
		if part.Stores == (Stores{}) {
			continue
		}
		if f.stores != (Stores{}) {
			f.closeUnused()
			return errors.Join(d.fail(s.name, errors.New("got a second section with stores, want one")), f.closeParts())
		}
		f.stores, f.storesOf = part.Stores, s.name
	}
	return nil
}

// make builds the section's part. A panic is an error.
func (s sectionText) make(beside func(path string) string) (part Part, err error) {
	defer panicError(&err)
	value := reflect.New(s.settings).Elem()
	value.Set(reflect.ValueOf(s.value))
	for i := range value.NumField() {
		if field := value.Field(i); s.settings.Field(i).Tag.Get("path") == "file" && field.String() != "" {
			field.SetString(beside(field.String()))
		}
	}
	return s.build(value.Interface())
}

// checkStores fails if a section shares the state of a policy that the file does not have: it would share nothing.
func (f *File) checkStores(d *document) {
	for _, s := range f.stores.Shared() {
		i := slices.IndexFunc(policies.All, func(p policies.Descriptor) bool { return p.Name == s.Policy })
		if d.policies.Elem().Field(i).IsNil() { // not if it is turned off
			d.yaml.Fail(f.storesOf+".share", fmt.Sprintf("%s without a policy that has them", s.Name),
				fmt.Sprintf("a section policies.%s, or share without %s", s.Policy, s.Name))
		}
	}
}

// discard closes the policies that are not in use.
func (f *File) discard(next map[string]built) {
	for name, b := range next {
		if f.built[name].policy != b.policy {
			closePolicy(b.policy)
		}
	}
}
