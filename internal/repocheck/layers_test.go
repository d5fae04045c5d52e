// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package repocheck_test

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/types"
	"io"
	"os"
	"os/exec"
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
	packages := list(t, "linux")
	standard := standardImporter(t, packages)
	for _, p := range packages {
		if !p.released() || len(p.GoFiles) < 5 {
			continue
		}
		refs := references(t, p, standard)
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

// standardImporter imports packages of the standard library and no others. It asks for all export files at once:
// the default importer runs the go command for each package.
func standardImporter(t *testing.T, packages map[string]*pkg) types.Importer {
	t.Helper()
	args := []string{"list", "-export", "-f", "{{.ImportPath}}\t{{.Export}}"}
	for path, p := range packages {
		if p.Standard && !strings.Contains(path, "/internal/") && !strings.HasPrefix(path, "vendor/") {
			args = append(args, path)
		}
	}
	out, err := exec.Command("go", args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	exports := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "\t")
		exports[path] = file
	}
	return importer.ForCompiler(positions, "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("%s: not of the standard library", path)
		}
		return os.Open(exports[path])
	})
}

// fileRefs counts the names that one file uses of another.
type fileRefs struct {
	names map[[2]string]map[string]bool // by user and used
	total int
}

func (r *fileRefs) weight(user, used string) int { return len(r.names[[2]string{user, used}]) }

// references finds the names by type-checking the package with the standard library as its only imports: errors
// about others are of no interest.
func references(t *testing.T, p *pkg, standard types.Importer) *fileRefs {
	t.Helper()
	var files []*ast.File
	for _, file := range parse(t, p) {
		files = append(files, file)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: standard, Error: func(error) {}}
	checked, _ := config.Check(p.ImportPath, positions, files, info)
	refs := &fileRefs{names: map[[2]string]map[string]bool{}}
	for id, object := range info.Uses {
		if _, method := object.(*types.Func); object.Pkg() != checked || !method && object.Parent() != checked.Scope() {
			continue
		}
		user := filepath.Base(positions.Position(id.Pos()).Filename)
		used := filepath.Base(positions.Position(object.Pos()).Filename)
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
	for i, later := range files {
		for _, earlier := range files[:i] {
			back += r.weight(later, earlier)
		}
	}
	for better := true; better; {
		better = false
		for i := range files {
			for j := range files {
				if change := r.change(files, i, j); change < 0 {
					moved := slices.Insert(slices.Delete(slices.Clone(files), i, i+1), j, files[i])
					files, back, better = moved, back+change, true
				}
			}
		}
	}
	return files, back
}

// change is how many more references point back once the file at place i is moved to place j.
func (r *fileRefs) change(files []string, i, j int) (n int) {
	if j < i {
		for _, passed := range files[j:i] {
			n += r.weight(passed, files[i]) - r.weight(files[i], passed)
		}
		return n
	}
	for _, passed := range files[i+1 : j+1] {
		n += r.weight(files[i], passed) - r.weight(passed, files[i])
	}
	return n
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
