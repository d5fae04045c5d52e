// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package repocheck_test

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// maxBack is the share of references between the files of a package that may point against its order.
const maxBack = 0.10

// TestFilesFormLayers: the files of a package can be put into an order in which those that use come before
// those that are used. Without one, each file has to be read to understand any other. A reference is a name that
// one file uses and another one declares: a function, method, type, variable or constant of the package. Packages
// of few files, or with few references, have one order or another by chance, and are left out.
func TestFilesFormLayers(t *testing.T) {
	for _, p := range list(t, "linux") {
		if !p.released() || len(p.GoFiles) < 5 {
			continue
		}
		refs := references(t, p)
		if refs.total < 20 {
			continue
		}
		files, back := refs.layers(slices.Clone(p.GoFiles))
		if float64(back) > maxBack*float64(refs.total) {
			t.Errorf("%s: got %d of %d references between files that point back up, want at most %.0f %%. The order with the fewest:\n%s",
				p.own(), back, refs.total, 100*maxBack, refs.describe(files))
		}
	}
}

// fileRefs counts the names that one file uses of another.
type fileRefs struct {
	names map[[2]string]map[string]bool // by user and used
	total int
}

func (r *fileRefs) weight(user, used string) int { return len(r.names[[2]string{user, used}]) }

// references finds the names by type-checking the package without its imports: errors about those are of no interest.
func references(t *testing.T, p *pkg) *fileRefs {
	t.Helper()
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: importer.ForCompiler(fset, "gc", nil), Error: func(error) {}}
	checked, _ := config.Check(p.ImportPath, fset, files, info)
	refs := &fileRefs{names: map[[2]string]map[string]bool{}}
	for id, object := range info.Uses {
		if _, method := object.(*types.Func); object.Pkg() != checked || !method && object.Parent() != checked.Scope() {
			continue
		}
		user := filepath.Base(fset.Position(id.Pos()).Filename)
		used := filepath.Base(fset.Position(object.Pos()).Filename)
		if user == used {
			continue
		}
		key := [2]string{user, used}
		if refs.names[key] == nil {
			refs.names[key] = map[string]bool{}
		}
		if !refs.names[key][object.Name()] {
			refs.names[key][object.Name()] = true
			refs.total++
		}
	}
	return refs
}

// layers puts files into an order with few references from a later file to an earlier one, and counts those: it moves
// one file at a time as long as that helps.
func (r *fileRefs) layers(files []string) (order []string, back int) {
	cost := func(order []string) (n int) {
		for i, later := range order {
			for _, earlier := range order[:i] {
				n += r.weight(later, earlier)
			}
		}
		return n
	}
	back = cost(files)
	for better := true; better; {
		better = false
		for i := range files {
			for j := range files {
				moved := slices.Insert(slices.Delete(slices.Clone(files), i, i+1), j, files[i])
				if n := cost(moved); n < back {
					files, back, better = moved, n, true
				}
			}
		}
	}
	return files, back
}

// describe lists the references that point back up.
func (r *fileRefs) describe(order []string) string {
	var text strings.Builder
	for i, later := range order {
		for _, earlier := range order[:i] {
			if names := r.names[[2]string{later, earlier}]; len(names) > 0 {
				var list []string
				for name := range names {
					list = append(list, name)
				}
				slices.Sort(list)
				fmt.Fprintf(&text, "\t%s uses %s of %s\n", later, strings.Join(list, ", "), earlier)
			}
		}
	}
	return text.String()
}
