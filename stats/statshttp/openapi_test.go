// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"bytes"
	"encoding/json"
	"flag"
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write openapi.json anew")

// TestOpenAPI makes the definition of the API from the resources, the types they
// answer with and the comments on their fields, and compares it with the file that
// is served. `go test ./stats -run OpenAPI -update` writes the file.
func TestOpenAPI(t *testing.T) {
	want := definition(t)
	if *update {
		if err := os.WriteFile("openapi.json", want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("openapi.json is not what the resources are: run this test with -update and read the difference")
	}
}

// described is what the code does not say of a resource.
type described struct {
	summary string
	answer  any    // a value of the type answered in JSON
	media   string // of another answer
}

var descriptions = map[string]described{
	"":                         {summary: "The dashboard.", media: "text/html"},
	"assets/dashboard.css":     {summary: "The dashboard's style sheet.", media: "text/css"},
	"assets/dashboard.js":      {summary: "The dashboard's script.", media: "text/javascript"},
	"assets/icon.svg":          {summary: "The dashboard's icon.", media: "image/svg+xml"},
	"api/v1/summary":           {summary: "All tools together, with the health of agents and the recorder's limits.", answer: overview{}},
	"api/v1/tools":             {summary: "The tools with calls in the window.", answer: toolList{}},
	"api/v1/tools/*":           {summary: "One tool, with its error groups.", answer: toolDetail{}},
	"api/v1/tools/*/histogram": {summary: "The running times of a tool's executed calls, for HdrHistogram's own tools.", media: "text/plain"},
	"api/v1/errors":            {summary: "The error groups, the most frequent first.", answer: errorList{}},
	"api/v1/calls":             {summary: "Recent calls, the latest first, without their content.", answer: callList{}},
	"api/v1/calls/*":           {summary: "One recent call, with the spans of its trace if they are at hand.", answer: callDetail{}},
	"api/v1/sessions":          {summary: "The sessions held, the one seen last first.", answer: sessionList{}},
	"api/v1/loops":             {summary: "Calls that sessions made over and over, the most frequent first.", answer: loopList{}},
	"api/v1/running":           {summary: "The calls that run at the moment, the one running for longest first, if the host tells of them.", answer: runningList{}},
	"api/v1/snapshot":          {summary: "The raw counts and histograms of the window, which add up across processes.", answer: Snapshot{}},
	"api/v1/stream":            {summary: "Server-sent events of the type summary, whose data is that of /api/v1/summary, whenever there is something new.", media: "text/event-stream"},
	"api/v1/openapi.json":      {summary: "This definition.", media: "application/openapi+json"},
	"openapi.json":             {summary: "This definition.", media: "application/openapi+json"},
	"metrics":                  {summary: "Metrics for Prometheus, if the host serves them.", media: "text/plain"},
	"healthz":                  {summary: "Whether the process answers, and how its components are.", answer: healthAnswer{}},
}

type object = map[string]any

var parameterSchemas = map[string]object{
	"window":       {"description": "The window by name; the default is 5m, and total for raw counts.", "schema": object{"enum": WindowNames()}},
	"since":        {"description": "The beginning of the window, instead of a name: RFC 3339, or seconds since 1970.", "schema": object{"type": "string"}},
	"until":        {"description": "The end of the window, instead of a name: RFC 3339, or seconds since 1970.", "schema": object{"type": "string"}},
	"sort":         {"description": "What tools are sorted by, the most first but for names.", "schema": object{"enum": orderNames(), "default": orderNames()[0]}},
	"limit":        {"description": "How many rows are answered at most.", "schema": object{"type": "integer", "minimum": 1, "maximum": maxListed}},
	"tool":         {"description": "Only this tool.", "schema": object{"type": "string"}},
	"outcome":      {"description": "Only calls with this outcome.", "schema": object{"enum": outcomeNames()[1:]}},
	"error":        {"description": "Only calls with this error.type, or with any for the value any.", "schema": object{"type": "string"}},
	"group":        {"description": "Only calls of the error group with this id.", "schema": object{"type": "string", "pattern": "^[0-9A-Fa-f]{16}$"}},
	"session":      {"description": "Only calls of this session.", "schema": object{"type": "string"}},
	"policy":       {"description": "Only calls of which a policy told a fact: its key, or key=value.", "schema": object{"type": "string"}},
	"min_duration": {"description": "Only calls that took at least as long, such as 250ms.", "schema": object{"type": "string"}},
	"before":       {"description": "Only calls with a smaller id, for the next page.", "schema": object{"type": "integer", "minimum": 1}},
	"after":        {"description": "Only calls with a larger id.", "schema": object{"type": "integer", "minimum": 0}},
	"format":       {"description": "The percentile distribution, or the log of intervals.", "schema": object{"enum": []string{"hgrm", "hlog"}, "default": "hgrm"}},
	"fail":         {"description": "Whether the answer is an error, 503, if a component has a problem.", "schema": object{"enum": []string{"never", "degraded"}, "default": "never"}},
	"call":         {"description": "The call that the page shows the waterfall of.", "schema": object{"type": "integer", "minimum": 1}},
}

func definition(t *testing.T) []byte {
	comments := fieldComments(t)
	schemas := object{}
	paths := object{}
	for path, res := range resources() {
		d, ok := descriptions[path]
		if !ok {
			t.Fatalf("%q: got no description, want one in this test", path)
		}
		shown, parameters := "/"+path, []object{}
		if before, after, found := strings.Cut(shown, "*"); found {
			name := map[bool]string{true: "id", false: "name"}[strings.Contains(before, "calls")]
			shown = before + "{" + name + "}" + after
			parameters = append(parameters, object{"name": name, "in": "path", "required": true, "schema": object{"type": "string"}})
		}
		for _, name := range res.parameters {
			p, ok := parameterSchemas[name]
			if !ok {
				t.Fatalf("parameter %q: got no schema, want one in this test", name)
			}
			p = maps.Clone(p)
			p["name"], p["in"] = name, "query"
			parameters = append(parameters, p)
		}
		content := object{}
		if d.answer != nil {
			content["application/json"] = object{"schema": schemaOf(reflect.TypeOf(d.answer), schemas, comments)}
		} else {
			content[d.media] = object{}
		}
		paths[shown] = object{"get": object{"summary": d.summary, "parameters": parameters, "responses": object{
			"200": object{"description": "The answer.", "content": content}, "304": object{"description": "The client's copy is still good."},
			"default": object{"$ref": "#/components/responses/problem"},
		}}}
	}
	body, err := json.MarshalIndent(object{
		"openapi": "3.1.0",
		"info":    object{"title": "toolscope statistics", "version": "1", "description": "Statistics of the tool calls of AI agents. Durations are milliseconds (_ms), sizes bytes, times RFC 3339."},
		"servers": []object{{"url": "."}},
		"paths":   paths,
		"components": object{
			"schemas": schemas,
			"responses": object{"problem": object{"description": "What was wrong, as RFC 9457 has it.",
				"content": object{"application/problem+json": object{"schema": schemaOf(reflect.TypeFor[problem](), schemas, comments)}}}},
			"securitySchemes": object{"bearer": object{"type": "http", "scheme": "bearer"}, "basic": object{"type": "http", "scheme": "basic", "description": "The token is the password."}},
		},
		"security": []object{{}, {"bearer": []string{}}, {"basic": []string{}}},
	}, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return append(body, '\n')
}

// schemaOf is a reference to the schema of a type, or the schema itself of one
// without members.
func schemaOf(typ reflect.Type, schemas object, comments map[string]string) object {
	switch {
	case typ == reflect.TypeFor[time.Time]():
		return object{"type": "string", "format": "date-time"}
	case typ == reflect.TypeFor[*Histogram]():
		return object{"type": "string", "contentEncoding": "base64", "description": "HdrHistogram V2, compressed; nanoseconds."}
	case typ == reflect.TypeFor[Figures]():
		return object{"type": "object", "additionalProperties": object{"type": "number"}}
	}
	switch typ.Kind() {
	case reflect.Pointer:
		return schemaOf(typ.Elem(), schemas, comments)
	case reflect.Slice:
		return object{"type": "array", "items": schemaOf(typ.Elem(), schemas, comments)}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Float64:
		return object{"type": "number"}
	case reflect.Struct:
		name := typ.Name()
		if _, known := schemas[name]; !known {
			schemas[name] = nil // against rings
			properties, required := object{}, []string{}
			addMembers(typ, properties, &required, schemas, comments)
			slices.Sort(required)
			schemas[name] = object{"type": "object", "properties": properties, "required": required}
		}
		return object{"$ref": "#/components/schemas/" + name}
	}
	return object{"type": "integer"}
}

func addMembers(typ reflect.Type, properties object, required *[]string, schemas object, comments map[string]string) {
	for f := range typ.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" {
			addMembers(f.Type, properties, required, schemas, comments)
			continue
		}
		s := schemaOf(f.Type, schemas, comments)
		if text := comments[typ.Name()+"."+f.Name]; text != "" {
			s["description"] = text
		}
		properties[name] = s
		if options == "" {
			*required = append(*required, name)
		}
	}
}

// fieldComments are the comments on the fields of this package's structs.
func fieldComments(t *testing.T) map[string]string {
	packages := make(map[string]string)
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, f.Name(), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if st, ok := spec.Type.(*ast.StructType); ok {
				for _, field := range st.Fields.List {
					text := field.Doc.Text()
					if text == "" {
						text = field.Comment.Text()
					}
					for _, name := range field.Names {
						packages[spec.Name.Name+"."+name.Name] = plainComment(text)
					}
				}
			}
			return true
		})
	}
	return packages
}

// plainComment is a comment on one line, without the brackets of links.
func plainComment(text string) string {
	var p comment.Printer
	p.TextWidth = -1
	d := new(comment.Parser).Parse(text)
	return strings.NewReplacer("[toolkit.", "", "[Recorder.", "", "[", "", "]", "").Replace(strings.Join(strings.Fields(string(p.Text(d))), " "))
}
