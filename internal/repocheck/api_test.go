// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package repocheck_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the listings in api/ and docs/telemetry.md")

// listing is the file that lists a package's API, below the repository's root.
func listing(dir string) string {
	if dir == "." {
		dir = "toolscope"
	}
	return "api/" + strings.ReplaceAll(dir, "/", "_") + ".txt"
}

// A change of what users compile against shows as a change of a file, so that it
// is made on purpose and reviewed.
func TestExportedAPIIsAsListed(t *testing.T) {
	listed := map[string]bool{}
	packages := list(t, "linux")
	shared := sharedInternals(packages)
	for _, p := range packages {
		if !p.library() && !shared[p.ImportPath] {
			continue
		}
		file := listing(p.own())
		listed[file] = true
		got := exported(t, p)
		if *update {
			if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(file)), []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		if err != nil {
			t.Errorf("%s: %v; run make api", p.own(), err)
			continue
		}
		if diff := difference(string(bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n"))), got); diff != "" {
			t.Errorf("%s: the exported API is not as listed; if this is meant, run make api\n%s", p.own(), diff)
		}
	}
	files, err := filepath.Glob(filepath.Join(root, "api", "*.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		if name := "api/" + filepath.Base(path); !listed[name] {
			t.Errorf("%s: lists a package that is not there", name)
		}
	}
}

// sharedInternals are the internal packages that a released module other than their own imports.
// A user may have a newer core than the other module was made with, so that what these export
// is a contract as well.
func sharedInternals(packages map[string]*pkg) map[string]bool {
	shared := map[string]bool{}
	for _, p := range packages {
		if first, _, _ := strings.Cut(p.own(), "/"); p.own() == "" || slices.Contains(unreleased, first) {
			continue
		}
		for _, path := range p.Imports {
			dep := packages[path]
			if dep != nil && dep.own() != "" && dep.Module.Path != p.Module.Path && strings.Contains(path, "/internal/") {
				shared[path] = true
			}
		}
	}
	return shared
}

// difference shows the lines that only one of two listings has.
func difference(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	var b strings.Builder
	for _, line := range w {
		if !slices.Contains(g, line) {
			fmt.Fprintln(&b, "-", line)
		}
	}
	for _, line := range g {
		if !slices.Contains(w, line) {
			fmt.Fprintln(&b, "+", line)
		}
	}
	return b.String()
}

// exported is the listing of a package: one line for each exported name with its
// type or signature, for fields and methods of exported types too, sorted.
func exported(t *testing.T, p *pkg) string {
	t.Helper()
	l := &lister{}
	for _, file := range parse(t, p) {
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				l.function(d)
			case *ast.GenDecl:
				l.general(d)
			}
		}
	}
	slices.Sort(l.lines)
	return fmt.Sprintf("package %s // %s\n%s\n", p.Name, p.ImportPath, strings.Join(l.lines, "\n"))
}

type lister struct{ lines []string }

func (l *lister) addLine(format string, args ...any) {
	l.lines = append(l.lines, fmt.Sprintf(format, args...))
}

// text prints a node on one line, without comments.
func (l *lister) text(node any) string {
	var b bytes.Buffer
	if err := printer.Fprint(&b, positions, node); err != nil {
		return err.Error()
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

func (l *lister) signature(f *ast.FuncType) string {
	return strings.TrimPrefix(l.text(&ast.FuncType{Params: f.Params, Results: f.Results}), "func")
}

func (l *lister) parameters(list *ast.FieldList) string {
	if list == nil {
		return ""
	}
	var params []string
	for _, field := range list.List {
		var names []string
		for _, name := range field.Names {
			names = append(names, name.Name)
		}
		params = append(params, strings.Join(names, ", ")+" "+l.text(field.Type))
	}
	return "[" + strings.Join(params, ", ") + "]"
}

func (l *lister) function(d *ast.FuncDecl) {
	r := receiver(d)
	switch {
	case !d.Name.IsExported() || r != "" && !ast.IsExported(r):
	case r == "":
		l.addLine("func %s%s%s", d.Name.Name, l.parameters(d.Type.TypeParams), l.signature(d.Type))
	default:
		l.addLine("method (%s) %s%s", l.text(d.Recv.List[0].Type), d.Name.Name, l.signature(d.Type))
	}
}

func (l *lister) general(d *ast.GenDecl) {
	var implied string      // the type that a constant without one takes from above,
	var repeated []ast.Expr // and its expressions
	for iota, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() {
				l.typ(s)
			}
		case *ast.ValueSpec:
			kind, values := implied, s.Values
			if s.Type != nil {
				kind = " " + l.text(s.Type)
			} else if len(values) > 0 {
				kind = ""
			}
			if d.Tok == token.CONST {
				if len(values) > 0 {
					repeated = values
				}
				implied, values = kind, repeated
			}
			for i, name := range s.Names {
				if !name.IsExported() {
					continue
				}
				value := ""
				if i < len(values) && (d.Tok == token.CONST || kind == "") {
					value = " = " + l.text(values[i])
					if strings.Contains(value, "iota") {
						value += fmt.Sprintf(" where iota is %d", iota)
					}
				}
				l.addLine("%s %s%s%s", d.Tok, name.Name, kind, value)
			}
		}
	}
}

func (l *lister) typ(s *ast.TypeSpec) {
	name := s.Name.Name
	head := "type " + name + l.parameters(s.TypeParams)
	if s.Assign.IsValid() {
		l.addLine("%s = %s", head, l.text(s.Type))
		return
	}
	switch body := s.Type.(type) {
	case *ast.StructType:
		l.addLine("%s struct", head)
		for _, f := range body.Fields.List {
			l.field(name, f)
		}
	case *ast.InterfaceType:
		l.interfaceType(head, name, body)
	default:
		l.addLine("%s %s", head, l.text(s.Type))
	}
}

func (l *lister) field(owner string, f *ast.Field) {
	tag := ""
	if f.Tag != nil {
		tag = " " + f.Tag.Value
	}
	for _, name := range f.Names {
		if name.IsExported() {
			l.addLine("field %s.%s %s%s", owner, name.Name, l.text(f.Type), tag)
		}
	}
	if len(f.Names) == 0 {
		l.addLine("field %s embeds %s%s", owner, l.text(f.Type), tag)
	}
}

// interfaceType lists methods one by one, and sets of types as they stand.
func (l *lister) interfaceType(head, name string, body *ast.InterfaceType) {
	closed := ""
	for _, m := range body.Methods.List {
		f, ok := m.Type.(*ast.FuncType)
		switch {
		case !ok:
			l.addLine("interface %s of %s", name, l.text(m.Type))
		case len(m.Names) > 0 && m.Names[0].IsExported():
			l.addLine("interface %s.%s%s", name, m.Names[0].Name, l.signature(f))
		default:
			closed = " (with unexported methods)"
		}
	}
	l.addLine("%s interface%s", head, closed)
}
