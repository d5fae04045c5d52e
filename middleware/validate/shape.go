// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"math"
	"math/big"
	"reflect"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// A shape is a compiled schema in the form that arguments can be held against as they are
// written, without decoding them ([shape.accepts]). It knows the keywords that tools
// commonly use, and takes nothing that it is not sure of: what a shape accepts the library
// accepts too, what it does not is for the library to judge. A nil shape accepts everything.
type shape struct {
	kinds          kinds
	texts          map[string]bool // which strings may be; nil is any
	minText        int             // in characters
	maxText        int
	atLeast, above float64
	atMost, below  float64
	members        map[string]member
	required       int    // how many of members must be there
	others         *shape // members of other names
	items          *shape
	minItems       int
	maxItems       int
	all, any       []*shape // which all, or of which one, must accept the value as well
}

// A member is what a shape says of a member of an object.
type member struct {
	shape    *shape
	required bool
}

// kinds are a set of kinds of values. A number written as an integer is one, any other is
// a fraction, whatever its value.
type kinds uint8

const (
	kindNull kinds = 1 << iota
	kindBoolean
	kindInteger
	kindFraction
	kindString
	kindArray
	kindObject

	anyKind = kindNull | kindBoolean | kindInteger | kindFraction | kindString | kindArray | kindObject
)

var kindsOf = map[string]kinds{
	"null": kindNull, "boolean": kindBoolean, "integer": kindInteger, "number": kindInteger | kindFraction,
	"string": kindString, "array": kindArray, "object": kindObject,
}

// nothing is the shape of a schema that is not understood.
var nothing = new(shape)

// strange are the fields of a schema that shapes do not know: a schema that has one of them set
// is not understood.
var strange = slices.DeleteFunc(reflect.VisibleFields(reflect.TypeFor[jsonschema.Schema]()), func(f reflect.StructField) bool {
	return !f.IsExported() || understood[f.Name]
})

// understood are those that shapes know, or that say nothing of values.
var understood = map[string]bool{
	"Bool": true, "Ref": true, "Types": true, "Enum": true, "Const": true, "AllOf": true, "AnyOf": true,
	"Required": true, "Properties": true, "AdditionalProperties": true,
	"MinItems": true, "MaxItems": true, "Items": true, "Items2020": true,
	"MinLength": true, "MaxLength": true, "Maximum": true, "Minimum": true, "ExclusiveMaximum": true, "ExclusiveMinimum": true,

	"DraftVersion": true, "Location": true, "ID": true, "Anchor": true, "RecursiveAnchor": true, "DynamicAnchor": true,
	"Title": true, "Description": true, "Default": true, "Comment": true, "ReadOnly": true, "WriteOnly": true,
	"Examples": true, "Deprecated": true,
}

// shapes makes the shapes of one schema and its parts, which may refer to each other.
type shapes map[*jsonschema.Schema]*shape

// forSchema is the schema's shape.
func (m shapes) forSchema(s *jsonschema.Schema) *shape {
	if s == nil || s.Bool != nil && *s.Bool {
		return nil
	}
	if made, ok := m[s]; ok {
		return made
	}
	for _, f := range strange {
		if !reflect.ValueOf(s).Elem().FieldByIndex(f.Index).IsZero() {
			return nothing
		}
	}
	made := &shape{kinds: anyKind, others: m.others(s.AdditionalProperties)}
	m[s] = made // before its parts, which may refer to it
	if s.Bool != nil || !made.values(s) || !made.bounds(s) {
		made.kinds = 0
		return made
	}
	m.objects(made, s)
	m.arrays(made, s)
	if s.Ref != nil {
		made.all = append(made.all, m.forSchema(s.Ref))
	}
	for _, part := range s.AllOf {
		made.all = append(made.all, m.forSchema(part))
	}
	for _, part := range s.AnyOf {
		made.any = append(made.any, m.forSchema(part))
	}
	return made
}

// values takes in types, enum and const; false if they are not understood.
func (sh *shape) values(s *jsonschema.Schema) bool {
	if s.Types != nil && !s.Types.IsEmpty() {
		sh.kinds = 0
		for _, name := range s.Types.ToStrings() {
			sh.kinds |= kindsOf[name]
		}
	}
	if s.Enum != nil && !sh.among(s.Enum.Values) {
		return false
	}
	return s.Const == nil || s.Enum == nil && sh.among([]any{*s.Const})
}

// among takes in the values of which it must be one: strings and null.
func (sh *shape) among(values []any) bool {
	var found kinds
	sh.texts = map[string]bool{}
	for _, v := range values {
		switch v := v.(type) {
		case string:
			sh.texts[v] = true
			found |= kindString
		case nil:
			found |= kindNull
		default:
			return false
		}
	}
	sh.kinds &= found
	return true
}

// bounds takes in the limits of numbers, strings and arrays; false if one of them is no float64.
func (sh *shape) bounds(s *jsonschema.Schema) bool {
	or := func(n *int, otherwise int) int {
		if n == nil {
			return otherwise
		}
		return *n
	}
	sh.minText, sh.maxText = or(s.MinLength, 0), or(s.MaxLength, math.MaxInt)
	sh.minItems, sh.maxItems = or(s.MinItems, 0), or(s.MaxItems, math.MaxInt)
	exact := true
	float := func(n *big.Rat, otherwise float64) float64 {
		if n == nil {
			return otherwise
		}
		f, ok := n.Float64()
		exact = exact && ok
		return f
	}
	sh.atLeast, sh.above = float(s.Minimum, math.Inf(-1)), float(s.ExclusiveMinimum, math.Inf(-1))
	sh.atMost, sh.below = float(s.Maximum, math.Inf(1)), float(s.ExclusiveMaximum, math.Inf(1))
	return exact
}

func (m shapes) objects(sh *shape, s *jsonschema.Schema) {
	sh.members = map[string]member{}
	for name, part := range s.Properties {
		sh.members[name] = member{shape: m.forSchema(part)}
	}
	for _, name := range s.Required {
		part, ok := sh.members[name]
		if !ok {
			part.shape = sh.others
		}
		if !part.required {
			part.required = true
			sh.required++
		}
		sh.members[name] = part
	}
}

// others is the shape of members of other names.
func (m shapes) others(additional any) *shape {
	switch additional := additional.(type) {
	case nil:
		return nil
	case bool:
		if additional {
			return nil
		}
	case *jsonschema.Schema:
		return m.forSchema(additional)
	}
	return nothing
}

func (m shapes) arrays(sh *shape, s *jsonschema.Schema) {
	switch items := s.Items.(type) {
	case nil:
		sh.items = m.forSchema(s.Items2020)
	case *jsonschema.Schema:
		sh.items = m.forSchema(items)
	default: // one schema for each
		sh.items = nothing
	}
}
