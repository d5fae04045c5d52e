// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package repocheck_test

import (
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"
)

// slogFields are the meanings of the attributes that the code gives to package log/slog.
var slogFields = map[string]string{
	"arguments_bytes": "size of the arguments in bytes",
	"bytes":           "size of a part's data in bytes",
	"call":            "the call, as its own group",
	"duration":        "duration of the call",
	"ending":          "how the call ended",
	"error_type":      "error.type of a failed call",
	"id":              "the model's id of the call",
	"name":            "name of the tool or server",
	"output_bytes":    "size of the result's text in bytes",
	"parts":           "number of parts of the result",
	"result":          "the result, as its own group",
	"span_id":         "id of the span in the record's context, 16 hexadecimal digits",
	"suspended":       "whether the tool waits for input",
	"tool":            "name of the tool",
	"trace_flags":     "flags of the span in the record's context, 2 hexadecimal digits",
	"trace_id":        "id of the trace in the record's context, 32 hexadecimal digits",
	"transport":       "how the server is reached: stdio, http, sse or custom",
	"type":            "type of the part",
}

// slogKinds are the functions of package log/slog that make an attribute.
var slogKinds = map[string]string{
	"String": "string", "Int": "int", "Int64": "int", "Uint64": "int", "Float64": "double", "Bool": "bool",
	"Duration": "duration", "Time": "time", "Any": "group",
}

// logs lists the fields of call logs, of the audit log and of log records.
func (r *reference) logs() string {
	var rows [][]string
	at, where := map[string]string{}, map[string][]string{}
	for _, s := range r.packages {
		if s.dir == "internal/calllog" {
			rows = r.callLog(s)
		}
		for _, file := range s.files {
			for _, decl := range file.Decls {
				f, ok := decl.(*ast.FuncDecl)
				if !ok {
					continue
				}
				ast.Inspect(f, func(n ast.Node) bool {
					call, ok := n.(*ast.CallExpr)
					if !ok {
						return true
					}
					sel, ok := call.Fun.(*ast.SelectorExpr)
					if !ok || slogKinds[sel.Sel.Name] == "" || !isSelector(sel, "slog", sel.Sel.Name) || len(call.Args) < 2 ||
						s.text(call.Args[0]) == "" {
						return true
					}
					by := f.Name.Name
					if typ := receiver(f); by == "LogValue" && typ != "" {
						by = typ
					} else if by == "Handle" {
						by = "CorrelateLogs"
					}
					name := s.text(call.Args[0])
					at[name] = s.position(call)
					field := name + "\n" + slogKinds[sel.Sel.Name]
					by = code(s.dir[strings.LastIndex(s.dir, "/")+1:] + "." + by)
					if !slices.Contains(where[field], by) {
						where[field] = append(where[field], by)
					}
					return true
				})
			}
		}
	}
	out := "\n## Logs\n"
	out += section(3, "Call log", "One JSON object a line, which `toolscope report`, `top` and `export` read. "+
		"Unknown fields are\nignored.", fieldHead, rows)
	out += "\n### Audit log\n\nPackage `middleware/audit` writes one JSON object a line.\n" + r.structs("middleware/audit", true)
	r.bothWays("log attribute", "in slogFields of internal/repocheck", at, slices.Sorted(maps.Keys(slogFields)))
	rows = nil
	for field, by := range where {
		name, kind, _ := strings.Cut(field, "\n")
		slices.Sort(by)
		rows = append(rows, []string{code(name), kind, strings.Join(by, ", "), slogFields[name]})
	}
	out += section(3, "Attributes of log records",
		"toolscope logs nothing by itself. These are the attributes of its types that implement `slog.LogValuer`, and those that\n"+
			"`exporters.CorrelateLogs` adds.", []string{"attribute", "type", "written by", "meaning"}, rows)
	return out + "\n### Span files\n\n`exporters.Options.JSONLines` writes OTLP JSON, one " +
		"`ExportTraceServiceRequest` a line; OpenTelemetry defines its fields.\n"
}

// callLog lists the cases of the readers of a line, whose comments have the type before a colon.
func (r *reference) callLog(s *source) (rows [][]string) {
	for _, file := range s.files {
		comments := map[int]string{}
		for _, c := range file.Comments {
			comments[positions.Position(c.Pos()).Line] = meaning("", c, nil)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			f, ok := n.(*ast.FuncDecl)
			if ok && !slices.Contains([]string{"setMember", "setOptional"}, f.Name.Name) {
				return false
			}
			c, ok := n.(*ast.CaseClause)
			if !ok {
				return true
			}
			for _, e := range c.List {
				typ, text, ok := strings.Cut(comments[positions.Position(c.Colon).Line], ": ")
				if !ok {
					r.t.Errorf("%s: call log field %s: got no comment, want // type: meaning", s.position(e), types.ExprString(e))
				}
				rows = append(rows, []string{code(s.text(e)), typ, text})
			}
			return true
		})
	}
	return rows
}
