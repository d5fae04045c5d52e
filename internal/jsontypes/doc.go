// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package jsontypes says whether a value's JSON is all there is to it, and copies values.
//
// Two values that differ in a field which JSON leaves out have one JSON text. [Of] finds such
// types, [Form.Check] such values of the types that it cannot judge beforehand. [Copy] copies a
// value, whether JSON can encode it or not.
package jsontypes

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"
)

// An Error says which part of a type or value is wrong, and why.
type Error struct {
	Path string // of the field, beginning with the name of the outermost type
	Type reflect.Type
	What string
}

// Error is path, type and what is wrong.
func (e *Error) Error() string {
	if e.Type == nil {
		return e.Path + ": " + e.What
	}
	return fmt.Sprintf("%s (type %s): %s", e.Path, e.Type, e.What)
}

// maxDepth is how deep a value may be; one that is deeper counts as wrong. It ends walks of values
// that contain themselves.
const maxDepth = 1000

var (
	jsonMarshaler   = reflect.TypeFor[json.Marshaler]()
	jsonUnmarshaler = reflect.TypeFor[json.Unmarshaler]()
	textMarshaler   = reflect.TypeFor[encoding.TextMarshaler]()
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
	errorType       = reflect.TypeFor[error]()
	timeType        = reflect.TypeFor[time.Time]()
	rawType         = reflect.TypeFor[json.RawMessage]()
	numberType      = reflect.TypeFor[json.Number]()
)

// ownCodec reports whether encoding/json writes values of t by a method of theirs. addressable
// says whether it can take their address. what is why that is wrong: a method without its
// counterpart, or one that is not called.
func ownCodec(t reflect.Type, addressable bool) (own bool, what string) {
	p := reflect.PointerTo(t)
	has := func(i reflect.Type) bool { return t.Implements(i) || addressable && p.Implements(i) }
	switch {
	case has(jsonMarshaler):
		if !p.Implements(jsonUnmarshaler) {
			return true, "it has MarshalJSON without UnmarshalJSON"
		}
		return true, ""
	case has(textMarshaler):
		if !p.Implements(textUnmarshaler) && !p.Implements(jsonUnmarshaler) {
			return true, "it has MarshalText without UnmarshalText"
		}
		return true, ""
	case p.Implements(jsonMarshaler) || p.Implements(textMarshaler):
		return true, "its MarshalJSON or MarshalText needs a pointer, which it is not reached by"
	case p.Implements(jsonUnmarshaler) || p.Implements(textUnmarshaler):
		return true, "it has an Unmarshal method without its Marshal"
	}
	return false, ""
}

// field is a field of a struct as encoding/json sees it.
type field struct {
	index int
	reflect.StructField
	json     string // its name in JSON; "" if it is embedded and its fields are the struct's
	embedded bool
	what     string // why it is wrong; "" if it is not
}

// fieldsOf lists the fields of a struct; blank ones are left out.
func fieldsOf(t reflect.Type) (fields []field) {
	for i := range t.NumField() {
		f := field{index: i, StructField: t.Field(i)}
		if f.Name == "_" {
			continue
		}
		tag := f.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		if f.json = name; name == "" {
			f.json = f.Name
		}
		f.embedded = f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct
		switch {
		case tag == "-":
			f.what = `JSON leaves it out because of its tag json:"-"`
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Pointer:
			f.what = "it is an embedded pointer: whether it is nil cannot be seen in JSON"
		case !f.IsExported() && !f.embedded:
			f.what = "JSON leaves it out because it is not exported"
		case omitsZero(options) && hasIsZero(f.Type):
			f.what = "JSON leaves it out when its IsZero method says so"
		}
		fields = append(fields, f)
	}
	return fields
}

func omitsZero(options string) bool {
	for option := range strings.SplitSeq(options, ",") {
		if option == "omitzero" {
			return true
		}
	}
	return false
}

func hasIsZero(t reflect.Type) bool {
	if t == timeType {
		return false
	}
	zeroer := reflect.TypeFor[interface{ IsZero() bool }]()
	return t.Implements(zeroer) || reflect.PointerTo(t).Implements(zeroer)
}
