// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package statshttp

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
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/stats/statshttp/internal/answer"
	"github.com/toolscope/toolscope/stats/statshttp/internal/api"
	"github.com/toolscope/toolscope/stats/statshttp/internal/query"
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
	"/{$}":                {summary: "The dashboard.", media: "text/html"},
	"/assets/page.css":    {summary: "The dashboard's style sheet.", media: "text/css"},
	"/assets/page.js":     {summary: "The dashboard's script.", media: "text/javascript"},
	"/api/v1/view":        {summary: "What the dashboard shows of a window, of all tools or of one.", answer: api.View{}},
	"/api/v1/summary.txt": {summary: "Tools and error groups as plain-text tables.", media: "text/plain"},
	"/api/v1/traces/{id}": {summary: "The spans of a trace that are at hand, and its recent calls.",
		answer: api.TraceDetail{}},
	"/api/v1/summary":      {summary: "All tools together, with the health of agents and the recorder's limits.", answer: api.Overview{}},
	"/api/v1/tools":        {summary: "The tools with calls in the window.", answer: api.ToolList{}},
	"/api/v1/tools/{name}": {summary: "One tool, with its error groups.", answer: api.ToolDetail{}},
	"/api/v1/tools/{name}/histogram": {summary: "The running times of a tool's executed calls, for HdrHistogram's " +
		"own tools.", media: "text/plain"},
	"/api/v1/errors": {summary: "The error groups, the most frequent first.", answer: api.ErrorList{}},
	"/api/v1/calls":  {summary: "Recent calls, the latest first, without their content.", answer: api.CallList{}},
	"/api/v1/calls/{id}": {summary: "One recent call, with the spans of its trace if they are at hand.",
		answer: api.CallDetail{}},
	"/api/v1/sessions": {summary: "The sessions held, the one seen last first.", answer: api.SessionList{}},
	"/api/v1/loops": {summary: "Calls that sessions made over and over, the most frequent first.",
		answer: api.LoopList{}},
	"/api/v1/running": {summary: "The calls that run at the moment, the one running for longest first, if the host " +
		"tells of them.", answer: api.RunningList{}},
	"/api/v1/registered": {summary: "The registered tools by category, called or not.", answer: api.RegisteredList{}},
	"/api/v1/workflows": {summary: "The workflows, and their last runs without content, if the host has any.",
		answer: api.WorkflowList{}},
	"/api/v1/snapshot": {summary: "The raw counts and histograms of the window, which add up across processes.",
		answer: stats.Snapshot{}},
	"/api/v1/stream": {summary: "Server-sent events of the type summary, whose data is that of " +
		"/api/v1/summary, whenever there is something new.", media: "text/event-stream"},
	"/api/v1/openapi.json": {summary: "This definition.", media: "application/openapi+json"},
	"/openapi.json":        {summary: "This definition.", media: "application/openapi+json"},
	"/metrics":             {summary: "Metrics for Prometheus, if the host serves them.", media: "text/plain"},
	"/healthz": {summary: "Whether the process answers, and how its components are.",
		answer: api.HealthAnswer{}},
}

type object = map[string]any

var parameterSchemas = map[string]object{
	"window": {"description": "The window by name; the default is 5m, and total for raw counts.",
		"schema": object{"enum": stats.WindowNames()}},
	"since": {"description": "The beginning of the window, instead of a name: RFC 3339, or seconds since 1970.",
		"schema": object{"type": "string"}},
	"until": {"description": "The end of the window, instead of a name: RFC 3339, or seconds since 1970.",
		"schema": object{"type": "string"}},
	"sort": {"description": "What tools are sorted by, the most first but for names.",
		"schema": object{"enum": query.Orders(), "default": query.Orders()[0]}},
	"limit": {"description": "How many rows are answered at most.",
		"schema": object{"type": "integer", "minimum": 1, "maximum": query.MaxListed}},
	"category": {"description": "Only tools of this category.", "schema": object{"type": "string"}},
	"tool":     {"description": "Only this tool.", "schema": object{"type": "string"}},
	"outcome":  {"description": "Only calls with this outcome.", "schema": object{"enum": query.Outcomes()}},
	"error": {"description": "Only calls with this error.type, or with any for the value any.",
		"schema": object{"type": "string"}},
	"group": {"description": "Only calls of the error group with this id.",
		"schema": object{"type": "string", "pattern": "^[0-9A-Fa-f]{16}$"}},
	"session": {"description": "Only calls of this session.", "schema": object{"type": "string"}},
	"policy": {"description": "Only calls of which a policy told a fact: its key, or key=value.",
		"schema": object{"type": "string"}},
	"min_duration": {"description": "Only calls that took at least as long, such as 250ms.", "schema": object{"type": "string"}},
	"before": {"description": "Only calls with a smaller id, for the next page.",
		"schema": object{"type": "integer", "minimum": 1}},
	"after": {"description": "Only calls with a larger id.", "schema": object{"type": "integer", "minimum": 0}},
	"format": {"description": "The percentile distribution, or the log of intervals.",
		"schema": object{"enum": []string{"hgrm", "hlog"}, "default": "hgrm"}},
	"fail": {"description": "Whether the answer is an error, 503, if a component has a problem.",
		"schema": object{"enum": []string{"never", "degraded"}, "default": "never"}},
	"call": {"description": "The call that the page shows.", "schema": object{"type": "integer", "minimum": 1}},
	"trace": {"description": "The trace that the page shows.",
		"schema": object{"type": "string", "pattern": "^[0-9a-f]{32}$"}},
	"view": {"description": "The view that the page shows.", "schema": object{"type": "string"}},
}

func definition(t *testing.T) []byte {
	comments := fieldComments(t)
	schemas := object{}
	paths := object{}
	for path, res := range routes() {
		d, ok := descriptions[path]
		if !ok {
			t.Fatalf("%q: got no description, want one in this test", path)
		}
		shown, parameters := strings.TrimSuffix(path, "{$}"), []object{}
		if _, after, found := strings.Cut(shown, "{"); found {
			name, _, _ := strings.Cut(after, "}")
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
			"200":     object{"description": "The answer.", "content": content},
			"304":     object{"description": "The client's copy is still good."},
			"default": object{"$ref": "#/components/responses/problem"},
		}}}
	}
	body, err := json.MarshalIndent(object{
		"openapi": "3.1.0",
		"info": object{"title": "toolscope statistics", "version": "1",
			"description": "Statistics of the tool calls of AI agents. Durations are milliseconds (_ms), sizes bytes, times RFC 3339."},
		"servers": []object{{"url": "."}},
		"paths":   paths,
		"components": object{
			"schemas": schemas,
			"responses": object{"problem": object{"description": "What was wrong, as RFC 9457 has it.",
				"content": object{"application/problem+json": object{
					"schema": schemaOf(reflect.TypeFor[answer.Problem](), schemas, comments)}}}},
			"securitySchemes": object{"bearer": object{"type": "http", "scheme": "bearer"},
				"basic": object{"type": "http", "scheme": "basic", "description": "The token is the password."}},
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
	case typ == reflect.TypeFor[*stats.Histogram]():
		return object{"type": "string", "contentEncoding": "base64", "description": "HdrHistogram V2, compressed; nanoseconds."}
	case typ == reflect.TypeFor[stats.Figures]():
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
		if strings.Contains(typ.PkgPath(), "/internal/") { // a name that is not exported by the API
			name = strings.ToLower(name[:1]) + name[1:]
		}
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

// fieldComments are the comments on the fields of the structs that are answered.
func fieldComments(t *testing.T) map[string]string {
	comments := make(map[string]string)
	for _, pattern := range []string{"../*.go", "internal/api/*.go", "internal/answer/*.go", "../../internal/statspage/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: got %d files, %v", pattern, len(files), err)
		}
		for _, f := range files {
			if !strings.HasSuffix(f, "_test.go") {
				addComments(t, f, comments)
			}
		}
	}
	return comments
}

func addComments(t *testing.T, name string, comments map[string]string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
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
					comments[spec.Name.Name+"."+name.Name] = plainComment(text)
				}
			}
		}
		return true
	})
}

// plainComment is a comment on one line, without the brackets of links.
func plainComment(text string) string {
	var p comment.Printer
	p.TextWidth = -1
	d := new(comment.Parser).Parse(text)
	return strings.NewReplacer("[toolkit.", "", "[Recorder.", "", "[", "", "]",
		"").Replace(strings.Join(strings.Fields(string(p.Text(d))), " "))
}
