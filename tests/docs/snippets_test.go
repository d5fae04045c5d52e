// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestSnippets type-checks the Go blocks of each page. A block is a whole file if it begins with "package", else
// declarations if it begins with "func", else statements: those of a page are one function, each block inside
// the one before, so that a block may use the variables of earlier ones. Imports are found by the names that are used.
// Unused variables are no errors. Each page has a ctx and an err.
func TestSnippets(t *testing.T) {
	all := blocks(t)
	files, checked := map[string]string{}, 0
	for page, bs := range all {
		var declarations, statements, closing string
		for _, b := range bs {
			if b.kind == "go-declarations" {
				declarations += b.text
			}
			if b.kind != "go" || b.notRun != "" {
				continue
			}
			checked++
			at := fmt.Sprintf("//line %s:%d\n", path.Base(page), b.line)
			code := strings.ReplaceAll(b.text, "{ … }", "{ panic(err) }")
			switch first, _, _ := strings.Cut(strings.TrimLeft(withoutComments(code), "\n"), " "); {
			case first == "package":
				files[fmt.Sprintf("%s:%d", page, b.line)] = at + code
			case first == "func" || first == "import":
				declarations += at + code
			default:
				statements += "{\n" + at + code
				closing += "\n}"
			}
		}
		if statements+declarations != "" {
			files[page] = "package page\nvar ctx context.Context\nvar err error\n" + declarations + "\nfunc page() error {\n" + statements + closing + "\npanic(0)\n}\n"
		}
	}
	check(t, files)
	t.Logf("%d Go blocks checked", checked)
}

func withoutComments(code string) string {
	return regexp.MustCompile(`(?m)^//.*\n`).ReplaceAllString(code, "")
}

func check(t *testing.T, files map[string]string) {
	fset, parsed, needed := token.NewFileSet(), map[string]*ast.File{}, map[string]bool{}
	packages := known(t)
	for name, source := range files {
		file, err := parser.ParseFile(fset, name, source, parser.SkipObjectResolution)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(file.Imports) == 0 {
			file = withImports(t, fset, name, source, file, packages)
		}
		for _, spec := range file.Imports {
			needed[strings.Trim(spec.Path.Value, `"`)] = true
		}
		parsed[name] = file
	}
	lookup := exported(t, slices.Sorted(maps.Keys(needed)))
	for _, name := range slices.Sorted(maps.Keys(parsed)) {
		config := types.Config{Importer: importer.ForCompiler(fset, "gc", lookup), Error: func(err error) {
			var te types.Error
			if errors.As(err, &te) && !te.Soft {
				t.Errorf("%v", err)
			}
		}}
		_, _ = config.Check(name, fset, []*ast.File{parsed[name]}, nil) // errors are reported above
	}
}

// withImports adds the packages that a source names before a dot and does not declare.
func withImports(t *testing.T, fset *token.FileSet, name, source string, file *ast.File, packages map[string]string) *ast.File {
	used := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && packages[x.Name] != "" {
				used[x.Name] = true
			}
		}
		return true
	})
	imports := ""
	for _, x := range slices.Sorted(maps.Keys(used)) {
		imports += fmt.Sprintf("; import %s %q", x, packages[x])
	}
	head, rest, _ := strings.Cut(source, "\n")
	file, err := parser.ParseFile(fset, name, head+imports+"\n"+rest, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// others are packages besides toolscope's that blocks may use by their names.
var others = []string{
	"regexp", "bytes", "context", "encoding/json", "errors", "fmt", "io", "iter", "log", "log/slog",
	"net/http", "os", "os/exec", "strings", "time",
	"database/sql", "go.opentelemetry.io/otel", "go.opentelemetry.io/otel/attribute", "github.com/modelcontextprotocol/go-sdk/mcp",
}

// known are the packages that blocks may use, by their names.
func known(t *testing.T) map[string]string {
	c := goCommand("list", "-f", "{{.Name}} {{.ImportPath}}", "./...", "./exporters/...", "./mcp/...", "./tools/...")
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{"sdktrace": "go.opentelemetry.io/otel/sdk/trace"}
	for _, p := range others {
		names[path.Base(p)] = p
	}
	for s := bufio.NewScanner(bytes.NewReader(out)); s.Scan(); {
		name, importPath, _ := strings.Cut(s.Text(), " ")
		if name != "main" && !strings.Contains(importPath, "/internal/") {
			names[name] = importPath
		}
	}
	return names
}

// exported finds the compiled form of packages and of what they import.
func exported(t *testing.T, packages []string) func(string) (io.ReadCloser, error) {
	args := append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}"}, packages...)
	c := goCommand(args...)
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for s := bufio.NewScanner(bytes.NewReader(out)); s.Scan(); {
		importPath, file, _ := strings.Cut(s.Text(), "\t")
		files[importPath] = file
	}
	return func(importPath string) (io.ReadCloser, error) {
		if files[importPath] == "" {
			return nil, fmt.Errorf("%s is not imported", importPath)
		}
		return os.Open(files[importPath])
	}
}
