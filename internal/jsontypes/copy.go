// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package jsontypes

import (
	"reflect"
	"sync"
)

// Copy returns a deep copy of v. Unexported fields are copied if they hold no references.
// Functions, channels, errors, and unexported fields with references are an error unless they are
// nil; a type with own JSON methods is then copied by its JSON, if what is read back is equal.
// Pointers to the same value become pointers to several.
func Copy[T any](v T) (copied T, err error) {
	from, to := reflect.ValueOf(&v).Elem(), reflect.ValueOf(&copied).Elem()
	if err := copyInto(to, from, nameOf(from.Type()), 0); err != nil {
		var none T
		return none, err
	}
	return copied, nil
}

// copyInto copies from to to, which can be set.
func copyInto(to, from reflect.Value, path string, depth int) error {
	t := from.Type()
	if depth > maxDepth {
		return &Error{path, t, "it is too deep, or contains itself"}
	}
	depth++
	if flat(t) || t == timeType {
		to.Set(from)
		return nil
	}
	switch t.Kind() {
	case reflect.Pointer:
		if from.IsNil() {
			return nil
		}
		p := reflect.New(t.Elem())
		if err := copyInto(p.Elem(), from.Elem(), path, depth); err != nil {
			return err
		}
		to.Set(p.Convert(t))
		return nil
	case reflect.Interface:
		return copyInterface(to, from, path, depth)
	case reflect.Slice:
		if from.IsNil() {
			return nil
		}
		s := reflect.MakeSlice(t, from.Len(), from.Len())
		to.Set(s)
		return copyElements(s, from, path, depth)
	case reflect.Array:
		return copyElements(to, from, path, depth)
	case reflect.Map:
		return copyMap(to, from, path, depth)
	case reflect.Struct:
		to.Set(from)
		err := copyFields(to, from, path, depth)
		if err == nil {
			return nil
		}
		if own, what := ownCodec(t, true); own && what == "" {
			if copied, wrong := roundTrip(from); wrong == nil {
				to.Set(copied)
				return nil
			}
		}
		return err
	}
	if from.IsZero() { // a nil function, channel or unsafe pointer
		return nil
	}
	return &Error{path, t, "it cannot be copied"}
}

func copyInterface(to, from reflect.Value, path string, depth int) error {
	if from.IsNil() {
		return nil
	}
	in := from.Elem()
	if in.Type().Implements(errorType) { // programs compare errors: a copy is another one
		return &Error{path, in.Type(), "an error cannot be copied"}
	}
	copied := reflect.New(in.Type()).Elem()
	if err := copyInto(copied, in, path, depth); err != nil {
		return err
	}
	to.Set(copied)
	return nil
}

func copyElements(to, from reflect.Value, path string, depth int) error {
	if flat(from.Type().Elem()) {
		reflect.Copy(to, from)
		return nil
	}
	for i := range from.Len() {
		if err := copyInto(to.Index(i), from.Index(i), path+"[]", depth); err != nil {
			return err
		}
	}
	return nil
}

func copyMap(to, from reflect.Value, path string, depth int) error {
	if from.IsNil() {
		return nil
	}
	t := from.Type()
	m := reflect.MakeMapWithSize(t, from.Len())
	for key, value := range from.Seq2() {
		k, v := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
		if err := copyInto(k, key, path, depth); err != nil {
			return err
		}
		if err := copyInto(v, value, path+"[]", depth); err != nil {
			return err
		}
		m.SetMapIndex(k, v)
	}
	to.Set(m)
	return nil
}

// copyFields copies the fields of a struct that hold references; to holds the others already.
func copyFields(to, from reflect.Value, path string, depth int) error {
	t := from.Type()
	for i := range t.NumField() {
		f := t.Field(i)
		if flat(f.Type) || from.Field(i).IsZero() {
			continue
		}
		at := path + "." + f.Name
		var err error
		switch {
		case f.IsExported():
			to.Field(i).SetZero()
			err = copyInto(to.Field(i), from.Field(i), at, depth)
		case f.Anonymous && f.Type.Kind() == reflect.Struct: // its exported fields can be set
			err = copyFields(to.Field(i), from.Field(i), at, depth)
		case f.Type == timeType: // its location is a handle
		default:
			err = &Error{at, f.Type, "an unexported field with a reference cannot be copied"}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

var flats sync.Map // of reflect.Type to bool

// flat reports whether values of t hold no references, so that assigning them copies them.
func flat(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array, reflect.Struct:
	case reflect.Pointer, reflect.Interface, reflect.Slice, reflect.Map, reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return false
	default:
		return true
	}
	if known, ok := flats.Load(t); ok {
		return known.(bool)
	}
	is := true
	if t.Kind() == reflect.Array {
		is = flat(t.Elem())
	} else {
		for i := 0; is && i < t.NumField(); i++ {
			is = flat(t.Field(i).Type)
		}
	}
	flats.Store(t, is)
	return is
}
