// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package strictyaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

const (
	maxSize   = 1 << 20 // bytes of a file
	maxDepth  = 32      // levels of a file
	maxErrors = 20      // reported for one file
)

// A Reader says what files look like. It reads fields of the kinds bool, int, float64 and string,
// of uint8 with the tag allowed, of the Types, and structs, pointers, slices and maps from strings of them. A field of type any
// takes any value: nil, bool, int, float64, string, []any or map[string]any. The zero value is ready for use.
type Reader struct {
	// Types are further types of single values.
	Types map[reflect.Type]Scalar
	// Units are forms of whole numbers by the tag unit of their fields, such as sizes in bytes. Parse returns an int.
	Units map[string]Scalar
	// Empty is what an error wants in place of an empty file; "" allows one.
	Empty string
	// SingleTexts allows a text where a list of texts is wanted.
	SingleTexts bool
	// KeepEmpty makes an empty slice or map of [] and {}. By default they are nil.
	KeepEmpty bool
	// Names refuses keys of mappings and texts in lists that are empty or have blanks at their ends.
	Names bool
	// Sections are further fields of the top level: pointers to structs, by name.
	Sections map[string]any
	// UnknownSection describes an unknown field of the top level that is similar to none; nil
	// lists the known ones.
	UnknownSection func(name string) (got, want string)
}

// A Scalar describes a type of single values.
type Scalar struct {
	Want  string                        // for errors: "a time with its unit, such as 30s"
	Tag   string                        // the YAML tag it must have, such as !!bool; "" is any but !!null
	Parse func(text string) (any, bool) // returns a value of the type, false if the text is none
}

// Enum is a type whose values have names.
func Enum[V any](byName map[string]V) Scalar {
	return Scalar{Want: Or(slices.Sorted(maps.Keys(byName))...), Parse: func(text string) (any, bool) {
		v, ok := byName[text]
		return v, ok
	}}
}

// A Document is what was read, and where.
type Document struct {
	// Lines are those of the values of fields, by path. A path that is missing is not in the file.
	Lines  map[string]int
	file   string
	errors []*Error
}

// ReadFile returns the text of a file for [Reader.Read], which refuses one that is too large.
func ReadFile(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxSize+1))
}

// Read reads text into the struct that into points to; file is its name in errors. The document
// is never nil. Errors are in [Document.Err].
func (r Reader) Read(file string, text []byte, into any) *Document {
	d := &Document{Lines: map[string]int{}, file: file}
	if root := d.parse(text, r.Empty); root != nil {
		(&decoder{r, d}).decodeRoot(root, reflect.ValueOf(into).Elem())
	}
	return d
}

// parse returns the one document of a text, nil if there is none or its structure is not allowed.
func (d *Document) parse(text []byte, empty string) *yaml.Node {
	if len(text) > maxSize {
		d.fail(0, "", fmt.Sprintf("%d bytes", len(text)), fmt.Sprintf("at most %d", maxSize))
		return nil
	}
	var doc, more yaml.Node
	documents := yaml.NewDecoder(bytes.NewReader(text))
	err := documents.Decode(&doc)
	if err == io.EOF {
		if empty != "" {
			d.fail(0, "", "an empty file", empty)
		}
		return nil
	}
	if err == nil {
		err = documents.Decode(&more)
	}
	root := &doc
	if len(doc.Content) > 0 {
		root = doc.Content[0]
	}
	switch {
	case err == nil:
		d.fail(more.Line, "", "a second document", "one")
	case err != io.EOF:
		d.failSyntax(err)
	case root.Tag == "!!null":
		if empty != "" {
			d.fail(root.Line, "", "an empty document", empty)
		}
	case d.checkStructure(root, "", 0):
		return root
	}
	return nil
}

// checkStructure refuses what makes a small file large or endless, and what no field needs.
func (d *Document) checkStructure(n *yaml.Node, field string, depth int) bool {
	standard := n.Tag == "" || strings.HasPrefix(n.Tag, "!!") && n.Tag != "!!binary"
	switch {
	case depth > maxDepth:
		d.fail(n.Line, field, "a deeper nesting", fmt.Sprintf("at most %d levels", maxDepth))
		return false
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		d.fail(n.Line, field, "an anchor or alias", "the value itself")
		return false
	case !standard:
		d.fail(n.Line, field, fmt.Sprintf("the tag %.40q", n.Tag), "none")
		return false
	}
	for i, c := range n.Content {
		at := fmt.Sprintf("%s[%d]", field, i)
		if n.Kind == yaml.MappingNode {
			at = join(field, n.Content[i&^1].Value)
		}
		if !d.checkStructure(c, at, depth+1) {
			return false
		}
	}
	return true
}

func (d *Document) fail(line int, field, got, want string) {
	if len(d.errors) < maxErrors {
		d.errors = append(d.errors, &Error{d.file, line, field, got, want})
	}
}

func (d *Document) failSyntax(err error) {
	if e := (*yaml.LoadError)(nil); errors.As(err, &e) {
		d.fail(e.Mark.Line, "", "not YAML: "+e.Message, "")
		return
	}
	d.fail(0, "", "not YAML: "+strings.TrimPrefix(err.Error(), "yaml: "), "")
}

// Fail adds an error about a field, at its line, unless the field has one. Without want, got is the whole message.
func (d *Document) Fail(field, got, want string) {
	if !slices.ContainsFunc(d.errors, func(e *Error) bool { return e.Field == field }) {
		d.fail(d.Line(field), field, got, want)
	}
}

// Has reports whether the file has the field.
func (d *Document) Has(field string) bool { _, ok := d.Lines[field]; return ok }

// Line is the line of the field, or of the nearest one around it.
func (d *Document) Line(field string) int {
	for field != "" && !d.Has(field) {
		field = field[:max(0, strings.LastIndexAny(field, ".["))]
	}
	return max(1, d.Lines[field])
}

// Err joins the errors, at most 20, each an [*Error], in the order of their lines; nil if there are none.
func (d *Document) Err() error {
	slices.SortStableFunc(d.errors, func(a, b *Error) int { return a.Line - b.Line })
	all := make([]error, len(d.errors))
	for i, e := range d.errors {
		all[i] = e
	}
	return errors.Join(all...)
}
