// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package repocheck_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"testing"
)

// parsed are the syntax trees of parseFile by file, with the positions of all of them. The tests
// share them and do not change them; none is parallel.
var (
	positions = token.NewFileSet()
	parsed    = map[string]*ast.File{}
)

// parseFile reads a Go file of the repository, or another one by its absolute path.
func parseFile(t *testing.T, name string) *ast.File {
	t.Helper()
	if file := parsed[name]; file != nil {
		return file
	}
	path := name
	if !filepath.IsAbs(name) {
		path = filepath.Join(root, filepath.FromSlash(name))
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(positions, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	parsed[name] = file
	return file
}

// parse reads the files of a package as they are built for Linux.
func parse(t *testing.T, p *pkg) map[string]*ast.File {
	t.Helper()
	files := map[string]*ast.File{}
	for _, name := range p.GoFiles {
		if own := p.own(); own != "" {
			files[name] = parseFile(t, path.Join(own, name))
		} else {
			files[name] = parseFile(t, filepath.Join(p.Dir, name))
		}
	}
	return files
}

// receiver is the name of a method's type, "" for a function.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return ""
	}
	expr := f.Recv.List[0].Type
	for {
		switch e := expr.(type) {
		case *ast.StarExpr:
			expr = e.X
		case *ast.IndexExpr:
			expr = e.X
		case *ast.IndexListExpr:
			expr = e.X
		case *ast.Ident:
			return e.Name
		default:
			return ""
		}
	}
}
