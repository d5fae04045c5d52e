// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package jsontypes

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"sync"
	"unicode/utf8"
)

// marshal is json.Marshal; a panic of a method of the value's is an error.
func marshal(v any) (text []byte, err error) {
	defer recoverTo(&err)
	return json.Marshal(v)
}

// valueWalk looks at a value whose type is OK, for what only values show.
type valueWalk struct{}

func (w valueWalk) check(v reflect.Value, path string, addressable, inside bool, depth int) error {
	t := v.Type()
	if depth > maxDepth {
		return &Error{path[:min(len(path), 100)] + "…", t, "it is too deep, or contains itself"}
	}
	if whole, wrong := checkWhole(v, addressable); whole {
		if wrong != "" {
			return &Error{path, t, wrong}
		}
		return nil
	}
	depth++
	switch t.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return w.check(v.Elem(), path, true, inside, depth)
		}
	case reflect.Interface:
		if v.IsNil() {
			return nil
		}
		if err := insideOf(v.Elem().Type()); err != nil {
			return &Error{path + err.Path, err.Type, err.What}
		}
		return w.check(v.Elem(), path, false, true, depth)
	case reflect.Slice, reflect.Array:
		return w.checkList(v, path, addressable || t.Kind() == reflect.Slice, inside, depth)
	case reflect.Map:
		return w.checkMap(v, path, inside, depth)
	case reflect.Struct:
		return w.checkFields(v, path, addressable, inside, depth)
	}
	return nil
}

// checkWhole checks values that are not walked into: those with a codec of their own, strings and numbers. whole
// is false for others.
func checkWhole(v reflect.Value, addressable bool) (whole bool, wrong string) {
	t := v.Type()
	if t == rawType || t == numberType || t == timeType {
		if _, err := marshal(v.Interface()); err != nil {
			return true, err.Error()
		}
		return true, ""
	}
	if t.Kind() != reflect.Pointer && t.Kind() != reflect.Interface {
		if own, _ := ownCodec(t, addressable); own {
			if _, err := roundTrip(v); err != nil {
				return true, err.Error()
			}
			return true, ""
		}
	}
	switch t.Kind() {
	case reflect.String:
		if !utf8.ValidString(v.String()) {
			return true, "got a string that is not UTF-8, which JSON changes"
		}
		return true, ""
	case reflect.Float32, reflect.Float64:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			return true, fmt.Sprintf("JSON cannot encode %v", f)
		}
		return true, ""
	}
	return false, ""
}

func (w valueWalk) checkList(v reflect.Value, path string, addressable, inside bool, depth int) error {
	if own, _ := ownCodec(v.Type().Elem(), true); !own && isWhole(v.Type().Elem()) {
		return nil // as in []byte: no element can be wrong
	}
	for i := range v.Len() {
		if err := w.check(v.Index(i), fmt.Sprintf("%s[%d]", path, i), addressable, inside, depth); err != nil {
			return err
		}
	}
	return nil
}

var insides sync.Map // of reflect.Type to *Error

// insideOf says what is wrong with a type in an interface; the path begins there.
func insideOf(t reflect.Type) *Error {
	if known, ok := insides.Load(t); ok {
		return known.(*Error)
	}
	var wrong *Error
	_ = errors.As((&typeWalk{seen: map[typeKey]bool{}}).check(t, "", false, true), &wrong)
	insides.Store(t, wrong)
	return wrong
}

// checkFields checks the fields of a struct. An embedded one's own methods, if any, are those of the outer struct.
func (w valueWalk) checkFields(v reflect.Value, path string, addressable, inside bool, depth int) error {
	for _, f := range fieldsOf(v.Type()) {
		at, check := path+"."+f.Name, w.check
		if f.embedded {
			check = w.checkFields
		}
		if err := check(v.Field(f.index), at, addressable, inside, depth); err != nil {
			return err
		}
	}
	return nil
}

func (w valueWalk) checkMap(v reflect.Value, path string, inside bool, depth int) error {
	own, _ := ownCodec(v.Type().Key(), false)
	for key, value := range v.Seq2() {
		at := fmt.Sprintf("%s[%s]", path, short(key))
		if key.Kind() == reflect.String && !utf8.ValidString(key.String()) {
			return &Error{at, key.Type(), "got a key that is not UTF-8, which JSON changes"}
		}
		if own {
			if _, err := roundTrip(key); err != nil {
				return &Error{at, key.Type(), err.Error()}
			}
		}
		if err := w.check(value, at, false, inside, depth); err != nil {
			return err
		}
	}
	return nil
}

// short is a map's key in a path. It is a name in the program's data, not a value.
func short(key reflect.Value) string {
	text := "…"
	switch key.Kind() {
	case reflect.String:
		text = fmt.Sprintf("%q", key.String())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		text = fmt.Sprint(key.Int())
	}
	if len(text) > 64 {
		return "…"
	}
	return text
}

// isWhole reports whether values of t are booleans or whole numbers.
func isWhole(t reflect.Type) bool { return reflect.Bool <= t.Kind() && t.Kind() <= reflect.Uintptr }

// roundTrip returns a copy of v made by its JSON. It is an error if that is not equal to v, by
// reflect.DeepEqual or a method Equal or Cmp.
func roundTrip(v reflect.Value) (copied reflect.Value, err error) {
	defer recoverTo(&err)
	from, to := reflect.New(v.Type()), reflect.New(v.Type())
	from.Elem().Set(v)
	text, err := json.Marshal(from.Interface())
	if err != nil {
		return copied, err
	}
	if err := json.Unmarshal(text, to.Interface()); err != nil {
		return copied, fmt.Errorf("its JSON cannot be read back: %w", err)
	}
	if !equal(from, to) {
		return copied, errors.New("what is read back from its JSON is not equal to it")
	}
	return to.Elem(), nil
}

// equal compares what two pointers point to.
func equal(a, b reflect.Value) bool {
	if reflect.DeepEqual(a.Interface(), b.Interface()) {
		return true
	}
	if m := a.MethodByName("Equal"); m.IsValid() {
		if same, ok := compare(m, b); ok && same.Kind() == reflect.Bool {
			return same.Bool()
		}
	}
	if m := a.MethodByName("Cmp"); m.IsValid() {
		if order, ok := compare(m, b); ok && order.Kind() == reflect.Int {
			return order.Int() == 0
		}
	}
	return false
}

// compare calls a method that takes what b points to, or b, and returns one value.
func compare(m, b reflect.Value) (out reflect.Value, ok bool) {
	t := m.Type()
	if t.NumIn() != 1 || t.NumOut() != 1 || t.IsVariadic() {
		return out, false
	}
	switch t.In(0) {
	case b.Type():
		return m.Call([]reflect.Value{b})[0], true
	case b.Type().Elem():
		return m.Call([]reflect.Value{b.Elem()})[0], true
	}
	return out, false
}

// recoverTo makes an error of a panic.
func recoverTo(err *error) {
	if v := recover(); v != nil {
		*err = fmt.Errorf("one of its methods panicked: %v", v)
	}
}
