// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package config

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"
)

// An Error is one thing that is wrong in a file.
type Error struct {
	File  string
	Line  int    // from 1; 0 if it is no line's
	Field string // where, such as policies.cache.ttl
	Got   string // or, if Want is "", the whole of what is wrong
	Want  string
}

// Error is file:line: field: what was got, what is wanted.
func (e *Error) Error() string {
	at := e.File
	if e.Line > 0 {
		at += ":" + strconv.Itoa(e.Line)
	}
	if e.Field != "" {
		at += ": " + e.Field
	}
	if e.Want == "" {
		return at + ": " + e.Got
	}
	return fmt.Sprintf("%s: got %s, want %s", at, e.Got, e.Want)
}

// maxErrors is how many errors of a file are told.
const maxErrors = 20

// maxDepth is how deep a file may be nested.
const maxDepth = 32

// Size is a number of bytes, written as such or with a unit: 4096, 64KiB, 16MiB, 1GiB.
type Size int64

var sizeUnits = []struct {
	name  string
	bytes int64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"B", 1}, {"", 1}}

func parseSize(s string) (Size, bool) {
	for _, u := range sizeUnits {
		digits, ok := strings.CutSuffix(s, u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
		if err != nil || n > math.MaxInt64/u.bytes || n < math.MinInt64/u.bytes {
			return 0, false
		}
		return Size(n * u.bytes), true
	}
	return 0, false
}

var (
	durationType = reflect.TypeFor[time.Duration]()
	sizeType     = reflect.TypeFor[Size]()
)

// decoder reads YAML nodes into structs and notes where each field came from.
type decoder struct {
	file   string
	errors []error
	lines  map[string]int // of fields, by path
}

func (d *decoder) fail(n *yaml.Node, field, got, want string) {
	if len(d.errors) < maxErrors {
		d.errors = append(d.errors, &Error{d.file, n.Line, field, got, want})
	}
}

// shown is a node's value as an error shows it.
func shown(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	if n.Tag == "!!null" {
		return "nothing"
	}
	return fmt.Sprintf("%.60q", n.Value)
}

func (d *decoder) decode(n *yaml.Node, v reflect.Value, field string, allowed []string, depth int) {
	d.lines[field] = n.Line
	switch {
	case depth > maxDepth:
		d.fail(n, field, "a deeper nesting", fmt.Sprintf("at most %d levels", maxDepth))
		return
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		d.fail(n, field, "an anchor or alias", "the value itself")
		return
	}
	switch {
	case v.Type() == durationType:
		if t, err := time.ParseDuration(n.Value); n.Kind == yaml.ScalarNode && err == nil {
			v.SetInt(int64(t))
			return
		}
		d.fail(n, field, shown(n), "a time with its unit, such as 30s or 5m")
		return
	case v.Type() == sizeType:
		if s, ok := parseSize(n.Value); n.Kind == yaml.ScalarNode && ok {
			v.SetInt(int64(s))
			return
		}
		d.fail(n, field, shown(n), "a number of bytes, such as 4096, 64KiB or 16MiB")
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		d.decode(n, v.Elem(), field, allowed, depth)
	case reflect.Struct:
		d.decodeStruct(n, v, field, depth)
	case reflect.Map:
		d.decodeMap(n, v, field, depth)
	case reflect.Slice:
		if n.Kind != yaml.SequenceNode {
			d.fail(n, field, shown(n), "a list")
			return
		}
		for i, item := range n.Content {
			value := reflect.New(v.Type().Elem()).Elem()
			d.decode(item, value, fmt.Sprintf("%s[%d]", field, i), allowed, depth+1)
			if item.Kind == yaml.ScalarNode && value.Kind() == reflect.String && !isName(item.Value) {
				d.fail(item, fmt.Sprintf("%s[%d]", field, i), shown(item), wantName)
			}
			v.Set(reflect.Append(v, value))
		}
	default:
		d.decodeScalar(n, v, field, allowed)
	}
}

func (d *decoder) decodeScalar(n *yaml.Node, v reflect.Value, field string, allowed []string) {
	if n.Kind != yaml.ScalarNode {
		d.fail(n, field, shown(n), wanted(v.Kind()))
		return
	}
	ok := false
	switch v.Kind() {
	case reflect.Bool:
		if ok = n.Tag == "!!bool"; ok {
			v.SetBool(strings.EqualFold(n.Value, "true"))
		}
	case reflect.Int:
		i, err := strconv.Atoi(n.Value)
		if ok = err == nil && n.Tag == "!!int"; ok {
			v.SetInt(int64(i))
		}
	case reflect.Float64:
		f, err := strconv.ParseFloat(n.Value, 64)
		if ok = err == nil && (n.Tag == "!!int" || n.Tag == "!!float") && !math.IsNaN(f) && !math.IsInf(f, 0); ok {
			v.SetFloat(f)
		}
	case reflect.String:
		if ok = n.Tag != "!!null" && (len(allowed) == 0 || slices.Contains(allowed, n.Value)); ok {
			v.SetString(n.Value)
		}
	}
	if ok {
		return
	}
	want := wanted(v.Kind())
	if len(allowed) > 0 {
		want = strings.Join(allowed, ", ")
	}
	d.fail(n, field, shown(n), want)
}

// wanted is what a scalar of a kind is, as a person says it.
func wanted(k reflect.Kind) string {
	switch k {
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	}
	return "a text"
}

// pairs returns the keys and values of a mapping, each key once. A key without a value is an error and not
// an empty mapping: the rest of the file may be missing. empty says what {} means.
func (d *decoder) pairs(n *yaml.Node, field, empty string) (pairs [][2]*yaml.Node) {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		d.fail(n, field, shown(n), "a mapping, or {} for "+empty)
		return nil
	}
	if n.Kind != yaml.MappingNode {
		d.fail(n, field, shown(n), "a mapping")
		return nil
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		switch {
		case key.Kind != yaml.ScalarNode || key.Tag == "!!merge":
			d.fail(key, field, "a key that is no text", "a name")
		case seen[key.Value]:
			d.fail(key, join(field, key.Value), "the name a second time", "it once")
		default:
			seen[key.Value] = true
			pairs = append(pairs, [2]*yaml.Node{key, n.Content[i+1]})
		}
	}
	return pairs
}

func join(field, name string) string {
	if field == "" {
		return name
	}
	return field + "." + name
}

func (d *decoder) decodeStruct(n *yaml.Node, v reflect.Value, field string, depth int) {
	for _, pair := range d.pairs(n, field, "the defaults") {
		at := join(field, pair[0].Value)
		f, ok := fieldOf(v.Type(), pair[0].Value)
		if !ok {
			d.fail(pair[0], at, "an unknown name", "one of "+strings.Join(fieldNames(v.Type()), ", "))
			continue
		}
		d.decode(pair[1], v.FieldByIndex(f.Index), at, allowedOf(f), depth+1)
		if f.Tag.Get("name") != "" && pair[1].Kind == yaml.ScalarNode && pair[1].Tag == "!!str" && !isName(pair[1].Value) {
			d.fail(pair[1], at, shown(pair[1]), wantName)
		}
	}
}

func (d *decoder) decodeMap(n *yaml.Node, v reflect.Value, field string, depth int) {
	for _, pair := range d.pairs(n, field, "none") {
		if !isName(pair[0].Value) && !strings.HasSuffix(field, "].arguments") { // those are JSON Pointers
			d.fail(pair[0], field, fmt.Sprintf("the name %.60q", pair[0].Value), wantName)
		}
		value := reflect.New(v.Type().Elem()).Elem()
		d.decode(pair[1], value, join(field, pair[0].Value), nil, depth+1)
		if v.IsNil() {
			v.Set(reflect.MakeMap(v.Type()))
		}
		v.SetMapIndex(reflect.ValueOf(pair[0].Value), value)
	}
}

// wantName is what a name in a file is.
const wantName = "a name without blanks at its ends"

// isName reports whether a text can be the name of something: one that has blanks at its ends is misspelt.
func isName(s string) bool { return s != "" && strings.TrimSpace(s) == s }

// allowedOf are the values that a field's tag lists.
func allowedOf(f reflect.StructField) []string {
	if list := f.Tag.Get("allowed"); list != "" {
		return strings.Split(list, ",")
	}
	return nil
}

// fields are the fields a file can set: those of embedded structs are the struct's own.
func fields(t reflect.Type) (all []reflect.StructField) {
	for _, f := range reflect.VisibleFields(t) {
		if !f.Anonymous && f.IsExported() {
			all = append(all, f)
		}
	}
	return all
}

func fieldOf(t reflect.Type, name string) (reflect.StructField, bool) {
	for _, f := range fields(t) {
		if f.Tag.Get("yaml") == name {
			return f, true
		}
	}
	return reflect.StructField{}, false
}

func fieldNames(t reflect.Type) (names []string) {
	for _, f := range fields(t) {
		names = append(names, f.Tag.Get("yaml"))
	}
	return names
}
