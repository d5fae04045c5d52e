// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package permit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/toolscope/toolscope/toolkit"
)

const (
	maxFile      = 1 << 20 // bytes
	maxFileDepth = 16
	maxErrors    = 20
)

// A FileError is one thing that is wrong in a file of rules.
type FileError struct {
	File  string // the name given; "" if none
	Line  int    // from 1; 0 if it is about the whole file
	Field string // "rules[2].effect"; "" if it is about the whole file
	Text  string // what was got and what is wanted
}

// Error is file, line, field and text.
func (e *FileError) Error() string {
	file, field := e.File, e.Field
	if file == "" {
		file = "rules"
	}
	if e.Line > 0 {
		file = fmt.Sprintf("%s:%d", file, e.Line)
	}
	if field != "" {
		field += ": "
	}
	return file + ": " + field + e.Text
}

// Load reads and compiles a file of rules. Errors are those of [Parse].
func Load(name string) (*Rules, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("permit: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("permit: %w", err)
	}
	return Parse(name, text)
}

// Parse compiles rules in YAML; name is for errors. What is wrong is a [*FileError], or
// several joined (at most 20). Anchors, aliases, tags of one's own and unknown fields are refused.
func Parse(name string, text []byte) (*Rules, error) {
	d := &yamlReader{file: name, lines: map[string]int{}}
	spec := d.read(text)
	if d.errs != nil {
		return nil, errors.Join(d.errs...)
	}
	rules, err := Compile(spec)
	if e := (*SpecError)(nil); errors.As(err, &e) {
		field := e.Field
		if e.Rule >= 0 {
			field = fmt.Sprintf("rules[%d].%s", e.Rule, e.Field)
		}
		return nil, &FileError{name, d.line(field), field, e.Text}
	}
	return rules, err
}

// yamlReader turns YAML nodes into a spec.
type yamlReader struct {
	file  string
	errs  []error
	lines map[string]int // of fields
}

// line is the line of the field, or of the nearest one around it.
func (d *yamlReader) line(field string) int {
	for {
		if n, ok := d.lines[field]; ok {
			return n
		}
		i := strings.LastIndexAny(field, ".[")
		if i < 0 {
			return 1
		}
		field = field[:i]
	}
}

func (d *yamlReader) fail(line int, field, format string, args ...any) {
	if len(d.errs) < maxErrors {
		d.errs = append(d.errs, &FileError{d.file, line, field, fmt.Sprintf(format, args...)})
	}
}

func (d *yamlReader) read(text []byte) (spec Spec) {
	if len(text) > maxFile {
		d.fail(0, "", "got a file of more than %d bytes, want a smaller one", maxFile)
		return spec
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var document, more yaml.Node
	switch err := decoder.Decode(&document); {
	case err == io.EOF:
		d.fail(0, "", "got an empty file, want rules, or {} for the built-in rules alone")
		return spec
	case err != nil:
		d.fail(0, "", "not YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
		return spec
	}
	if decoder.Decode(&more) != io.EOF {
		d.fail(more.Line, "", "got several documents, want one")
		return spec
	}
	if len(document.Content) != 1 || !d.plain(document.Content[0], 0) {
		return spec
	}
	root := document.Content[0]
	if root.Tag == "!!null" {
		d.fail(root.Line, "", "got an empty document, want rules, or {} for the built-in rules alone")
		return spec
	}
	d.mapping(root, "", map[string]func(*yaml.Node, string){
		"version": func(n *yaml.Node, f string) {
			if n.Value != "1" {
				d.fail(n.Line, f, "got %.20q, want 1", n.Value)
			}
		},
		"enforce":   func(n *yaml.Node, f string) { spec.Shadow = !d.boolean(n, f) },
		"default":   func(n *yaml.Node, f string) { spec.Default = d.effect(n, f) },
		"builtin":   func(n *yaml.Node, f string) { spec.NoBuiltin = !d.boolean(n, f) },
		"workspace": func(n *yaml.Node, f string) { spec.Workspace = d.list(n, f) },
		"shells": func(n *yaml.Node, f string) {
			spec.Shells = map[string]string{}
			d.strings(n, f, spec.Shells)
		},
		"rules": func(n *yaml.Node, f string) {
			if n.Kind != yaml.SequenceNode {
				d.fail(n.Line, f, "got %s, want a list of rules", kindOf(n))
				return
			}
			for i, item := range n.Content {
				field := fmt.Sprintf("rules[%d]", i)
				d.lines[field] = item.Line
				spec.Rules = append(spec.Rules, d.rule(item, field))
			}
		},
	})
	return spec
}

func (d *yamlReader) rule(n *yaml.Node, field string) (r Rule) {
	d.mapping(n, field+".", map[string]func(*yaml.Node, string){
		"name":       func(n *yaml.Node, f string) { r.Name = d.text(n, f) },
		"effect":     func(n *yaml.Node, f string) { r.Effect = d.effect(n, f) },
		"tools":      func(n *yaml.Node, f string) { r.Tools = d.list(n, f) },
		"categories": func(n *yaml.Node, f string) { r.Categories = d.list(n, f) },
		"risks": func(n *yaml.Node, f string) {
			for _, s := range d.list(n, f) {
				r.Risks = append(r.Risks, toolkit.Risk(s))
			}
		},
		"read_only":   func(n *yaml.Node, f string) { r.ReadOnly = toolkit.HintOf(d.boolean(n, f)) },
		"idempotent":  func(n *yaml.Node, f string) { r.Idempotent = toolkit.HintOf(d.boolean(n, f)) },
		"destructive": func(n *yaml.Node, f string) { r.Destructive = toolkit.HintOf(d.boolean(n, f)) },
		"open_world":  func(n *yaml.Node, f string) { r.OpenWorld = toolkit.HintOf(d.boolean(n, f)) },
		"when":        func(n *yaml.Node, f string) { r.When = d.text(n, f) },
		"where": func(n *yaml.Node, f string) {
			r.Where = map[string]string{}
			d.strings(n, f, r.Where)
		},
		"paths": func(n *yaml.Node, f string) {
			r.Paths = &Paths{}
			d.mapping(n, f+".", map[string]func(*yaml.Node, string){
				"arguments": func(n *yaml.Node, f string) { r.Paths.Arguments = d.list(n, f) },
				"inside":    func(n *yaml.Node, f string) { r.Paths.Inside = d.boolean(n, f) },
				"outside":   func(n *yaml.Node, f string) { r.Paths.Outside = d.boolean(n, f) },
			})
		},
		"shell": func(n *yaml.Node, f string) {
			r.Shell = &Shell{}
			d.mapping(n, f+".", map[string]func(*yaml.Node, string){
				"prefix":    func(n *yaml.Node, f string) { r.Shell.Prefix = d.list(n, f) },
				"programs":  func(n *yaml.Node, f string) { r.Shell.Programs = d.list(n, f) },
				"arguments": func(n *yaml.Node, f string) { r.Shell.Arguments = d.list(n, f) },
				"writes":    func(n *yaml.Node, f string) { r.Shell.Writes = d.list(n, f) },
			})
		},
		"for_model":  func(n *yaml.Node, f string) { r.ForModel = d.text(n, f) },
		"for_person": func(n *yaml.Node, f string) { r.ForPerson = d.text(n, f) },
		"expires":    func(n *yaml.Node, f string) { r.Expires = d.time(n, f) },
	})
	return r
}

// plain refuses what makes a small file large or endless, and is not needed here.
func (d *yamlReader) plain(n *yaml.Node, depth int) bool {
	switch {
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		d.fail(n.Line, "", "got an anchor or an alias, want the values written out")
		return false
	case depth > maxFileDepth:
		d.fail(n.Line, "", "got a file nested deeper than %d", maxFileDepth)
		return false
	case n.Tag == "!!merge" || strings.HasPrefix(n.Tag, "!") && !strings.HasPrefix(n.Tag, "!!") || n.Tag == "!!binary":
		d.fail(n.Line, "", "got the tag %.40q, want none", n.Tag)
		return false
	}
	for _, c := range n.Content {
		if !d.plain(c, depth+1) {
			return false
		}
	}
	return true
}

// mapping calls the reader of each field.
func (d *yamlReader) mapping(n *yaml.Node, prefix string, fields map[string]func(*yaml.Node, string)) {
	if n.Kind != yaml.MappingNode {
		d.fail(n.Line, strings.TrimSuffix(prefix, "."), "got %s, want a mapping of fields", kindOf(n))
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		name := key.Value
		switch read := fields[name]; {
		case read == nil:
			d.fail(key.Line, prefix+clipped(name), "got a field that is not known, want %s", known(fields))
		case seen[name]:
			d.fail(key.Line, prefix+name, "got the field twice, want it once")
		default:
			seen[name] = true
			d.lines[prefix+name] = value.Line
			read(value, prefix+name)
		}
	}
}

func (d *yamlReader) text(n *yaml.Node, field string) string {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		d.fail(n.Line, field, "got %s, want a text", kindOf(n))
	}
	return n.Value
}

func (d *yamlReader) boolean(n *yaml.Node, field string) bool {
	var b bool
	if n.Kind != yaml.ScalarNode || n.Tag != "!!bool" || n.Decode(&b) != nil {
		d.fail(n.Line, field, "got %s, want true or false", kindOf(n))
	}
	return b
}

func (d *yamlReader) effect(n *yaml.Node, field string) Effect {
	for e := Allow; e <= Deny; e++ {
		if n.Kind == yaml.ScalarNode && n.Value == e.String() {
			return e
		}
	}
	d.fail(n.Line, field, "got %s, want allow, ask or deny", kindOf(n))
	return Deny
}

// list is a list of texts, or a single one.
func (d *yamlReader) list(n *yaml.Node, field string) []string {
	if n.Kind == yaml.ScalarNode {
		return []string{d.text(n, field)}
	}
	if n.Kind != yaml.SequenceNode {
		d.fail(n.Line, field, "got %s, want a text or a list of texts", kindOf(n))
		return nil
	}
	list := []string{}
	for i, c := range n.Content {
		list = append(list, d.text(c, fmt.Sprintf("%s[%d]", field, i)))
	}
	return list
}

func (d *yamlReader) strings(n *yaml.Node, field string, into map[string]string) {
	if n.Kind != yaml.MappingNode {
		d.fail(n.Line, field, "got %s, want a mapping of texts", kindOf(n))
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		into[n.Content[i].Value] = d.text(n.Content[i+1], field+"["+clipped(n.Content[i].Value)+"]")
	}
}

func (d *yamlReader) time(n *yaml.Node, field string) time.Time {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, n.Value); err == nil && n.Kind == yaml.ScalarNode {
			return t
		}
	}
	d.fail(n.Line, field, "got %s, want a date (2030-12-31) or a time (2030-12-31T18:00:00Z)", kindOf(n))
	return time.Time{}
}

// kindOf says what a node is, for errors.
func kindOf(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a mapping"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Tag == "!!null":
		return "nothing"
	}
	return fmt.Sprintf("%q", clipped(n.Value))
}

func clipped(s string) string {
	if len(s) > 40 {
		return strings.ToValidUTF8(s[:40], "") + "…"
	}
	return s
}

func known(fields map[string]func(*yaml.Node, string)) string {
	names := slices.Sorted(maps.Keys(fields))
	return "one of " + strings.Join(names, ", ")
}
