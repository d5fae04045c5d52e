// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redactfile

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/toolscope/toolscope/redact"
)

// A reader turns the nodes of a file into options.
type reader struct {
	file    string
	options redact.Options
	errors  []error
}

// fail notes what is wrong with a node.
func (r *reader) fail(n *yaml.Node, field, format string, args ...any) {
	if len(r.errors) < maxErrors {
		r.errors = append(r.errors, &Error{r.file, n.Line, field, fmt.Sprintf(format, args...)})
	}
}

// set changes a field of the options. It checks the value on its own first, so that an error has
// the line of its node.
func (r *reader) set(n *yaml.Node, field string, change func(*redact.Options)) {
	var alone redact.Options
	change(&alone)
	if _, err := redact.New(alone); err != nil {
		text := strings.TrimPrefix(err.Error(), "redact: ")
		if name, rest, ok := strings.Cut(text, ": "); ok && strings.HasPrefix(name, "Options.") {
			text = rest
			if _, inner, ok := strings.Cut(strings.TrimPrefix(name, "Options."), "."); ok {
				text = inner + ": " + rest
			}
		}
		r.fail(n, field, "%s", text)
		return
	}
	change(&r.options)
}

// members calls the function of each member's name; others are errors, as are names
// that come twice.
func (r *reader) members(n *yaml.Node, field string, of map[string]func(v *yaml.Node, field string)) {
	if n.Kind != yaml.MappingNode {
		r.fail(n, field, "got %s, want a mapping", shown(n))
		return
	}
	seen := make(map[string]bool)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		name := key.Value
		if field != "" {
			name = field + "." + name
		}
		read, ok := of[key.Value]
		switch {
		case !ok:
			r.fail(key, field, "got the name %.40q, want one of %s", key.Value, names(of))
		case seen[key.Value]:
			r.fail(key, name, "comes twice, want it once")
		default:
			read(value, name)
		}
		seen[key.Value] = true
	}
}

// items calls do for each item of a list.
func (r *reader) items(n *yaml.Node, field string, do func(v *yaml.Node, field string)) {
	if n.Kind != yaml.SequenceNode {
		r.fail(n, field, "got %s, want a list", shown(n))
		return
	}
	for i, v := range n.Content {
		do(v, field+"["+strconv.Itoa(i)+"]")
	}
}

// text is a scalar's text. ok is false, and told, if it is none.
func (r *reader) text(n *yaml.Node, field string) (v string, ok bool) {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		r.fail(n, field, "got %s, want a text", shown(n))
		return "", false
	}
	return n.Value, true
}

// texts reads a list of texts into a field.
func (r *reader) texts(of func(*redact.Options) *[]string) func(n *yaml.Node, field string) {
	return func(n *yaml.Node, field string) {
		r.items(n, field, func(v *yaml.Node, field string) {
			if text, ok := r.text(v, field); ok {
				r.set(v, field, func(o *redact.Options) { list := of(o); *list = append(*list, text) })
			}
		})
	}
}

// number reads a whole number.
func (r *reader) number(to *int) func(n *yaml.Node, field string) {
	return func(n *yaml.Node, field string) {
		v, err := strconv.Atoi(n.Value)
		if n.Kind != yaml.ScalarNode || err != nil {
			r.fail(n, field, "got %s, want a whole number", shown(n))
			return
		}
		*to = v
	}
}

// key reads the name of the environment variable that holds the key of tags.
func (r *reader) key(n *yaml.Node, field string) []byte {
	name, ok := r.text(n, field)
	if !ok {
		return nil
	}
	value := os.Getenv(name)
	if value == "" {
		r.fail(n, field, "got %.60q, which the environment does not have, want the name of a variable that holds the key", name)
	}
	return []byte(value)
}

// shown is a node as an error shows it.
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
