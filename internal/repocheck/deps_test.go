// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package repocheck_test

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// importsFile lists what each package of the released modules imports directly: packages of
// toolscope by directory, then other modules. A change of a dependency is a change of this file, which
// `go test ./internal/repocheck -run TestImportsAreAsListed -update` rewrites.
const importsFile = "internal/repocheck/imports.txt"

const importsHead = `# What each package imports directly, on Linux, macOS or Windows: packages of toolscope, then other modules.
# Rewrite it with: go test ./internal/repocheck -run TestImportsAreAsListed -update
`

func TestImportsAreAsListed(t *testing.T) {
	imports := map[string]map[string]bool{}
	for _, goos := range []string{"linux", "darwin", "windows"} {
		packages := list(t, goos)
		for _, p := range packages {
			if !p.released() {
				continue
			}
			if imports[p.own()] == nil {
				imports[p.own()] = map[string]bool{}
			}
			for _, path := range p.Imports {
				if name := dependencyName(packages[path]); name != "" {
					imports[p.own()][name] = true
				}
			}
		}
	}
	var b strings.Builder
	b.WriteString(importsHead)
	for _, p := range slices.Sorted(maps.Keys(imports)) {
		names := slices.SortedFunc(maps.Keys(imports[p]), func(a, b string) int {
			return cmp.Or(cmp.Compare(isModule(a), isModule(b)), strings.Compare(a, b))
		})
		fmt.Fprintf(&b, "\n%s\n", p)
		for _, name := range names {
			fmt.Fprintf(&b, "\t%s\n", name)
		}
	}
	if *update {
		if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(importsFile)), []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	listed := strings.Split(string(read(t, importsFile)), "\n\n")
	found := strings.Split(b.String(), "\n\n")
	for _, block := range found {
		if !slices.Contains(listed, block) {
			t.Errorf("%s has no such block; if the dependency is right, rewrite the file:\n%s", importsFile, block)
		}
	}
	if len(listed) != len(found) {
		t.Errorf("%s has %d blocks, want %d: one for each package", importsFile, len(listed), len(found))
	}
}

// dependencyName is the directory of a package of toolscope, the module of another one, and "" for
// the standard library.
func dependencyName(p *pkg) string {
	switch {
	case p == nil || p.Standard || p.Module == nil:
		return ""
	case p.own() != "":
		return p.own()
	}
	return p.Module.Path
}

// isModule is 1 for the path of a module, which begins with the name of a host, and 0 for a directory.
func isModule(name string) int {
	if first, _, below := strings.Cut(name, "/"); below && strings.Contains(first, ".") {
		return 1
	}
	return 0
}

// never are dependencies that no package may have, directly or not, with the reason. A pattern is a
// directory, or a module: "x" is x alone, "x/..." is x and what is below it, "." is the root package and
// "*" is every module.
var never = []struct{ from, to, why string }{
	{"toolkit", "*", "the contract needs the standard library only"},
	{"toolkit/identity", "*", "the contract needs the standard library only"},
	{"toolkit/...", ". redact/... tracing/... stats/... middleware/... config exporters/... mcp/... tools/...",
		"the contract is at the bottom"},
	{"redact/...", ". toolkit/... tracing/... stats/... middleware/... config exporters/... mcp/... tools/...",
		"the redactor is at the bottom, next to the contract"},
	{"redact", "go.yaml.in/yaml/v4", "a program with the default redactor reads no file"},
	{"tracing", ". stats/... middleware/... config exporters/... mcp/... tools/...", "observers do not know each other"},
	{"stats/...", ". tracing/... middleware/... config exporters/... mcp/... tools/...", "observers do not know each other"},
	{"stats", "stats/statshttp/... internal/statspage internal/calllog",
		"counting a call must not link the pages"},
	{"stats/internal/...", "stats", "the packages inside stats are below it"},
	{"stats/statshttp/internal/...", "stats/statshttp", "the packages inside statshttp are below it"},
	{"redact/internal/...", "redact", "the packages inside redact are below it"},
	{"middleware/permit/internal/...", "middleware/permit", "the packages inside permit are below it"},
	{"mcp/mcpproxy/internal/...", "mcp/mcpproxy", "the packages inside the proxy are below it"},
	{"exporters/internal/...", "exporters", "the packages inside exporters are below it"},
	{"middleware/...", ". tracing/... stats/... config exporters/... mcp/... tools/...",
		"a policy records on the call and knows no observer"},
	{"middleware", "middleware/cache/... middleware/dedupe middleware/approve middleware/limit middleware/retry middleware/loop " +
		"middleware/breaker middleware/budget middleware/timeout middleware/audit middleware/permit/... middleware/validate " +
		"middleware/baseline",
		"a program links the policies that it names"},
	{".", "config middleware/cache middleware/dedupe middleware/limit middleware/retry middleware/loop middleware/breaker " +
		"middleware/budget middleware/timeout middleware/audit middleware/permit middleware/validate middleware/baseline " +
		"exporters/... mcp/... tools/...",
		"a program links the policies that it names"},
	{".", "go.opentelemetry.io/otel/sdk go.opentelemetry.io/otel/sdk/metric google.golang.org/grpc go.yaml.in/yaml/v4",
		"the core needs OpenTelemetry's API only"},
	{"tracing", "go.opentelemetry.io/otel/sdk google.golang.org/grpc", "the core needs OpenTelemetry's API only"},
	{"config", "go.opentelemetry.io/otel/sdk google.golang.org/grpc", "the core needs OpenTelemetry's API only"},
	{"internal/...", "config exporters/... mcp/... tools/...", "what packages share is below them"},
	{"exporters/...", ". middleware/... config mcp/... tools/...", "exporters know spans, not calls"},
	{"tools/...", ". redact/... tracing/... stats/... middleware/... config exporters/... mcp/...",
		"a tool knows the contract only"},
	{"mcp/...", "config exporters/... tools/...", "instrumentation of MCP comes without exporters and tools"},
	{"mcp/toolmcp", "mcp/manager mcp/mcpproxy/...", "a program links the part of MCP that it names"},
	{"mcp/manager", "mcp/mcpproxy/...", "a program links the part of MCP that it names"},
	{"mcp/mcpproxy", "mcp/manager", "a program links the part of MCP that it names"},
}

func TestDependenciesThatNoPackageMayHave(t *testing.T) {
	for _, goos := range []string{"linux", "darwin", "windows"} {
		packages := list(t, goos)
		for _, p := range packages {
			if !p.released() {
				continue
			}
			for _, rule := range never {
				if !matches(p.own(), rule.from) {
					continue
				}
				for path := range dependencies(packages, p) {
					name := dependencyName(packages[path])
					if name == "" || !slices.ContainsFunc(strings.Fields(rule.to),
						func(to string) bool { return matchesDependency(packages[path], name, to) }) {
						continue
					}
					t.Errorf("%s: %s depends on %s: %s", goos, p.own(), name, rule.why)
				}
			}
		}
	}
}

// dependencies are the paths of what a package imports, directly or not. Asking the go command for them makes its
// answer five times as long.
func dependencies(packages map[string]*pkg, p *pkg) map[string]bool {
	found := map[string]bool{}
	for next := []*pkg{p}; len(next) > 0; {
		last := next[len(next)-1]
		next = next[:len(next)-1]
		for _, path := range last.Imports {
			if dep := packages[path]; dep != nil && !found[path] {
				found[path] = true
				next = append(next, dep)
			}
		}
	}
	return found
}

func matchesDependency(p *pkg, name, pattern string) bool {
	if pattern == "*" {
		return p.own() == ""
	}
	return matches(name, pattern)
}

func matches(name, pattern string) bool {
	if below, ok := strings.CutSuffix(pattern, "/..."); ok {
		return name == below || strings.HasPrefix(name, below+"/")
	}
	return name == pattern
}

// A pattern that matches no package is a mistake in the rule.
func TestRulesNamePackages(t *testing.T) {
	names := map[string]bool{}
	for _, p := range list(t, "linux") {
		if name := dependencyName(p); name != "" {
			names[name] = true
		}
	}
	for _, rule := range never {
		for _, pattern := range append(strings.Fields(rule.to), rule.from) {
			if pattern == "*" {
				continue
			}
			found := false
			for name := range names {
				found = found || matches(name, pattern)
			}
			if !found {
				t.Errorf("%s: the rule %q -> %q matches no package", pattern, rule.from, rule.to)
			}
		}
	}
}
