// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package data_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/data"
)

const store = `{"store": {"book": [{"title": "Pears", "price": 8.95}, {"title": "Plums", "price": 12.99, "id": ` +
	`12345678901234567890}], "open": true}}`

func TestJSON(t *testing.T) {
	const wrong = toolkit.ErrInvalidArguments
	for _, s := range []scenario{
		{"query", object{"operation": "query", "json": store, "query": "$.store.book[?@.price < 10].title"}, `["Pears"]`, ""},
		{"query a value", object{"operation": "query", "json": object{"a": []int{1, 2}}, "query": "$.a[-1]"}, `[2]`, ""},
		{"query keeps digits", object{"operation": "query", "json": store, "query": "$..id"}, `[12345678901234567890]`, ""},
		{"query finds nothing", object{"operation": "query", "json": "{}", "query": "$.x"}, `[]`, ""},
		{"query with functions",
			object{"operation": "query", "json": store, "query": "$..book[?length(@.title) == 5 && match(@.title, " +
				"'Pl.*')].price"}, `[12.99]`, ""},
		{"query html", object{"operation": "query", "json": `{"a":"<b>"}`, "query": "$['a']"}, `["<b>"]`, ""},
		{"no path", object{"operation": "query", "json": "{}", "query": "store.book"}, "no JSONPath", wrong},
		{"no query", object{"operation": "query", "json": "{}"}, "query: got 0 bytes", wrong},
		{"no JSON", object{"operation": "query", "json": "{\n\"a\": 1,}", "query": "$"}, "line 2, column 8", wrong},
		{"half JSON", object{"operation": "query", "json": "[1,", "query": "$"}, "no JSON", wrong},
		{"two values", object{"operation": "query", "json": "1 2", "query": "$"}, "more after the first value", wrong},
		{"no document", object{"operation": "query", "query": "$"}, "json: got nothing", wrong},
		{"too deep", object{"operation": "query", "json": strings.Repeat("[", 501) + strings.Repeat("]", 501),
			"query": "$"}, "at most 500 levels", wrong},
		{"jq is off", object{"operation": "jq", "json": "{}", "query": "."},
			"operation: got \"jq\", want query, validate", wrong},
		{"no operation", object{"json": "{}"}, "operation: got \"\"", wrong},
		{"too large", object{"operation": "format", "json": strings.Repeat(" ", 1<<20) + "1"}, "at most 1048576", wrong},

		{"format", object{"operation": "format", "json": `{"b":1.00,"a":[]}`}, "{\n  \"b\": 1.00,\n  \"a\": []\n}", ""},
		{"compact", object{"operation": "format", "json": " { \"b\" : [ 1e400 ] } ", "style": "compact"}, `{"b":[1e400]}`, ""},
		{"sorted", object{"operation": "format", "json": `{"b":1.00,"a":{"d":1,"c":2}}`, "style": "sorted"},
			"{\n  \"a\": {\n    \"c\": 2,\n    \"d\": 1\n  },\n  \"b\": 1.00\n}", ""},
		{"no style", object{"operation": "format", "json": "1", "style": "pretty"}, "indented, compact or sorted", wrong},

		{"valid", object{"operation": "validate", "json": "[1]"}, "valid JSON", ""},
		{"not valid", object{"operation": "validate", "json": "[1,]"},
			"not valid: text that is no JSON: invalid character ']' looking for beginning of value (line 1, column 4)", ""},
		{"fits", object{"operation": "validate", "json": `{"a": 1}`,
			"schema": `{"type": "object", "required": ["a"]}`}, "valid: the document fits the schema", ""},
		{"fits not", object{"operation": "validate", "json": `{"a": "x", "c": "y"}`,
			"schema": object{"properties": object{"a": object{"type": "integer"}, "c": object{"format": "date"}},
				"required": []string{"b"}}},
			"not valid:\n- /: missing property 'b'\n- /a: got string, want integer\n- /c: 'y' is not valid date: " +
				"parsing time \"y\" as \"2006-01-02\": cannot parse \"y\" as \"2006\"", ""},
		{"tree", object{"operation": "validate", "json": `{"l": {"l": {"v": "x"}}}`,
			"schema": `{"$ref": "#/$defs/n", "$defs": {"n": {"properties": {"l": {"$ref": "#/$defs/n"}, "v": ` +
				`{"type": "number"}}}}}`}, "not valid:\n- /l/l/v: got string, want number", ""},
		{"no schema", object{"operation": "validate", "json": "1", "schema": `{"type": 5}`},
			"schema: got one that is not valid", wrong},
		{"schema is no JSON", object{"operation": "validate", "json": "1", "schema": "{"},
			"schema: got text that is no JSON", wrong},
		{"schema of the web", object{"operation": "validate", "json": "1",
			"schema": `{"$ref": "http://127.0.0.1/x"}`}, "a reference to", wrong},
		{"schema of a file", object{"operation": "validate", "json": "1",
			"schema": `{"$ref": "file:///etc/hostname"}`}, "a reference to", wrong},
		{"schema's schema", object{"operation": "validate", "json": "1",
			"schema": `{"$schema": "file:///etc/hostname"}`}, "not valid", wrong},
		{"schema refers to itself", object{"operation": "validate", "json": "1", "schema": `{"$ref": "#"}`},
			"refers to itself", wrong},
		{"schema goes round", object{"operation": "validate", "json": "1",
			"schema": `{"anyOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"not": {"$ref": "#/$defs/b"}}, "b": ` +
				`{"if": {"$ref": "#/$defs/a"}}}}`}, "refers to itself", wrong},
		{"schema refers to nothing", object{"operation": "validate", "json": "1", "schema": `{"$ref": "#/$defs/a"}`},
			"where nothing is", wrong},
		{"dynamic", object{"operation": "validate", "json": "1", "schema": `{"$dynamicRef": "#x"}`}, "$dynamicRef", wrong},
		{"schema grows", object{"operation": "validate", "json": `"x"`, "schema": growing(40)}, "takes too long", wrong},
		{"schema grows with depth",
			object{"operation": "validate", "json": strings.Repeat("[", 60) + strings.Repeat("]", 60),
				"schema": `{"$ref": "#/$defs/a", "$defs": {"a": {"items": {"allOf": [{"$ref": "#/$defs/a"}, ` +
					`{"$ref": "#/$defs/a"}]}}}}`}, "takes too long", wrong},

		{"diff", object{"operation": "diff", "json": `{"a":1,"b":[1,2,3],"c":{"d/e":1}}`,
			"other": `{"b":[1,3],"c":{"d/e":2},"f":null}`},
			`[{"op":"remove","path":"/a"},{"op":"remove","path":"/b/1"},{"op":"replace","path":"/c/d~1e",` +
				`"value":2},{"op":"add","path":"/f","value":null}]`, ""},
		{"readable", object{"operation": "diff", "json": `{"a":1,"b":2}`, "other": `{"b":"<x>","c":[]}`,
			"style": "readable"}, "- /a: 1\n~ /b: 2 -> \"<x>\"\n+ /c: []", ""},
		{"equal numbers", object{"operation": "diff", "json": "[1.0, 100, 0, -0]", "other": "[1, 1e2, 0.00, 0]"}, "[]", ""},
		{"other numbers", object{"operation": "diff", "json": "9007199254740993", "other": "9007199254740992",
			"style": "readable"}, "~ (the whole): 9007199254740993 -> 9007199254740992", ""},
		{"huge exponents", object{"operation": "diff", "json": "1e999999999999", "other": "1e999999999999",
			"style": "readable"}, "the documents are equal", ""},
		{"no second", object{"operation": "diff", "json": "1"}, "other: got nothing", wrong},
		{"no diff style", object{"operation": "diff", "json": "1", "other": "2", "style": "x"}, "patch or readable", wrong},

		{"merge", object{"operation": "merge", "json": `{"a":"b","c":{"d":"e","f":"g"}}`,
			"other": `{"a":"z","c":{"f":null}}`}, `{"a":"z","c":{"d":"e"}}`, ""},
	} {
		s.run(t, data.Options{}, "json")
	}
}

func growing(n int) string {
	var b strings.Builder
	b.WriteString(`{"$defs":{"a0":{"type":"string"}`)
	for i := range n {
		fmt.Fprintf(&b, `,"a%d":{"allOf":[{"$ref":"#/$defs/a%d"},{"$ref":"#/$defs/a%d"}]}`, i+1, i, i)
	}
	fmt.Fprintf(&b, `},"$ref":"#/$defs/a%d"}`, n)
	return b.String()
}

// TestMergePatch is the table of RFC 7396, appendix A.
func TestMergePatch(t *testing.T) {
	for _, c := range [][3]string{
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`}, {`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b"}`, `{"a":null}`, `{}`},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`}, {`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`}, {`["a","b"]`, `["c","d"]`, `["c","d"]`},
		{`{"a":"b"}`, `["c"]`, `["c"]`}, {`{"a":"foo"}`, `null`, `null`}, {`{"a":"foo"}`, `"bar"`, `"bar"`},
		{`{"e":null}`, `{"a":1}`, `{"a":1,"e":null}`},
		{`[1,2]`, `{"a":"b","c":null}`, `{"a":"b"}`}, {`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
	} {
		scenario{c[0] + " with " + c[1], object{"operation": "merge", "json": c[0], "other": c[1]}, c[2], ""}.run(t,
			data.Options{}, "json")
	}
}

// TestPatch holds cases of RFC 6902, appendix A, and what must be refused.
func TestPatch(t *testing.T) {
	for _, c := range []struct{ doc, patch, want string }{
		{`{"foo":"bar"}`, `[{"op":"add","path":"/baz","value":"qux"}]`, `{"baz":"qux","foo":"bar"}`},
		{`{"foo":["bar","baz"]}`, `[{"op":"add","path":"/foo/1","value":"qux"}]`, `{"foo":["bar","qux","baz"]}`},
		{`{"foo":["bar","qux","baz"]}`, `[{"op":"remove","path":"/foo/1"}]`, `{"foo":["bar","baz"]}`},
		{`{"baz":"qux","foo":"bar"}`, `[{"op":"replace","path":"/baz","value":null}]`, `{"baz":null,"foo":"bar"}`},
		{`{"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}}`,
			`[{"op":"move","from":"/foo/waldo","path":"/qux/thud"}]`,
			`{"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}}`},
		{`{"foo":["all","grass","cows","eat"]}`, `[{"op":"move","from":"/foo/1","path":"/foo/3"}]`,
			`{"foo":["all","cows","eat","grass"]}`},
		{`{"foo":["a",2,"c"]}`, `[{"op":"test","path":"/foo/1","value":2.0}]`, `{"foo":["a",2,"c"]}`},
		{`{"foo":["bar"]}`, `[{"op":"add","path":"/foo/-","value":["abc","def"]}]`, `{"foo":["bar",["abc","def"]]}`},
		{`{"/":9,"~1":10}`, `[{"op":"test","path":"/~01","value":10}]`, `{"/":9,"~1":10}`},
		{`{"a":1}`, `[{"op":"add","path":"","value":[]}]`, `[]`},
		{`{"a":{"x":1}}`, `[{"op":"copy","from":"/a","path":"/b"},{"op":"replace","path":"/b/x","value":2}]`,
			`{"a":{"x":1},"b":{"x":2}}`},
		{`{"":{"":1}}`, `[{"op":"remove","path":"//"}]`, `{"":{}}`},
		{`1`, `[]`, `1`},
	} {
		scenario{c.doc + " with " + c.patch, object{"operation": "patch", "json": c.doc, "other": c.patch}, c.want,
			""}.run(t, data.Options{}, "json")
	}
	for _, c := range [][2]string{
		{`{}`, "no list"}, {`[{"op":"frob","path":""}]`, "other[0]: op: got"},
		{`[{"op":"add","value":1}]`, "path: got none"}, {`[{"op":"add","path":"/b"}]`, "value: got none"},
		{`[{"op":"add","path":"b","value":1}]`, "JSON pointer such as"},
		{`[{"op":"remove","path":"/b"}]`, "nothing at"}, {`[{"op":"replace","path":"/b","value":1}]`, "nothing at"},
		{`[{"op":"add","path":"/b/c","value":1}]`, "nothing at"},
		{`[{"op":"add","path":"/l/3","value":1}]`, "from 0 to 2"}, {`[{"op":"add","path":"/l/01","value":1}]`, "from 0 to 2"},
		{`[{"op":"remove","path":"/l/-"}]`, "from 0 to 1"}, {`[{"op":"test","path":"/a","value":2}]`, "test of"},
		{`[{"op":"move","path":"/a/b","from":"/a"}]`, "inside of from"},
		{`[{"op":"copy","path":"/x"}]`, "from: got none"}, {`[{"op":"copy","path":"/x","from":"/y"}]`, "nothing at"},
		{`[{"op":"add","path":"/a/b","value":1}]`, "nothing at"},
		{"[" + strings.TrimSuffix(strings.Repeat(`{"op":"copy","from":"","path":"/l/0"},`, 60), ",") + "]", "at most"},
	} {
		res := call(t.Context(), t, data.Options{}, "json",
			object{"operation": "patch", "json": `{"a":1,"l":[1,2]}`, "other": c[0]})
		if res.Fault == nil || !strings.Contains(res.Output, c[1]) {
			t.Errorf("%.60s: got %s, want %q", c[0], res.Output, c[1])
		}
	}
}

// TestPathWork asks queries that would not end.
func TestPathWork(t *testing.T) {
	nested := strings.Repeat(`{"a":[`, 200) + "1" + strings.Repeat("]}", 200)
	wide := "[" + strings.TrimSuffix(strings.Repeat(`{"a":1},`, 50_000), ",") + "]"
	for _, c := range []struct{ name, doc, query string }{
		{"descendants of descendants", nested, "$..*..*..*..*"},
		{"duplicates", nested, "$" + strings.Repeat("['a','a'][0,0]", 40)},
		{"slices", nested, "$" + strings.Repeat("['a'][:,:,:]", 40)},
		{"each looks at all", wide, "$[?count($..a) > 1]"},
		{"filters in filters", wide, "$" + "[?@" + strings.Repeat("[?@", 10) + strings.Repeat("]", 11)},
		{"nested too deep", "1", "$" + strings.Repeat("[?@", 60) + strings.Repeat("]", 60)},
	} {
		res := call(t.Context(), t, data.Options{}, "json", object{"operation": "query", "json": c.doc, "query": c.query})
		if !errors.Is(res.Fault, toolkit.ErrInvalidArguments) || !strings.Contains(res.Output, "too") {
			t.Errorf("%s: got %.200s, want it refused", c.name, res.Output)
		}
	}
	// What people ask of large documents is let through.
	for _, query := range []string{"$..a", "$[?@.a == 1].a", "$[0:10].a", "$[*]['a']"} {
		if res := call(t.Context(), t, data.Options{MaxOutput: 1 << 20}, "json",
			object{"operation": "query", "json": wide, "query": query}); res.Fault != nil {
			t.Errorf("%s: got %.200s", query, res.Output)
		}
	}
	// One value selected again and again is not written again and again.
	doc := `["` + strings.Repeat("x", 100_000) + `"]`
	scenario{"duplicates of a long value",
		object{"operation": "query", "json": doc, "query": "$[" + strings.Repeat("0,", 99) + "0]"}, "at most 262144",
		toolkit.ErrTool}.run(t, data.Options{}, "json")
}

func TestJQ(t *testing.T) {
	jq := data.Options{JQ: true}
	t.Setenv("PEAR", "secret of the environment")
	for _, s := range []scenario{
		{"select", object{"operation": "jq", "json": store, "query": ".store.book[] | select(.price < 10) | .title"},
			`"Pears"`, ""},
		{"several", object{"operation": "jq", "json": "[3,1,2]", "query": "sort[]"}, "1\n2\n3", ""},
		{"digits", object{"operation": "jq", "json": store, "query": ".store.book[1].id"}, "12345678901234567890", ""},
		{"none", object{"operation": "jq", "json": "1", "query": "empty"}, "", ""},
		{"environment", object{"operation": "jq", "json": "1", "query": "[env, $ENV] | tojson"}, `"[{},{}]"`, ""},
		{"error", object{"operation": "jq", "json": "1", "query": ".a"}, "the jq program failed", toolkit.ErrTool},
		{"no program", object{"operation": "jq", "json": "1", "query": ".["}, "no jq program", toolkit.ErrInvalidArguments},
		{"input", object{"operation": "jq", "json": "1", "query": "input"}, "cannot be run", toolkit.ErrInvalidArguments},
		{"module", object{"operation": "jq", "json": "1", "query": `import "x" as x; x::y`}, "cannot be run",
			toolkit.ErrInvalidArguments},
		{"halt", object{"operation": "jq", "json": "1", "query": "halt_error"}, "failed", toolkit.ErrTool},
		{"too many", object{"operation": "jq", "json": "1", "query": "range(100000)"}, "more bytes", toolkit.ErrTool},
	} {
		s.run(t, jq, "json")
	}
	jq.Timeout = 300 * time.Millisecond
	scenario{"for ever", object{"operation": "jq", "json": "1", "query": "def f: f; f"}, "300ms",
		toolkit.ErrTimeout}.run(t, jq, "json")
}

// FuzzJSONDiff checks that the patch from one document to another leads there.
func FuzzJSONDiff(f *testing.F) {
	for _, c := range [][2]string{{`{"a":[1,2,3]}`, `{"a":[3],"b":null}`}, {"[]", "{}"},
		{`[{"a":1},{"b":2}]`, `[{"b":2}]`}, {`{"~/":{"":1}}`, `{"~/":{"":[1]}}`}, {"1.0", "1e0"}} {
		f.Add(c[0], c[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if !json.Valid([]byte(a)) || !json.Valid([]byte(b)) {
			return
		}
		diff := call(t.Context(), t, data.Options{}, "json", object{"operation": "diff", "json": a, "other": b})
		if diff.Fault != nil {
			return
		}
		patched := call(t.Context(), t, data.Options{}, "json", object{"operation": "patch", "json": a, "other": diff.Output})
		if patched.Fault != nil {
			if strings.Contains(patched.Output, "at most") {
				return
			}
			t.Fatalf("%s to %s: the patch %s fails: %s", a, b, diff.Output, patched.Output)
		}
		if again := call(t.Context(), t, data.Options{}, "json",
			object{"operation": "diff", "json": patched.Output, "other": b}); again.Output != "[]" {
			t.Errorf("%s to %s: the patch %s gives %s", a, b, diff.Output, patched.Output)
		}
	})
}
