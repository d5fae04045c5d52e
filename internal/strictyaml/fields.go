// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package strictyaml

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// Fields are the fields of a struct that a file can set. Those of embedded structs, and of fields with the tag
// yaml:",inline", are the struct's own.
func Fields(t reflect.Type) (all []reflect.StructField) {
	for _, f := range reflect.VisibleFields(t) {
		switch name := f.Tag.Get("yaml"); {
		case name == ",inline" && !f.Anonymous:
			for _, inner := range Fields(f.Type) {
				inner.Index = slices.Concat(f.Index, inner.Index)
				all = append(all, inner)
			}
		case !f.Anonymous && f.IsExported() && name != "-":
			all = append(all, f)
		}
	}
	return all
}

// Allowed are the values that a field's tag lists; nil is any.
func Allowed(tag reflect.StructTag) []string {
	if list := tag.Get("allowed"); list != "" {
		return strings.Split(list, ",")
	}
	return nil
}

func names(t reflect.Type) (names []string) {
	for _, f := range Fields(t) {
		names = append(names, f.Tag.Get("yaml"))
	}
	return names
}

var fieldName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,63}$`)

// CheckType reports what of a type no file could set: a type that is not read, or a missing or
// repeated yaml tag.
func (r Reader) CheckType(t reflect.Type) error { return r.checkType(t, 0) }

func (r Reader) checkType(t reflect.Type, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("type %s: got one that holds itself, want one that ends", t)
	}
	_, special := r.Types[t]
	switch kind := t.Kind(); {
	case special || wanted[kind] != "":
		return nil
	case kind == reflect.Pointer || kind == reflect.Slice || kind == reflect.Map && t.Key().Kind() == reflect.String:
		return r.checkType(t.Elem(), depth+1)
	case kind != reflect.Struct:
		return fmt.Errorf(
			"type %s: want bool, int, float64, string, one of %v, or structs, slices, pointers and maps of them", t,
			r.typeNames(),
		)
	}
	for _, f := range reflect.VisibleFields(t) {
		if f.Anonymous && f.Type.Kind() == reflect.Pointer {
			return fmt.Errorf("field %s of %s: got an embedded pointer, want the struct itself", f.Name, t)
		}
	}
	var names []string
	for _, f := range Fields(t) {
		name := f.Tag.Get("yaml")
		if !fieldName.MatchString(name) || slices.Contains(names, name) {
			return fmt.Errorf("field %s of %s: got the tag yaml:%q, want a name that no other field has", f.Name, t, name)
		}
		if err := r.checkType(f.Type, depth+1); err != nil {
			return fmt.Errorf("field %s of %s: %w", f.Name, t, err)
		}
		names = append(names, name)
	}
	return nil
}

func (r Reader) typeNames() (names []string) {
	for t := range r.Types {
		names = append(names, t.String())
	}
	slices.Sort(names)
	return names
}
