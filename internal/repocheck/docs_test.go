// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package repocheck_test

import (
	"go/ast"
	"strings"
	"testing"
)

func TestEveryPackageSaysWhatItIs(t *testing.T) {
	for _, p := range list(t, "linux") {
		if p.own() == "" || len(p.GoFiles) == 0 {
			continue
		}
		files := parse(t, p)
		begin, where := "Package "+p.Name+" ", "doc.go"
		if p.Name == "main" {
			begin = "" // a command or an example: any words
		}
		if len(files) == 1 {
			where = p.GoFiles[0]
		}
		file := files[where]
		if p.Name == "main" && file == nil {
			file = files["main.go"]
		}
		if file == nil || file.Doc == nil || !strings.HasPrefix(file.Doc.Text(), begin) {
			t.Errorf("%s: want a comment %q above the package clause of %s", p.own(), begin+"…", where)
		}
	}
}

func TestEveryExportedNameIsDocumented(t *testing.T) {
	for _, p := range list(t, "linux") {
		if p.own() == "" || p.Name == "main" {
			continue
		}
		for _, file := range parse(t, p) {
			for _, decl := range file.Decls {
				for _, name := range undocumented(decl) {
					t.Errorf("%s: %s has no doc comment", positions.Position(name.Pos()), name.Name)
				}
			}
		}
	}
}

// undocumented lists the exported names of a declaration that have no comment: a
// comment of the group, or at the end of the line, counts for constants,
// variables and types.
func undocumented(decl ast.Decl) (names []*ast.Ident) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if r := receiver(d); d.Name.IsExported() && d.Doc == nil && (r == "" || ast.IsExported(r)) {
			names = append(names, d.Name)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() && s.Doc == nil && d.Doc == nil && s.Comment == nil {
					names = append(names, s.Name)
				}
			case *ast.ValueSpec:
				for _, name := range s.Names {
					if name.IsExported() && s.Doc == nil && d.Doc == nil && s.Comment == nil {
						names = append(names, name)
					}
				}
			}
		}
	}
	return names
}
