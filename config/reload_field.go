// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// removedFields calls report for each field of the sections in was that has a value and that the next file, whose
// mentioned fields are the keys of lines, leaves out. A field of the zero value, which is the default, may be left
// out. Sections that are off in was or missing or off in next are ignored. Lists are values: their elements are
// not compared.
func removedFields(was, next reflect.Value, at string, lines map[string]int, report func(field, want string)) {
	for _, f := range fields(was.Type()) {
		s, field := was.FieldByIndex(f.Index), join(at, f.Tag.Get("yaml"))
		n := next.FieldByIndex(f.Index)
		if s.IsNil() || n.IsNil() || !s.Interface().(section).on() || !n.Interface().(section).on() {
			continue
		}
		w := &removal{lines, report}
		w.compareStruct(s.Elem(), n.Elem(), field)
	}
}

// removal looks for what the next file leaves out.
type removal struct {
	lines  map[string]int
	report func(field, want string)
}

// specific are fields with an error of their own.
var specific = map[string]bool{"policies.permit.rules": true}

func (r *removal) compareStruct(was, next reflect.Value, at string) {
	for _, f := range fields(was.Type()) {
		name := f.Tag.Get("yaml")
		field, w, n := join(at, name), was.FieldByIndex(f.Index), next.FieldByIndex(f.Index)
		switch {
		case name == "enabled" || specific[field]:
		case len(allowedOf(f)) > 0 && w.String() == allowedOf(f)[0]: // the default
		case w.Kind() == reflect.Struct:
			r.compareStruct(w, n, field)
		case w.Kind() == reflect.Map:
			r.compareMap(w, n, field, name)
		default:
			r.compareValue(w, field, name, fmt.Sprintf("%q for the default", name+": "+zeroText(w, allowedOf(f))))
		}
	}
}

// compareMap compares the entries of a mapping from names. An explicit {} removes all of them.
func (r *removal) compareMap(was, next reflect.Value, at, name string) {
	if r.mentions(at) && next.Len() == 0 {
		return
	}
	keys := make([]string, 0, was.Len())
	for _, key := range was.MapKeys() {
		keys = append(keys, key.String())
	}
	slices.Sort(keys)
	for _, key := range keys {
		entry, field := was.MapIndex(reflect.ValueOf(key)), join(at, key)
		if entry.Kind() == reflect.Struct && r.mentions(field) {
			r.compareStruct(entry, next.MapIndex(reflect.ValueOf(key)), field)
			continue
		}
		r.compareValue(entry, field, key, fmt.Sprintf("another value, or %q for no entries", name+": {}"))
	}
}

// compareValue reports a value that is set and no longer mentioned. instead is what else can be written.
func (r *removal) compareValue(was reflect.Value, field, name, instead string) {
	if was.IsZero() || r.mentions(field) {
		return
	}
	before := "the value as before"
	if text := valueText(was); text != "" {
		before = fmt.Sprintf("%q as before", name+": "+text)
	}
	if !strings.HasPrefix(instead, "another") {
		instead = "or " + instead
	}
	r.report(field, before+", "+instead)
}

func (r *removal) mentions(field string) bool { _, ok := r.lines[field]; return ok }

// zeroText is the zero value of a field as a file has it. Of the values that are allowed the first one is the
// default.
func zeroText(v reflect.Value, allowed []string) string {
	switch {
	case len(allowed) > 0:
		return allowed[0]
	case v.Kind() == reflect.String:
		return `""`
	case v.Kind() == reflect.Slice:
		return "[]"
	case v.Kind() == reflect.Pointer: // a switch
		return "false"
	}
	return valueText(reflect.Zero(v.Type()))
}

// valueText is a value as a file has it; "" for mappings and lists.
func valueText(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Pointer:
		return valueText(v.Elem())
	case reflect.Struct, reflect.Map, reflect.Slice:
		return ""
	}
	return fmt.Sprint(v.Interface())
}
