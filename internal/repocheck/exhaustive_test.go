// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package repocheck_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/internal/revision"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
)

// An enumeration is a type whose constants code tells apart. Code that does must know all of them:
// tables do not compile otherwise (TestTablesAreUnkeyed), and TestPlacesKnowEachConstant names the
// other places.
type enumeration struct {
	name, file string
	// reviewed are the constants for which all places that tell them apart were looked at. After
	// you have added a constant and have gone through the places that the test names, add it here.
	reviewed []string
}

var enumerations = []enumeration{
	{"Outcome", "toolkit/outcome.go", []string{
		"OutcomeExecuted", "OutcomeCacheHit", "OutcomeCoalesced", "OutcomeRepeated", "OutcomeRefused",
	}},
	{"Ending", "toolkit/outcome.go", []string{
		"EndingReturned", "EndingFailed", "EndingPanicked", "EndingGoexit", "EndingAbandoned",
	}},
	{"Kind", "toolkit/errors.go", []string{
		"ErrTool", "ErrTimeout", "ErrCanceled", "ErrPanic", "ErrUnknownTool", "ErrInvalidArguments",
		"ErrPermissionDenied", "ErrApprovalDenied", "ErrApprovalExpired", "ErrRateLimited", "ErrOverloaded",
		"ErrCircuitOpen", "ErrLoopDetected", "ErrBudgetExceeded",
	}},
}

// stages are distinguished in one table: adding one is a row there.
var stages = enumeration{name: "Stage", file: "middleware/stage.go"}

// TestStagesAreListedInOneTable finds lists, tables and cases of stages elsewhere.
func TestStagesAreListedInOneTable(t *testing.T) {
	names, _ := stages.declared(t)
	sources(t, func(name string, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			var list []ast.Expr
			switch n := n.(type) {
			case *ast.CompositeLit:
				list = n.Elts
			case *ast.CaseClause:
				list = n.List
			}
			for _, x := range list {
				if pair, ok := x.(*ast.KeyValueExpr); ok {
					x = pair.Key
				}
				if stage := constant(x); slices.Contains(names, stage) && name != stages.file {
					t.Errorf("%s: %s tells stages apart, want a column of the table in %s", positions.Position(n.Pos()), stage, stages.file)
				}
			}
			return true
		})
	})
}

// declared are the exported constants of the enumeration's type, in the order of the source, with
// their values where those are strings.
func (e enumeration) declared(t *testing.T) (names, values []string) {
	t.Helper()
	for _, decl := range parseFile(t, e.file).Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		current := ""
		for _, spec := range group.Specs {
			spec := spec.(*ast.ValueSpec)
			if len(spec.Values) > 0 {
				current = ""
				if id, ok := spec.Type.(*ast.Ident); ok {
					current = id.Name
				}
			}
			if current != e.name || !spec.Names[0].IsExported() {
				continue
			}
			names = append(names, spec.Names[0].Name)
			if len(spec.Values) > 0 {
				if text, ok := spec.Values[0].(*ast.BasicLit); ok && text.Kind == token.STRING {
					value, err := strconv.Unquote(text.Value)
					if err != nil {
						t.Fatal(err)
					}
					values = append(values, value)
				}
			}
		}
	}
	if len(names) == 0 {
		t.Fatalf("%s: got no constants of type %s", e.file, e.name)
	}
	return names, values
}

// sources visits the Go files of all modules but tests, parsed.
func sources(t *testing.T, visit func(name string, file *ast.File)) {
	t.Helper()
	walk(t, func(name string) {
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || strings.Contains(name, "/testdata/") {
			return
		}
		visit(name, parseFile(t, name))
	})
}

// constant is the name of the constant that an expression is, with or without its package, also
// converted to a string, or a string in quotes; "" for others.
func constant(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(x.Value); err == nil && x.Kind == token.STRING {
			return strconv.Quote(text)
		}
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		if id, ok := x.X.(*ast.Ident); ok && (id.Name == "toolkit" || id.Name == "middleware") {
			return x.Sel.Name
		}
		return constant(x.X) // .String()
	case *ast.CallExpr:
		if len(x.Args) == 1 {
			return constant(x.Args[0])
		}
		if len(x.Args) == 0 {
			return constant(x.Fun)
		}
	}
	return ""
}

// TestTablesAreUnkeyed: a table of what outcomes, endings or stages mean lists them in their order
// without keys and without a length, and is followed by
//
//	var _ [toolkit.OutcomeCount]struct{} = [len(table)]struct{}{}
//
// so that it does not compile once there is another one. A key, or a length with too few elements,
// makes the new one a silent zero.
func TestTablesAreUnkeyed(t *testing.T) {
	all := map[string]bool{}
	for _, e := range append(enumerations, stages) {
		names, _ := e.declared(t)
		for _, name := range names {
			all[name] = e.name != "Kind" // a map by kinds is held to toolkit.Kinds by a test
		}
	}
	lengths := []string{"outcomes", "endings", "stages", "OutcomeCount", "EndingCount"}
	sources(t, func(_ string, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			table, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			of, ok := table.Type.(*ast.ArrayType)
			if !ok || of.Len == nil || len(table.Elts) == 0 {
				return true
			}
			if slices.Contains(lengths, constant(of.Len)) {
				t.Errorf("%s: the table has a length, so that a missing element is a zero: "+
					"want [...] and a check of its length", positions.Position(table.Pos()))
			}
			for _, x := range table.Elts {
				if pair, ok := x.(*ast.KeyValueExpr); ok && all[constant(pair.Key)] {
					t.Errorf("%s: the table has the key %s, so that one left out is a zero: "+
						"want no keys and a check of its length", positions.Position(pair.Pos()), constant(pair.Key))
				}
			}
			return true
		})
	})
}

// TestPlacesKnowEachConstant: each place that tells outcomes, endings, kinds of errors or stages apart
// was looked at for each of them.
func TestPlacesKnowEachConstant(t *testing.T) {
	for _, e := range enumerations {
		names, values := e.declared(t)
		if slices.Equal(names, e.reviewed) {
			continue
		}
		if e.name == "Outcome" {
			for _, o := range toolkit.Outcomes() {
				values = append(values, o.String())
			}
		}
		all := slices.Concat(names, e.reviewed)
		for _, v := range values {
			all = append(all, strconv.Quote(v))
		}
		t.Errorf("%s: got the constants %q, reviewed were %q. "+
			"Look at each of the places below, then change the list in internal/repocheck/exhaustive_test.go.",
			e.name, names, e.reviewed)
		sources(t, func(_ string, file *ast.File) {
			for _, at := range e.places(all, file) {
				t.Errorf("%s tells them apart", at)
			}
		})
	}
}

// places are where a file tells constants apart: in a comparison, a case, a list or a table.
func (e enumeration) places(names []string, file *ast.File) (at []string) {
	note := func(n ast.Node, list ...ast.Expr) {
		for _, x := range list {
			if pair, ok := x.(*ast.KeyValueExpr); ok {
				x = pair.Key
			}
			if name := constant(x); slices.Contains(names, name) {
				p := positions.Position(n.Pos())
				at = append(at, fmt.Sprintf("%s:%d (%s)", p.Filename, p.Line, name))
				return
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			note(n, n.X, n.Y)
		case *ast.CaseClause:
			note(n, n.List...)
		case *ast.CompositeLit:
			note(n, n.Elts...)
		case *ast.CallExpr:
			f, ok := n.Fun.(*ast.SelectorExpr)
			if ok && slices.Contains([]string{"Is", "Contains", "Index"}, f.Sel.Name) {
				note(n, n.Args...)
			}
		}
		return true
	})
	return at
}

// TestRevisionsAreNamedInOneTable: code asks package internal/revision what a revision of MCP has. A name elsewhere
// would be compared as text.
func TestRevisionsAreNamedInOneTable(t *testing.T) {
	var names []string
	for r := revision.Unknown + 1; r <= revision.Newest; r++ {
		names = append(names, strconv.Quote(r.String()))
	}
	sources(t, func(name string, file *ast.File) {
		if path.Dir(name) == "internal/revision" {
			return
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if text, ok := n.(*ast.BasicLit); ok && slices.Contains(names, text.Value) {
				t.Errorf("%s: got the revision %s, want a question to internal/revision", positions.Position(n.Pos()), text.Value)
			}
			return true
		})
	})
}

// someOutcomes is in a line that lists outcomes; the names of the others are words of prose as well.
var someOutcomes = regexp.MustCompile(`\bcache_hits?\b.*\bcoalesced\b|\bcoalesced\b.*\bcache_hits?\b`)

// TestLinesNameEachOutcome: a line that lists outcomes lists all that answer a call without a run, and if it begins with
// executed, all there are.
func TestLinesNameEachOutcome(t *testing.T) {
	walk(t, func(name string) {
		switch path.Ext(name) {
		case ".go", ".md", ".js", ".css", ".json", ".yml", ".yaml":
		default:
			return
		}
		generated := strings.HasPrefix(name, "docs/telemetry") || strings.HasSuffix(name, "/openapi.json")
		if generated || strings.HasSuffix(name, "_test.go") || strings.Contains(name, "/testdata/") || name == "CHANGELOG.md" {
			return
		}
		text := read(t, name)
		if !bytes.Contains(text, []byte("coalesced")) {
			return
		}
		for i, line := range strings.Split(string(text), "\n") {
			if !someOutcomes.MatchString(line) {
				continue
			}
			all := strings.Contains(line, "executed") && strings.Contains(line, "refused")
			for _, o := range toolkit.Outcomes() {
				if (all || o.Answered()) && !strings.Contains(line, o.String()) {
					t.Errorf("%s:%d lists outcomes, but not %s", name, i+1, o)
				}
			}
		}
	})
}

// TestListsNameEachConstant: what is written for people, and for Prometheus, names each outcome,
// kind and stage.
func TestListsNameEachConstant(t *testing.T) {
	var outcomes, answered []string
	for _, o := range toolkit.Outcomes() {
		outcomes = append(outcomes, o.String())
		if o != toolkit.OutcomeExecuted && o != toolkit.OutcomeRefused {
			answered = append(answered, o.String())
		}
	}
	_, kinds := enumerations[2].declared(t)
	var stages []string
	for _, s := range middleware.Stages() {
		stages = append(stages, s.String())
	}
	last := len(outcomes) - 1
	others := strings.Join(outcomes[1:], "`, `")
	quoted := "`" + strings.Join(outcomes, "`, `") + "`"
	rows := func(names []string) (all []string) {
		for _, n := range names {
			all = append(all, "\n| `"+n+"` |")
		}
		return all
	}
	var ordered strings.Builder // the first cells of docs/policies.md's table, in their order
	for _, s := range stages {
		fmt.Fprintf(&ordered, "| %s | [^\n]*\n", s)
	}
	for file, wants := range map[string][]string{
		"internal/calllog/log.go": {strings.Join(outcomes[1:last], ", ") + " or " + outcomes[last]},
		"docs/export.md": append(
			[]string{strings.Join(outcomes, ","), "`executed` (the default), `" + others + "`"}, kinds...),
		"docs/http.md":                              outcomes,
		"docs/policies.md":                          {quoted},
		"docs/design.md":                            append(rows(outcomes), rows(kinds)...),
		"docs/stats.md":                             {strings.Join(outcomes, " + ")},
		"exporters/grafana/toolscope-otel.json":     {strings.Join(answered, "|")},
		"exporters/grafana/toolscope-stats.json":    {strings.Join(answered, "|")},
		"examples/deploy/rules/toolscope.rules.yml": {strings.Join(answered, "|")},
	} {
		text := string(read(t, file))
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s: got no %q, want every outcome and kind of error named there", file, want)
			}
		}
	}
	table := regexp.MustCompile(strings.ReplaceAll(ordered.String(), "|", `\|`))
	if !table.Match(read(t, "docs/policies.md")) {
		t.Errorf("docs/policies.md: the table of the stages does not have %q in this order", stages)
	}
}
