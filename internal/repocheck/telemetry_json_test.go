// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package repocheck_test

import (
	"encoding/json"
	"go/ast"
	"go/types"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// jsonPackages are the packages besides stats whose structs are exported as JSON.
var jsonPackages = []struct {
	dir, title, text string
	all              bool // unexported structs too
}{
	{"middleware/approve", "Approvals", "The JSON API of `approve.NewHandler`: `api/v1/approvals`.", true},
	{"mcp/mcpproxy/internal/watch", "MCP proxy report", "`mcpproxy.Watcher.ServeHTTP` and `toolscope mcp` write it.", false},
	{"internal/announce", "Discovery files",
		"A program that serves its statistics writes one such file, for `toolscope stats` and `toolscope top`.", true},
}

var fieldHead = []string{"field", "type", "meaning"}

// schema is the part of an OpenAPI schema that package stats uses.
type schema struct {
	Ref         string             `json:"$ref"`
	Type        string             `json:"type"`
	Format      string             `json:"format"`
	Encoding    string             `json:"contentEncoding"`
	Description string             `json:"description"`
	Items       *schema            `json:"items"`
	Additional  *schema            `json:"additionalProperties"`
	Properties  map[string]*schema `json:"properties"`
}

// name is the type in words.
func (s *schema) name() string {
	switch {
	case s.Ref != "":
		name := s.Ref[strings.LastIndex(s.Ref, "/")+1:]
		return "[" + name + "](#" + strings.ToLower(name) + ")"
	case s.Items != nil:
		return "array of " + s.Items.name()
	case s.Additional != nil:
		return "object of " + s.Additional.name()
	case s.Format+s.Encoding != "":
		return s.Type + ", " + s.Format + s.Encoding
	}
	return s.Type
}

// json lists the fields of the JSON APIs.
func (r *reference) json() string {
	var api struct {
		Components struct{ Schemas map[string]*schema }
		Paths      map[string]struct {
			Get struct {
				Responses map[string]struct {
					Content map[string]struct{ Schema schema }
				}
			}
		}
	}
	if err := json.Unmarshal(read(r.t, "stats/statshttp/openapi.json"), &api); err != nil {
		r.t.Fatal(err)
	}
	var paths [][]string
	for path, item := range api.Paths {
		if c, ok := item.Get.Responses["200"].Content["application/json"]; ok {
			paths = append(paths, []string{code(path), c.Schema.name()})
		}
	}
	out := section(2, "JSON", "Statistics, health and snapshots come from `stats/statshttp/openapi.json`, which the "+
		"handler serves. Names that end in `_ms` are\n"+
		"milliseconds, in `_ns` histograms of nanoseconds, and `bytes` are bytes. All fields are experimental.",
		[]string{"path", "answer"}, paths)
	schemas := api.Components.Schemas
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		own, text := schemas[name].Properties, ""
		if base := largestPart(schemas, name); base != "" {
			text = "The fields of " + (&schema{Ref: base}).name() + ", and:"
			own = maps.Clone(own)
			for field := range schemas[base].Properties {
				delete(own, field)
			}
		}
		var rows [][]string
		for field, s := range own {
			if s.Description == "" {
				r.t.Errorf("stats/statshttp/openapi.json: %s.%s: got no description, want a comment on the field and then go "+
					"test ./stats/statshttp -run OpenAPI -update", name, field)
			}
			rows = append(rows, []string{code(field), s.name(), strings.TrimSuffix(s.Description, ".")})
		}
		out += section(3, name, text, fieldHead, rows)
	}
	for _, p := range jsonPackages {
		out += "\n### " + p.title + "\n\n" + p.text + "\n" + r.structs(p.dir, p.all)
	}
	return out
}

// largestPart is the schema with the most fields, five at least, all of which the named one has as well.
func largestPart(schemas map[string]*schema, name string) (best string) {
	most := 4
	for _, other := range slices.Sorted(maps.Keys(schemas)) {
		part := schemas[other].Properties
		if other == name || len(part) <= most || len(part) >= len(schemas[name].Properties) {
			continue
		}
		within := true
		for field, s := range part {
			within = within && reflect.DeepEqual(s, schemas[name].Properties[field])
		}
		if within {
			best, most = other, len(part)
		}
	}
	return best
}

// structs lists the structs of a package whose fields have names in JSON.
func (r *reference) structs(dir string, all bool) (out string) {
	i := slices.IndexFunc(r.packages, func(s *source) bool { return s.dir == dir })
	if i < 0 {
		r.t.Fatalf("%s: got no such package, want that of the table of internal/repocheck", dir)
	}
	s := r.packages[i]
	for _, file := range s.files {
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok || !all && !spec.Name.IsExported() {
				return true
			}
			body, ok := spec.Type.(*ast.StructType)
			if !ok {
				return true
			}
			if rows, text := r.fields(s, spec.Name.Name, body); len(rows) > 0 {
				out += section(4, "`"+spec.Name.Name+"`", text, fieldHead, rows)
			}
			return true
		})
	}
	return out
}

// fields lists the fields of a struct; text names what it embeds.
func (r *reference) fields(s *source, owner string, body *ast.StructType) (rows [][]string, text string) {
	for _, f := range body.Fields.List {
		if len(f.Names) == 0 {
			text = "The fields of `" + types.ExprString(f.Type) + "`, and:"
		}
		if f.Tag == nil {
			continue
		}
		name, _, _ := strings.Cut(reflect.StructTag(unquote(f.Tag)).Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		meaning := meaning(f.Names[0].Name, f.Doc, f.Comment)
		if meaning == "" {
			r.t.Errorf("%s: field %s.%s: got no comment, want one that says what it means", s.position(f), owner, f.Names[0].Name)
		}
		rows = append(rows, []string{code(name), jsonType(f.Type), meaning})
	}
	return rows, text
}

// jsonType is how a type of Go appears in JSON.
func jsonType(expr ast.Expr) string {
	switch e := expr.(type) {
	case *ast.StarExpr:
		return jsonType(e.X)
	case *ast.ArrayType:
		return "array of " + jsonType(e.Elt)
	case *ast.MapType:
		return "object of " + jsonType(e.Value)
	}
	switch name := types.ExprString(expr); name {
	case "bool":
		return "boolean"
	case "int", "int64", "uint64":
		return "integer"
	case "float64":
		return "number"
	case "time.Time":
		return "string, date-time"
	case "string", "State":
		return "string"
	default:
		return code(name)
	}
}
