// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package jsontypes

import (
	"bytes"
	"reflect"
)

// A Form is a type whose values differ only if their JSON does, as far as the type can tell.
type Form struct {
	name    string
	dynamic bool // whether Check has to look at values
}

// Of returns the form of t. An error, which is an [*Error], names the part of t that JSON leaves
// out or cannot encode. The rules: no unexported fields, no fields with the tag json:"-" or of a
// name that another field has in JSON, no channels, functions, complex numbers, unsafe pointers
// or interfaces with methods; types with methods for JSON or text have those of both directions.
func Of(t reflect.Type) (*Form, error) {
	s := &typeWalk{seen: map[typeKey]bool{}}
	f := &Form{name: nameOf(t)}
	if err := s.check(t, f.name, true, false); err != nil {
		return nil, err
	}
	f.dynamic = s.dynamic
	return f, nil
}

// nameOf is a type's name in error messages.
func nameOf(t reflect.Type) string {
	for t.Kind() == reflect.Pointer && t.Name() == "" {
		t = t.Elem()
	}
	return t.String()
}

// Check returns an error, an [*Error], that names the part of the value that p points to which
// JSON cannot encode, or which another value with the same JSON may differ in. text is its JSON;
// nil if encoding/json cannot make it.
func (f *Form) Check(p any, text []byte) error {
	if text != nil && !f.dynamic && !bytes.Contains(text, []byte(`\ufffd`)) {
		return nil
	}
	return valueWalk{}.check(reflect.ValueOf(p).Elem(), f.name, true, false, 0)
}

type typeKey struct {
	t                   reflect.Type
	addressable, inside bool
}

// typeWalk looks at a type once for each way it is reached.
type typeWalk struct {
	seen    map[typeKey]bool
	dynamic bool
}

// check returns an error if values of t can differ without their JSON. inside says that the
// value is in an interface, where its type is no part of the JSON.
func (w *typeWalk) check(t reflect.Type, path string, addressable, inside bool) error {
	key := typeKey{t, addressable, inside}
	if w.seen[key] {
		return nil
	}
	w.seen[key] = true
	if inside {
		if what := typedInside(t); what != "" {
			return &Error{path, t, what}
		}
	}
	if t == rawType || t == numberType || t == timeType {
		return nil
	}
	if t.Kind() != reflect.Pointer && t.Kind() != reflect.Interface {
		if own, what := ownCodec(t, addressable); what != "" {
			return &Error{path, t, what}
		} else if own {
			w.dynamic = true
			return nil
		}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return w.check(t.Elem(), path, true, inside)
	case reflect.Slice:
		return w.check(t.Elem(), path+"[]", true, inside)
	case reflect.Array:
		return w.check(t.Elem(), path+"[]", addressable, inside)
	case reflect.Map:
		return w.checkMap(t, path, inside)
	case reflect.Struct:
		return w.checkStruct(t, path, addressable, inside, map[string]bool{})
	case reflect.Interface:
		if t.NumMethod() > 0 {
			return &Error{path, t, "the type of what is in an interface cannot be seen in JSON"}
		}
		w.dynamic = true
	case reflect.Chan, reflect.Func, reflect.Complex64, reflect.Complex128, reflect.UnsafePointer:
		return &Error{path, t, "JSON cannot encode it"}
	}
	return nil
}

func (w *typeWalk) checkMap(t reflect.Type, path string, inside bool) error {
	if what := wrongKey(t.Key()); what != "" {
		return &Error{path, t.Key(), what}
	}
	if inside {
		if what := typedInside(t.Key()); what != "" {
			return &Error{path, t.Key(), what}
		}
	}
	if own, _ := ownCodec(t.Key(), false); own {
		w.dynamic = true
	}
	return w.check(t.Elem(), path+"[]", false, inside)
}

// wrongKey says why a map with keys of type t is wrong.
func wrongKey(t reflect.Type) string {
	switch {
	case t.Kind() == reflect.String:
		if t.Implements(textMarshaler) || reflect.PointerTo(t).Implements(textUnmarshaler) {
			return "a map's keys have text methods, which JSON ignores in one direction"
		}
		return ""
	case t.Implements(textMarshaler):
		if t.Kind() == reflect.Pointer || !reflect.PointerTo(t).Implements(textUnmarshaler) {
			return "a map's keys have MarshalText without UnmarshalText"
		}
		return ""
	}
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return ""
	}
	return "JSON cannot encode it as a map's key"
}

func (w *typeWalk) checkStruct(t reflect.Type, path string, addressable, inside bool, names map[string]bool) error {
	for _, f := range fieldsOf(t) {
		at := path + "." + f.Name
		if f.what != "" {
			return &Error{at, f.Type, f.what}
		}
		if f.embedded {
			if err := w.checkStruct(f.Type, at, addressable, inside, names); err != nil {
				return err
			}
			continue
		}
		if names[f.json] {
			return &Error{at, f.Type, "another field has its name in JSON"}
		}
		names[f.json] = true
		if err := w.check(f.Type, at, addressable, inside); err != nil {
			return err
		}
	}
	return nil
}

// typedInside says why a type must not be in an interface: its JSON is that of another type.
func typedInside(t reflect.Type) string {
	switch {
	case t == rawType || t == numberType:
		return ""
	case t.PkgPath() != "" || t.Kind() == reflect.Pointer:
		return "its type cannot be seen in JSON: got a type of its own in an any, want what JSON has (nil, bool, " +
			"string, numbers, json.Number, slices, and maps with string keys)"
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		return "its JSON is that of a string: got bytes in an any, want a string"
	}
	return ""
}
