// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package data

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/toolscope/toolscope/tools/internal/arg"
)

const (
	// maxChecks is how many checks of a subschema a validation may take, about a
	// microsecond each, by the estimate that is made before it runs, since it cannot
	// be stopped.
	maxChecks = 3e6
	// maxSchemas is how many pairs of a subschema and a depth are checked.
	maxSchemas = 200_000
)

// Keywords whose schemas look at the same place as the schema they stand in, and those
// whose schemas look at places below it: one schema, a list, or a map of them.
var (
	besideKeywords = []string{"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies"}
	belowKeywords  = []string{"properties", "patternProperties", "additionalProperties", "propertyNames", "items",
		"prefixItems", "additionalItems", "contains", "unevaluatedItems", "unevaluatedProperties"}
)

// schemaWork estimates from above how often a schema's parts are checked at one place of
// a document and the places below it.
type schemaWork struct {
	root any
	// done has the result of a part with so many levels below it; a part that is
	// being looked at has -1.
	done map[schemaAt]float64
	err  error
}

type schemaAt struct {
	path  string // a JSON pointer
	depth int
}

// checkWork refuses a schema that checks itself at one place for ever, which would end
// the process, or takes too long on a document: each of its values is checked no more
// often than the schema's parts are.
func checkWork(schema any, document string) error {
	w := schemaWork{root: schema, done: make(map[schemaAt]float64)}
	checks := w.estimatePart("", schema, depthOf(document)+1)
	if w.err != nil {
		return w.err
	}
	values := 1
	for _, c := range []byte(document) {
		if c == ',' || c == ':' || c == '[' || c == '{' {
			values++
		}
	}
	if checks*float64(values) > maxChecks {
		return arg.Invalid("schema", "one that takes too long on this document", "fewer references within references")
	}
	return nil
}

// estimatePart is the estimate for the part at a path.
func (w *schemaWork) estimatePart(path string, part any, depth int) float64 {
	m, ok := part.(map[string]any)
	if !ok || depth < 0 || w.err != nil {
		return 1
	}
	at := schemaAt{path, depth}
	if known, ok := w.done[at]; ok {
		if known < 0 {
			w.fail("one whose part %.100q refers to itself at the same place", path)
		}
		return known
	}
	if len(w.done) >= maxSchemas {
		w.fail("one of more than %d parts", maxSchemas)
		return 1
	}
	w.done[at] = -1
	total := 1.0
	for _, key := range besideKeywords {
		total += w.all(path+"/"+escapePointer(key), m[key], depth)
	}
	for _, key := range belowKeywords {
		total += w.all(path+"/"+escapePointer(key), m[key], depth-1)
	}
	for _, key := range []string{"$dynamicRef", "$recursiveRef"} {
		if m[key] != nil {
			w.fail("one with %s", key)
		}
	}
	if path != "" && m["$id"] != nil {
		w.fail("one with $id in %.100q", path)
	}
	if ref, ok := m["$ref"].(string); ok {
		if target, found := w.resolve(ref); found {
			total += w.estimatePart(strings.TrimPrefix(ref, "#"), target, depth)
		}
	}
	w.done[at] = min(total, 1e18)
	return total
}

// all is the estimate for what a keyword holds: a schema, a list, or a map.
func (w *schemaWork) all(path string, held any, depth int) (total float64) {
	switch held := held.(type) {
	case []any:
		for i, part := range held {
			checks := w.estimatePart(fmt.Sprintf("%s/%d", path, i), part, depth)
			total = together(path, total, checks)
		}
	case map[string]any:
		if isMapKeyword(path) {
			for name, part := range held {
				total = together(path, total, w.estimatePart(path+"/"+escapePointer(name), part, depth))
			}
			return total
		}
		total = w.estimatePart(path, held, depth)
	}
	return total
}

// together counts the parts that one keyword holds: of those for single members or
// places, each value meets one.
func together(path string, a, b float64) float64 {
	switch path[strings.LastIndexByte(path, '/')+1:] {
	case "properties", "prefixItems":
		return max(a, b)
	}
	return a + b
}

func isMapKeyword(path string) bool {
	switch path[strings.LastIndexByte(path, '/')+1:] {
	case "properties", "patternProperties", "dependentSchemas", "dependencies":
		return true
	}
	return false
}

// resolve finds what a reference within the schema points to.
func (w *schemaWork) resolve(ref string) (any, bool) {
	fragment, ok := strings.CutPrefix(ref, "#")
	if !ok || fragment != "" && fragment[0] != '/' {
		w.fail("a reference to %.100q", ref)
		return nil, false
	}
	text, err := url.PathUnescape(fragment)
	if err != nil {
		w.fail("a reference to %.100q", ref)
		return nil, false
	}
	path, err := pointer("$ref", &text)
	if err != nil {
		w.fail("a reference to %.100q", ref)
		return nil, false
	}
	target, err := lookUp(w.root, path)
	if err != nil {
		w.fail("a reference to %.100q, where nothing is", ref)
		return nil, false
	}
	return target, true
}

func (w *schemaWork) fail(format string, args ...any) {
	if w.err == nil {
		w.err = arg.Invalid("schema", fmt.Sprintf(format, args...),
			"one whose references stay within it, such as #/$defs/name, and end")
	}
}
