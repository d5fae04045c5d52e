// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package expression

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// An Error says what is wrong with a value. Path is the place within it, such as .headers[2], "" for all of it.
type Error struct{ Path, Got, Want string }

// Error is "PATH: got X, want Y".
func (e *Error) Error() string {
	text := "got " + e.Got
	if e.Path != "" {
		text = strings.TrimPrefix(e.Path, ".") + ": " + text
	}
	if e.Want != "" {
		text += ", want " + e.Want
	}
	return text
}

// A Scope is what values may refer to.
type Scope struct {
	Names     []string // top-level names, such as input, item and the ids of earlier steps
	Variables []string // members of var
	// Unknown describes a name that is not among Names, such as that of a later step; nil, and "", add nothing.
	Unknown func(name string) string
	// Members are the members of a name's value; nil, and a nil list, do not know them.
	Members func(name string) []string
}

// A Value is a compiled value. Safe for concurrent use.
type Value struct {
	literal any
	dynamic func(env map[string]any) (any, error) // nil for a literal
	names   []string
	bare    bool // whether the whole value is a path or an expression
}

// Compile compiles a value of JSON: nil, bool, int, float64, string, []any or map[string]any. A text that begins with
// $ is a path or, with ${, an expression; $$ stands for a dollar sign. Texts within lists and maps count as well.
func Compile(v any, scope Scope) (*Value, error) { return compile(v, scope, "") }

// Literal is the value v itself.
func Literal(v any) *Value { return &Value{literal: v} }

func compile(v any, scope Scope, at string) (*Value, error) {
	switch v := v.(type) {
	case string:
		return compileText(v, scope, at)
	case []any:
		return compileList(v, scope, at)
	case map[string]any:
		return compileMap(v, scope, at)
	case nil, bool, int, float64:
		return Literal(v), nil
	}
	clean, err := Normalise(v)
	if err != nil {
		return nil, &Error{at, fmt.Sprintf("a %T", v), "a value of JSON"}
	}
	if n, ok := clean.(json.Number); ok { // beyond what an int holds
		return Literal(n), nil
	}
	return compile(clean, scope, at)
}

func compileText(text string, scope Scope, at string) (*Value, error) {
	switch {
	case strings.HasPrefix(text, "$$"):
		return Literal(text[1:]), nil
	case strings.HasPrefix(text, "${"):
		source, ok := strings.CutSuffix(strings.TrimSpace(text[2:]), "}")
		if !ok {
			return nil, &Error{at, fmt.Sprintf("%.60q", text), "one expression that ends with }"}
		}
		return compileExpression(source, scope, at)
	case strings.HasPrefix(text, "$"):
		return compilePath(text, scope, at)
	case strings.Contains(text, "${"):
		return nil, &Error{at, fmt.Sprintf("%.60q, which has ${ within a text", text),
			"one expression for the whole text, such as ${ 'a ' + input.b }; quote a literal ${ in it"}
	}
	return Literal(text), nil
}

func compileList(list []any, scope Scope, at string) (*Value, error) {
	parts := make([]*Value, len(list))
	all := &Value{}
	for i, element := range list {
		part, err := compile(element, scope, fmt.Sprintf("%s[%d]", at, i))
		if err != nil {
			return nil, err
		}
		parts[i] = part
		all.join(part)
	}
	return all.computed(func(env map[string]any) (any, error) {
		out := make([]any, len(parts))
		for i, part := range parts {
			var err error
			if out[i], err = part.Eval(env); err != nil {
				return nil, fmt.Errorf("[%d]: %w", i, err)
			}
		}
		return out, nil
	}), nil
}

func compileMap(m map[string]any, scope Scope, at string) (*Value, error) {
	keys := slices.Sorted(maps.Keys(m))
	parts := make([]*Value, len(keys))
	all := &Value{}
	for i, key := range keys {
		part, err := compile(m[key], scope, at+"."+key)
		if err != nil {
			return nil, err
		}
		parts[i] = part
		all.join(part)
	}
	return all.computed(func(env map[string]any) (any, error) {
		out := make(map[string]any, len(keys))
		for i, key := range keys {
			value, err := parts[i].Eval(env)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", key, err)
			}
			out[key] = value
		}
		return out, nil
	}), nil
}

// computed is a value that eval makes of parts that were joined: a literal if all parts are.
func (v *Value) computed(eval func(map[string]any) (any, error)) *Value {
	if v.dynamic != nil {
		v.dynamic = eval
	} else {
		v.literal, _ = eval(nil) // of literals, which have no errors
	}
	return v
}

// join makes v depend on what a part of it depends on.
func (v *Value) join(part *Value) {
	if part.dynamic != nil {
		v.dynamic, v.names = part.dynamic, append(v.names, part.names...)
	}
}

// Eval returns the value. env has the names of the scope. What it returns must not be changed.
func (v *Value) Eval(env map[string]any) (any, error) {
	if v.dynamic == nil {
		return v.literal, nil
	}
	out, err := v.dynamic(env)
	if err != nil {
		return nil, err
	}
	return Normalise(out)
}

// Bare reports whether the whole value is a path or an expression.
func (v *Value) Bare() bool { return v.bare }

// Names are the top-level names that the value depends on, sorted.
func (v *Value) Names() []string {
	names := slices.Sorted(slices.Values(v.names))
	return slices.Compact(names)
}
