// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package data

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/internal/arg"
)

const maxChanges = 1000

// patchOperation is one operation as it is read; Value is nil if there is none.
type patchOperation struct {
	Op    string
	Path  *string
	From  *string
	Value json.RawMessage
}

// patchJSON applies a patch (RFC 6902): all of its operations or none.
func (t *Toolset) patchJSON(ctx context.Context, doc any, text []byte) (string, error) {
	var list []patchOperation
	if err := json.Unmarshal(text, &list); err != nil {
		return "", arg.Invalid("other", "no list of operations", `a patch such as [{"op": "add", "path": "/a", "value": 1}]`)
	}
	if len(list) > maxChanges {
		return "", arg.Invalid("other", fmt.Sprintf("%d operations", len(list)), fmt.Sprintf("at most %d", maxChanges))
	}
	for i, o := range list {
		var err error
		if doc, err = o.apply(doc); err != nil {
			return "", &toolkit.Error{Kind: toolkit.ErrInvalidArguments,
				Message: fmt.Sprintf("other[%d]: %s; nothing is changed", i, err)}
		}
		if ctx.Err() != nil {
			return "", &toolkit.Error{Kind: toolkit.ErrTimeout, Message: "the patch takes too long", Cause: ctx.Err()}
		}
		// Copies can double a document again and again.
		if o.Op == "copy" && roughSize(doc, 4*t.options.MaxOutput) > 4*t.options.MaxOutput {
			return "", t.tooLong("more")
		}
	}
	return arg.JSON(doc)
}

func (o patchOperation) apply(doc any) (any, error) {
	path, err := pointer("path", o.Path)
	if err != nil {
		return nil, err
	}
	switch o.Op {
	case "remove":
		doc, err = edited(doc, path, removing)
		return doc, err
	case "move", "copy":
		from, err := pointer("from", o.From)
		if err != nil {
			return nil, err
		}
		v, err := lookUp(doc, from)
		if err != nil {
			return nil, err
		}
		if o.Op == "move" {
			if len(path) > len(from) && slices.Equal(path[:len(from)], from) {
				return nil, fmt.Errorf("path: got a place inside of from, want one outside")
			}
			if doc, err = edited(doc, from, removing); err != nil {
				return nil, err
			}
		}
		doc, err = edited(doc, path, adding(v))
		return doc, err
	case "add", "replace", "test":
	default:
		return nil, fmt.Errorf("op: got %.40q, want add, remove, replace, move, copy or test", o.Op)
	}
	if o.Value == nil {
		return nil, fmt.Errorf("value: got none, want one for %s", o.Op)
	}
	v, err := parseJSON("value", string(o.Value))
	if err != nil {
		return nil, fmt.Errorf("value: it is no JSON")
	}
	switch o.Op {
	case "add":
		doc, err = edited(doc, path, adding(v))
	case "replace":
		doc, err = edited(doc, path, replacing(v))
	case "test":
		var is any
		if is, err = lookUp(doc, path); err == nil && !equalJSON(is, v) {
			err = fmt.Errorf("the test of %.100q failed", *o.Path)
		}
	}
	return doc, err
}

// pointer splits a JSON pointer (RFC 6901); nil is the whole document.
func pointer(field string, text *string) ([]string, error) {
	switch {
	case text == nil:
		return nil, fmt.Errorf("%s: got none, want a JSON pointer", field)
	case *text == "":
		return nil, nil
	case (*text)[0] != '/' || strings.Count(*text, "/") > maxDepth:
		return nil, fmt.Errorf("%s: got %.100q, want a JSON pointer such as /a/0", field, *text)
	}
	parts := strings.Split((*text)[1:], "/")
	for i, p := range parts {
		parts[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(p)
	}
	return parts, nil
}

func lookUp(doc any, path []string) (any, error) {
	for i, part := range path {
		switch v := doc.(type) {
		case map[string]any:
			w, ok := v[part]
			if !ok {
				return nil, missing(path[:i+1])
			}
			doc = w
		case []any:
			at, err := place(part, len(v)-1)
			if err != nil {
				return nil, err
			}
			doc = v[at]
		default:
			return nil, missing(path[:i+1])
		}
	}
	return doc, nil
}

func missing(path []string) error {
	return fmt.Errorf("there is nothing at %.100q", "/"+strings.Join(path, "/"))
}

// place reads an index of an array: digits without zeros before them.
func place(part string, last int) (int, error) {
	n, err := strconv.Atoi(part)
	if err != nil || n < 0 || n > last || strconv.Itoa(n) != part {
		return 0, fmt.Errorf("got the index %.40q, want one from 0 to %d", part, last)
	}
	return n, nil
}

// edit is what is done at the end of a path.
type edit struct {
	object func(m map[string]any, key string) error
	array  func(list []any, part string) ([]any, error)
	whole  func(doc any) any
}

func adding(v any) edit {
	return edit{
		func(m map[string]any, key string) error { m[key] = v; return nil },
		func(list []any, part string) ([]any, error) {
			if part == "-" {
				return append(list, v), nil
			}
			at, err := place(part, len(list))
			if err != nil {
				return nil, err
			}
			return slices.Insert(list, at, v), nil
		},
		func(any) any { return v },
	}
}

func replacing(v any) edit {
	return edit{
		func(m map[string]any, key string) error {
			if _, ok := m[key]; !ok {
				return missing([]string{key})
			}
			m[key] = v
			return nil
		},
		func(list []any, part string) ([]any, error) {
			at, err := place(part, len(list)-1)
			if err == nil {
				list[at] = v
			}
			return list, err
		},
		func(any) any { return v },
	}
}

var removing = edit{
	func(m map[string]any, key string) error {
		if _, ok := m[key]; !ok {
			return missing([]string{key})
		}
		delete(m, key)
		return nil
	},
	func(list []any, part string) ([]any, error) {
		at, err := place(part, len(list)-1)
		if err != nil {
			return nil, err
		}
		return slices.Delete(list, at, at+1), nil
	},
	func(any) any { return nil },
}

// edited makes one edit. It copies what it changes, so that a value that stands at
// several places stays the same at the others.
func edited(doc any, path []string, e edit) (any, error) {
	if len(path) == 0 {
		return e.whole(doc), nil
	}
	switch v := doc.(type) {
	case map[string]any:
		v = maps.Clone(v)
		if len(path) == 1 {
			return v, e.object(v, path[0])
		}
		below, ok := v[path[0]]
		if !ok {
			return nil, missing(path[:1])
		}
		changed, err := edited(below, path[1:], e)
		v[path[0]] = changed
		return v, err
	case []any:
		v = slices.Clone(v)
		if len(path) == 1 {
			return e.array(v, path[0])
		}
		at, err := place(path[0], len(v)-1)
		if err != nil {
			return nil, err
		}
		v[at], err = edited(v[at], path[1:], e)
		return v, err
	}
	return nil, missing(path[:1])
}

// mergePatch applies a merge patch (RFC 7396): members of the patch replace those of the
// document, and null removes them.
func mergePatch(doc, patch any) any {
	p, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	target, ok := doc.(map[string]any)
	if !ok {
		target = make(map[string]any)
	}
	for k, v := range p {
		if v == nil {
			delete(target, k)
		} else {
			target[k] = mergePatch(target[k], v)
		}
	}
	return target
}
