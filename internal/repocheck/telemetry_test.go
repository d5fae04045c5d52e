// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package repocheck_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestTelemetryIsAsListed makes docs/telemetry*.md from the code: names, types and units from what the code calls,
// meanings from doc comments. A name without a meaning fails the test with its position.
func TestTelemetryIsAsListed(t *testing.T) {
	r := newReference(t)
	attributes := r.attributes()
	pages := map[string]string{
		"docs/telemetry.md":         telemetryHead() + attributes,
		"docs/telemetry-metrics.md": telemetryPage("Metrics", "Every OpenTelemetry instrument and Prometheus series", r.metrics()),
		"docs/telemetry-json.md":    telemetryPage("JSON", "Every JSON field of the HTTP API and of files", r.json()),
		"docs/telemetry-logs.md":    telemetryPage("Logs", "Every field of the call log, the audit log and log records", r.logs()),
	}
	if t.Failed() {
		return
	}
	for _, file := range slices.Sorted(maps.Keys(pages)) {
		got := pages[file]
		if *update {
			if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(file)), []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if diff := difference(withHeadings(string(read(t, file))), withHeadings(got)); diff != "" {
			t.Errorf("%s: the code exports other telemetry than listed; if this is meant, run make telemetry\n%s", file, diff)
		}
	}
}

// telemetryPage is a page of which the section's heading is the title: its own headings move up one level.
func telemetryPage(title, what, text string) string {
	_, text, _ = strings.Cut(strings.ReplaceAll("\n"+text, "\n##", "\n#"), "\n# "+title+"\n")
	return "# Telemetry reference: " + title + "\n\n" + what +
		" that toolscope writes. `make telemetry` generates this page from the code.\n" +
		"[telemetry.md](telemetry.md) lists the attributes and explains the stability of names.\n" + text
}

// withHeadings puts its heading before each line, because tables have lines in common.
func withHeadings(page string) string {
	heading, lines := "", strings.Split(page, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "#") {
			heading = line
		}
		lines[i] = strings.TrimLeft(heading, "# ") + ": " + line
	}
	return strings.Join(lines, "\n")
}

// stabilities is the stability of names by their beginning; the longest that fits counts.
var stabilities = []struct{ prefix, stability, source string }{
	{"", "experimental", "toolscope"},
	{"toolscope.", "experimental", "toolscope"},
	{"error.", "stable", "OpenTelemetry"},
	{"exception.", "stable", "OpenTelemetry"},
	{"gen_ai.", "development", "OpenTelemetry GenAI"},
	{"jsonrpc.", "development", "OpenTelemetry"},
	{"mcp.", "development", "OpenTelemetry GenAI"},
	{"mcp.server.stderr", "experimental", "toolscope"},
	{"network.", "stable", "OpenTelemetry"},
	{"otel.", "development", "OpenTelemetry"},
	{"rpc.response.", "release candidate", "OpenTelemetry"},
	{"server.", "stable", "OpenTelemetry"},
	{"service.", "stable", "OpenTelemetry"},
	{"session.", "development", "OpenTelemetry"},
}

// stability is that of an attribute, an event or an OpenTelemetry instrument.
func stability(name string) string {
	best := stabilities[0]
	for _, s := range stabilities {
		if strings.HasPrefix(name, s.prefix) && len(s.prefix) > len(best.prefix) {
			best = s
		}
	}
	return best.stability
}

func telemetryHead() string {
	rows := [][]string{}
	for _, s := range stabilities[1:] {
		rows = append(rows, []string{code(s.prefix), s.source, s.stability})
	}
	return "# Telemetry reference\n\n" +
		"Every attribute that toolscope writes to spans and metrics, with its type, meaning and stability.\n" +
		"[Metrics](telemetry-metrics.md), [JSON fields](telemetry-json.md) and [log fields](telemetry-logs.md) have " +
		"pages of their own.\n" +
		"`make telemetry` generates these pages from the code and its comments. Do not edit them by hand: a test compares them.\n\n" +
		"[spans.md](spans.md), [stats.md](stats.md) and [http.md](http.md) explain how to use these names.\n\n" +
		"## Stability\n\n" +
		"- *stable*: OpenTelemetry does not change the name, type or meaning.\n" +
		"- *release candidate*, *development*: OpenTelemetry may still change it. toolscope then follows.\n" +
		"- *experimental*: toolscope's own. Until version 1.0 a minor version may change it; CHANGELOG.md lists the change.\n\n" +
		"Names that begin with none of these prefixes are experimental. So are all Prometheus series, JSON fields and " +
		"log\nfields of toolscope.\n\n" +
		table([]string{"prefix", "defined by", "stability"}, rows)
}

// reference is what the sections of the page are made from.
type reference struct {
	t        *testing.T
	packages []*source           // that are scanned, sorted
	semconv  map[string]*convKey // by the name of the variable, without Key
	otelconv *source
	known    map[string]bool // the attribute keys found
}

// source is a parsed package.
type source struct {
	dir   string
	files []*ast.File
	keys  map[string]string // attribute keys by the name of their constant
	texts map[string]string // constants that are texts
}

// newReference parses the packages that applications link: not the command, examples and tests.
func newReference(t *testing.T) *reference {
	r := &reference{t: t, known: map[string]bool{}}
	packages := list(t, "linux")
	for _, path := range slices.Sorted(maps.Keys(packages)) {
		p := packages[path]
		first, _, _ := strings.Cut(p.own(), "/")
		if first != "" && p.Name != "main" && len(p.GoFiles) > 0 &&
			!slices.Contains([]string{"cmd", "examples", "tests", "bench", "e2e"}, first) {
			r.packages = append(r.packages, newSource(t, p))
		}
	}
	for _, s := range r.packages {
		for _, file := range s.files {
			for _, spec := range file.Imports {
				switch path := unquote(spec.Path); {
				case !strings.HasPrefix(path, "go.opentelemetry.io/otel/semconv/"):
				case strings.HasSuffix(path, "/otelconv"):
					r.otelconv = newSource(t, packages[path])
				case r.semconv == nil:
					r.semconv = conventionKeys(newSource(t, packages[path]))
				}
			}
		}
	}
	if r.semconv == nil || r.otelconv == nil {
		t.Fatal("got no import of the semantic conventions and of their package otelconv")
	}
	return r
}

func newSource(t *testing.T, p *pkg) *source {
	s := &source{dir: p.own(), keys: map[string]string{}, texts: map[string]string{}}
	files := parse(t, p)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		s.files = append(s.files, files[name])
		for _, v := range values(files[name]) {
			if text := s.text(v.value); text != "" {
				s.texts[v.name.Name] = text
			}
		}
	}
	return s
}

// name is the package's path in the repository.
func (s *source) name() string {
	if s.dir == "." {
		return "toolscope"
	}
	dir, _, _ := strings.Cut(s.dir, "/internal/") // a package within one that users know
	return dir
}

// declared is a constant or variable of a package, with its own comment.
type declared struct {
	name    *ast.Ident
	value   ast.Expr
	meaning string
}

func values(file *ast.File) (all []declared) {
	for _, decl := range file.Decls {
		d, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range d.Specs {
			s, ok := spec.(*ast.ValueSpec)
			if !ok {
				continue
			}
			doc := s.Doc
			if doc == nil && !d.Lparen.IsValid() {
				doc = d.Doc
			}
			for i, name := range s.Names {
				if i < len(s.Values) {
					all = append(all, declared{name, s.Values[i], meaning(name.Name, doc, s.Comment)})
				}
			}
		}
	}
	return all
}

// meaning is a comment on one line, without the name that it begins with.
func meaning(name string, doc, comment *ast.CommentGroup) string {
	if doc == nil {
		doc = comment
	}
	text := strings.Join(strings.Fields(doc.Text()), " ")
	for _, verb := range []string{" is ", " are ", " says "} {
		text = strings.TrimPrefix(text, name+verb)
	}
	return strings.TrimSuffix(strings.NewReplacer("[", "", "]", "").Replace(text), ".")
}

func unquote(lit *ast.BasicLit) string {
	text, _ := strconv.Unquote(lit.Value) // the parser has accepted it
	return text
}

// text is a text in the code: a literal or a constant of the package; "" for any other.
func (s *source) text(expr ast.Expr) string {
	switch e := expr.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			return unquote(e)
		}
	case *ast.BinaryExpr: // a text on several lines
		if a, b := s.text(e.X), s.text(e.Y); e.Op == token.ADD && a != "" && b != "" {
			return a + b
		}
	case *ast.Ident:
		return s.texts[e.Name]
	}
	return ""
}

// position is where a node is in the repository.
func (s *source) position(n ast.Node) string {
	return positions.Position(n.Pos()).String()
}

// calls visits the calls of a package with the name of what is called, as "attribute.String" or ".Tag".
func (s *source) calls(visit func(qualifier, name string, call *ast.CallExpr)) {
	for _, file := range s.files {
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			switch f := call.Fun.(type) {
			case *ast.Ident:
				visit("", f.Name, call)
			case *ast.SelectorExpr:
				qualifier := "."
				if x, ok := f.X.(*ast.Ident); ok {
					qualifier = x.Name
				}
				visit(qualifier, f.Sel.Name, call)
			}
			return true
		})
	}
}

// bothWays compares what the code has with what is listed; where says in which table.
func (r *reference) bothWays(what, where string, found map[string]string, listed []string) {
	for _, name := range slices.Sorted(maps.Keys(found)) {
		if !slices.Contains(listed, name) {
			r.t.Errorf("%s: %s %q: got no meaning, want one %s", found[name], what, name, where)
		}
	}
	for _, name := range listed {
		if _, ok := found[name]; !ok {
			r.t.Errorf("%s %q: has a meaning %s, but the code does not write it", what, name, where)
		}
	}
}

func code(s string) string { return "`" + s + "`" }

// table is a Markdown table.
func table(head []string, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) {
		for i, c := range cells {
			cells[i] = strings.ReplaceAll(strings.ReplaceAll(c, "|", `\|`), "\n", " ")
		}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | "))
	}
	line(head)
	line(slices.Repeat([]string{"---"}, len(head)))
	for _, row := range rows {
		line(row)
	}
	return b.String()
}

func section(level int, title, text string, head []string, rows [][]string) string {
	slices.SortFunc(rows, slices.Compare)
	out := "\n" + strings.Repeat("#", level) + " " + title + "\n\n"
	if text != "" {
		out += text + "\n\n"
	}
	return out + table(head, rows)
}
