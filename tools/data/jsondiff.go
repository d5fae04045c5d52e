// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package data

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cockroachdb/apd/v3"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/internal/arg"
)

// change is one operation of RFC 6902: add, remove or replace. Old is for readers and not
// part of it.
type change struct {
	Op, Path   string
	Value, Old any
}

// MarshalJSON writes the value of those that have one, null included.
func (c change) MarshalJSON() ([]byte, error) {
	if c.Op == "remove" {
		return json.Marshal(map[string]string{"op": c.Op, "path": c.Path})
	}
	text, err := arg.JSON(struct {
		Op    string `json:"op"`
		Path  string `json:"path"`
		Value any    `json:"value"`
	}{c.Op, c.Path, c.Value})
	return []byte(text), err
}

// diffJSON tells how one document becomes another: as a patch (RFC 6902), or line
// by line for readers.
func (t *Toolset) diffJSON(a, b any, style string) (string, error) {
	changes := compareJSON(nil, "", a, b)
	switch style {
	case "", "patch":
		if changes == nil {
			changes = []change{}
		}
		return arg.JSON(changes)
	case "readable":
	default:
		return "", arg.Invalid("style", fmt.Sprintf("%.40q", style), "patch or readable")
	}
	if len(changes) == 0 {
		return "the documents are equal", nil
	}
	var s strings.Builder
	for _, c := range changes {
		old, err1 := arg.JSON(c.Old)
		value, err2 := arg.JSON(c.Value)
		if err1 != nil || err2 != nil {
			return "", &toolkit.Error{Kind: toolkit.ErrTool, Message: "a change cannot be written"}
		}
		path := c.Path
		if path == "" {
			path = "(the whole)"
		}
		switch c.Op {
		case "add":
			fmt.Fprintf(&s, "+ %s: %s\n", path, value)
		case "remove":
			fmt.Fprintf(&s, "- %s: %s\n", path, old)
		default:
			fmt.Fprintf(&s, "~ %s: %s -> %s\n", path, old, value)
		}
		if s.Len() > t.options.MaxOutput {
			return "", t.tooLong("more")
		}
	}
	return strings.TrimSuffix(s.String(), "\n"), nil
}

// compareJSON lists the changes below a path. Arrays are compared after what is alike at
// their beginnings and ends is left aside, place by place.
func compareJSON(changes []change, path string, a, b any) []change {
	if equalJSON(a, b) {
		return changes
	}
	switch a := a.(type) {
	case map[string]any:
		if b, ok := b.(map[string]any); ok {
			return compareObjects(changes, path, a, b)
		}
	case []any:
		if b, ok := b.([]any); ok {
			return compareArrays(changes, path, a, b)
		}
	}
	return append(changes, change{Op: "replace", Path: path, Value: b, Old: a})
}

func compareObjects(changes []change, path string, a, b map[string]any) []change {
	for _, k := range sortedKeys(a) {
		at := path + "/" + escapePointer(k)
		if w, ok := b[k]; ok {
			changes = compareJSON(changes, at, a[k], w)
		} else {
			changes = append(changes, change{Op: "remove", Path: at, Old: a[k]})
		}
	}
	for _, k := range sortedKeys(b) {
		if _, ok := a[k]; !ok {
			changes = append(changes, change{Op: "add", Path: path + "/" + escapePointer(k), Value: b[k]})
		}
	}
	return changes
}

func compareArrays(changes []change, path string, a, b []any) []change {
	start, aEnd, bEnd := 0, len(a), len(b)
	for start < aEnd && start < bEnd && equalJSON(a[start], b[start]) {
		start++
	}
	for aEnd > start && bEnd > start && equalJSON(a[aEnd-1], b[bEnd-1]) {
		aEnd--
		bEnd--
	}
	both := min(aEnd, bEnd)
	for i := start; i < both; i++ {
		changes = compareJSON(changes, path+"/"+strconv.Itoa(i), a[i], b[i])
	}
	for i := aEnd - 1; i >= both; i-- { // from the back, so that the places before stay
		changes = append(changes, change{Op: "remove", Path: path + "/" + strconv.Itoa(i), Old: a[i]})
	}
	for i := both; i < bEnd; i++ {
		changes = append(changes, change{Op: "add", Path: path + "/" + strconv.Itoa(i), Value: b[i]})
	}
	return changes
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// equalJSON compares values; numbers by what they are worth, 1.0 and 1e0 alike.
func equalJSON(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for k, v := range a {
			if w, ok := b[k]; !ok || !equalJSON(v, w) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equalJSON)
	case json.Number:
		b, ok := b.(json.Number)
		return ok && (a == b || equalNumbers(string(a), string(b)))
	}
	return a == b
}

// equalNumbers compares the digits and the exponents that are left without zeros at the end. Numbers
// with exponents beyond the library's are equal if they are written alike.
func equalNumbers(a, b string) bool {
	x, _, err := apd.NewFromString(a)
	if err != nil {
		return false
	}
	y, _, err := apd.NewFromString(b)
	if err != nil {
		return false
	}
	if x.IsZero() || y.IsZero() {
		return x.IsZero() && y.IsZero()
	}
	x.Reduce(x)
	y.Reduce(y)
	return x.Negative == y.Negative && x.Exponent == y.Exponent && x.Coeff.Cmp(&y.Coeff) == 0
}

// escapePointer writes a member's name as part of a JSON pointer (RFC 6901).
func escapePointer(s string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(s)
}
