// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/toolscope/toolscope/internal/strictyaml"
)

// removal reports each field of a section in use that has a value and that the next file leaves out. A field of the zero
// value, which is the default, may be left out. Lists are values: their elements are not compared.
type removal struct {
	next   *strictyaml.Document
	report func(field, want string)
}

// specific are what errors want of fields whose default needs a description.
var specific = map[string]string{
	"policies.permit.rules": `the rules' file as before, or rules: "" to use the built-in rules`,
}

func (r *removal) compareStruct(was, next reflect.Value, at string) {
	for _, f := range strictyaml.Fields(was.Type()) {
		name, allowed := f.Tag.Get("yaml"), strictyaml.Allowed(f.Tag)
		field, w, n := at+"."+name, was.FieldByIndex(f.Index), next.FieldByIndex(f.Index)
		switch {
		case name == "enabled":
		case specific[field] != "":
			if !w.IsZero() && !r.next.Has(field) {
				r.report(field, specific[field])
			}
		case w.Kind() == reflect.Struct:
			r.compareStruct(w, n, field)
		case w.Kind() == reflect.Map:
			r.compareMap(w, n, field, name)
		default:
			r.compareValue(w, allowed, field, name, fmt.Sprintf("%q for the default", name+": "+zeroText(w, allowed)))
		}
	}
}

// compareMap compares the entries of a mapping from names. An explicit {} removes all of them.
func (r *removal) compareMap(was, next reflect.Value, at, name string) {
	if r.next.Has(at) && next.Len() == 0 {
		return
	}
	keys := make([]string, 0, was.Len())
	for _, key := range was.MapKeys() {
		keys = append(keys, key.String())
	}
	slices.Sort(keys)
	for _, key := range keys {
		entry, field := was.MapIndex(reflect.ValueOf(key)), at+"."+key
		if entry.Kind() == reflect.Struct && r.next.Has(field) {
			r.compareStruct(entry, next.MapIndex(reflect.ValueOf(key)), field)
			continue
		}
		r.compareValue(entry, nil, field, key, fmt.Sprintf("another value, or %q for no entries", name+": {}"))
	}
}

// compareValue reports a value that is set and no longer mentioned. instead is what else can be written.
func (r *removal) compareValue(was reflect.Value, allowed []string, field, name, instead string) {
	if was.IsZero() || r.next.Has(field) {
		return
	}
	before := "the value as before"
	if text := valueText(was, allowed); text != "" {
		before = fmt.Sprintf("%q as before", name+": "+text)
	}
	if !strings.HasPrefix(instead, "another") {
		instead = "or " + instead
	}
	r.report(field, before+", "+instead)
}

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
	return valueText(reflect.Zero(v.Type()), nil)
}

// valueText is a value as a file has it; "" for mappings and lists.
func valueText(v reflect.Value, allowed []string) string {
	switch v.Kind() {
	case reflect.Pointer:
		return valueText(v.Elem(), allowed)
	case reflect.Struct, reflect.Map, reflect.Slice:
		return ""
	case reflect.Uint8:
		return allowed[v.Uint()]
	}
	return fmt.Sprint(v.Interface())
}
