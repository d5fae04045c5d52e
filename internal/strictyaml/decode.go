// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package strictyaml

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// wantName is what a name in a file is.
const wantName = "a name without blanks at its ends"

// isName reports whether a text can be the name of something.
func isName(s string) bool { return s != "" && strings.TrimSpace(s) == s }

// decoder reads nodes into values.
type decoder struct {
	Reader
	*Document
}

func (d *decoder) failNode(n *yaml.Node, field, want string) { d.fail(n.Line, field, shown(n), want) }

// shown is a node's value in an error.
func shown(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Tag == "!!null":
		return "nothing"
	}
	return fmt.Sprintf("%.60q", n.Value)
}

func join(field, name string) string {
	if field == "" {
		return name
	}
	return field + "." + name
}

// decodeRoot reads the struct's fields and the sections.
func (d *decoder) decodeRoot(n *yaml.Node, v reflect.Value) {
	d.Lines[""] = n.Line
	known := slices.Concat(names(v.Type()), slices.Sorted(maps.Keys(d.Sections)))
	d.eachPair(n, "", "the defaults", func(key, value *yaml.Node) {
		if into, ok := d.Sections[key.Value]; ok {
			d.decode(value, reflect.ValueOf(into).Elem(), key.Value, "")
		} else if !d.decodeField(value, v, key.Value, key.Value) {
			d.failUnknown(key, key.Value, known, d.UnknownSection)
		}
	})
}

func (d *decoder) decode(n *yaml.Node, v reflect.Value, field string, tag reflect.StructTag) {
	d.Lines[field] = n.Line
	scalar, special := d.scalar(v.Type(), tag)
	switch kind := v.Kind(); {
	case special:
		d.decodeSpecial(n, v, field, scalar)
	case kind == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		d.decode(n, v.Elem(), field, tag)
	case kind == reflect.Struct:
		d.eachPair(n, field, "the defaults", func(key, value *yaml.Node) {
			if at := join(field, key.Value); !d.decodeField(value, v, at, key.Value) {
				d.failUnknown(key, at, names(v.Type()), nil)
			}
		})
	case kind == reflect.Map:
		d.decodeMap(n, v, field, tag)
	case kind == reflect.Slice:
		d.decodeSlice(n, v, field, tag)
	case kind == reflect.Interface:
		if value := d.decodeAny(n, field); value != nil {
			v.Set(reflect.ValueOf(value))
		}
	default:
		d.decodeScalar(n, v, field, tag)
	}
}

// scalar is how a single value is read that is of one of the Types, or of an int with one of the Units.
func (d *decoder) scalar(t reflect.Type, tag reflect.StructTag) (Scalar, bool) {
	if s, ok := d.Units[tag.Get("unit")]; ok && t.Kind() == reflect.Int {
		return s, true
	}
	s, ok := d.Types[t]
	return s, ok
}

// decodeAny reads a value of any type: nil, bool, int, float64, string, []any or map[string]any.
func (d *decoder) decodeAny(n *yaml.Node, field string) any {
	d.Lines[field] = n.Line
	switch n.Kind {
	case yaml.MappingNode:
		m := map[string]any{}
		d.eachPair(n, field, "none", func(key, value *yaml.Node) { m[key.Value] = d.decodeAny(value, join(field, key.Value)) })
		return m
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, item := range n.Content {
			list[i] = d.decodeAny(item, fmt.Sprintf("%s[%d]", field, i))
		}
		return list
	}
	var value any = n.Value
	kind := map[string]reflect.Type{
		"!!bool": reflect.TypeFor[bool](), "!!int": reflect.TypeFor[int](), "!!float": reflect.TypeFor[float64](),
	}[n.Tag]
	switch {
	case n.Tag == "!!null":
		return nil
	case kind != nil:
		v := reflect.New(kind).Elem()
		if !setScalar(v, n, nil) {
			d.failNode(n, field, wanted[kind.Kind()])
		}
		value = v.Interface()
	}
	return value
}

// decodeField reads a field of a struct; false if there is no such field.
func (d *decoder) decodeField(n *yaml.Node, v reflect.Value, at, name string) bool {
	for _, f := range Fields(v.Type()) {
		if f.Tag.Get("yaml") == name {
			if n.Tag == "!!null" && f.Type.Kind() == reflect.Interface {
				d.failNode(n, at, "a value") // it would be as if the field were not there
				return true
			}
			d.decode(n, v.FieldByIndex(f.Index), at, f.Tag)
			return true
		}
	}
	return false
}

func (d *decoder) failUnknown(key *yaml.Node, at string, known []string, describe func(string) (got, want string)) {
	got, want := "an unknown field", "one of "+strings.Join(known, ", ")
	if name := Nearest(key.Value, known); name != "" {
		got = fmt.Sprintf("an unknown field (did you mean %q?)", name)
	} else if describe != nil {
		got, want = describe(key.Value)
	}
	d.fail(key.Line, at, got, want)
}

// eachPair calls do for the keys and values of a mapping, each key once. A key without a value is an
// error and not an empty mapping: the rest of the file may be missing. empty says what {} means.
func (d *decoder) eachPair(n *yaml.Node, field, empty string, do func(key, value *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		want := "a mapping"
		if n.Tag == "!!null" {
			want += ", or {} for " + empty
		}
		d.failNode(n, field, want)
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		switch {
		case key.Kind != yaml.ScalarNode || key.Tag == "!!merge":
			d.fail(key.Line, field, "a key that is no text", "a name")
		case seen[key.Value]:
			d.fail(key.Line, join(field, key.Value), "the field a second time", "it once")
		default:
			seen[key.Value] = true
			do(key, n.Content[i+1])
		}
	}
}

func (d *decoder) decodeMap(n *yaml.Node, v reflect.Value, field string, tag reflect.StructTag) {
	into := reflect.MakeMap(v.Type())
	d.eachPair(n, field, "none", func(key, value *yaml.Node) {
		if d.Names && tag.Get("keys") != "any" && !isName(key.Value) {
			d.fail(key.Line, field, fmt.Sprintf("the name %.60q", key.Value), wantName)
		}
		element := reflect.New(v.Type().Elem()).Elem()
		d.decode(value, element, join(field, key.Value), tag)
		into.SetMapIndex(reflect.ValueOf(key.Value).Convert(v.Type().Key()), element)
	})
	if into.Len() > 0 || d.KeepEmpty {
		v.Set(into)
	}
}

func (d *decoder) decodeSlice(n *yaml.Node, v reflect.Value, field string, tag reflect.StructTag) {
	items, at := n.Content, func(i int) string { return fmt.Sprintf("%s[%d]", field, i) }
	single := d.SingleTexts && v.Type().Elem().Kind() == reflect.String
	switch {
	case n.Kind == yaml.SequenceNode:
	case single && n.Kind == yaml.ScalarNode && n.Tag != "!!null":
		items, at = []*yaml.Node{n}, func(int) string { return field }
	case single:
		d.failNode(n, field, "a text or a list of texts")
		return
	default:
		d.failNode(n, field, "a list")
		return
	}
	if len(items) == 0 && !d.KeepEmpty {
		return
	}
	v.Set(reflect.MakeSlice(v.Type(), len(items), len(items)))
	for i, item := range items {
		d.decode(item, v.Index(i), at(i), tag)
		if d.Names && item.Kind == yaml.ScalarNode && v.Index(i).Kind() == reflect.String && !isName(item.Value) {
			d.failNode(item, at(i), wantName)
		}
	}
}

func (d *decoder) decodeSpecial(n *yaml.Node, v reflect.Value, field string, s Scalar) {
	if n.Kind == yaml.ScalarNode && n.Tag != "!!null" && (s.Tag == "" || n.Tag == s.Tag) {
		if value, ok := s.Parse(n.Value); ok {
			v.Set(reflect.ValueOf(value))
			return
		}
	}
	d.failNode(n, field, s.Want)
}

// wanted is what a value of a kind is called in an error.
var wanted = map[reflect.Kind]string{
	reflect.Bool: "true or false", reflect.Int: "a whole number", reflect.Float64: "a number", reflect.String: "a text",
	reflect.Uint8: "a text", // of those allowed: the value is the place in the list
}

func (d *decoder) decodeScalar(n *yaml.Node, v reflect.Value, field string, tag reflect.StructTag) {
	want := wanted[v.Kind()]
	allowed := Allowed(tag)
	if len(allowed) > 0 {
		want = Or(allowed...)
	}
	switch {
	case n.Kind != yaml.ScalarNode || !setScalar(v, n, allowed):
		d.failNode(n, field, want)
	case tag.Get("name") != "" && n.Tag == "!!str" && !isName(n.Value):
		d.failNode(n, field, wantName)
	}
}

// setScalar reports whether the node has a value of the kind, and sets it.
func setScalar(v reflect.Value, n *yaml.Node, allowed []string) bool {
	switch v.Kind() {
	case reflect.Bool:
		yes := strings.EqualFold(n.Value, "true")
		v.SetBool(yes)
		return n.Tag == "!!bool" && (yes || strings.EqualFold(n.Value, "false"))
	case reflect.Int:
		i, err := strconv.Atoi(n.Value)
		v.SetInt(int64(i))
		return err == nil && n.Tag == "!!int"
	case reflect.Float64:
		f, err := strconv.ParseFloat(n.Value, 64)
		v.SetFloat(f)
		return err == nil && (n.Tag == "!!int" || n.Tag == "!!float") && !math.IsNaN(f) && !math.IsInf(f, 0)
	}
	if v.Kind() == reflect.Uint8 {
		i := slices.Index(allowed, n.Value)
		v.SetUint(uint64(max(0, i)))
		return i >= 0 && n.Tag != "!!null"
	}
	v.SetString(n.Value)
	return n.Tag != "!!null" && (len(allowed) == 0 || slices.Contains(allowed, n.Value))
}
