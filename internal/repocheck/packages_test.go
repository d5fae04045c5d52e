// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package repocheck_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/toolscope/toolscope"

// pkg is what "go list -json" tells of a package.
type pkg struct {
	ImportPath, Name, Dir string
	Standard              bool
	Module                *struct{ Path string }
	GoFiles               []string
	Imports               []string
}

// own is where the package is in the repository, with slashes, "." for the root; "" for
// packages of others.
func (p *pkg) own() string {
	if p.Module == nil || p.Module.Path != module && !strings.HasPrefix(p.Module.Path, module+"/") {
		return ""
	}
	if p.ImportPath == module {
		return "."
	}
	return strings.TrimPrefix(p.ImportPath, module+"/")
}

// library reports whether applications import the package: it is of a released module, no
// command and not internal.
func (p *pkg) library() bool {
	dir := p.own()
	first, _, _ := strings.Cut(dir, "/")
	return dir != "" && p.Name != "main" && len(p.GoFiles) > 0 && !strings.HasPrefix(dir, "internal") &&
		!strings.Contains(dir, "/internal") &&
		!slices.Contains(unreleased, first)
}

// released reports whether the package is of a released module and no test: internal ones and commands, too.
func (p *pkg) released() bool {
	first, _, _ := strings.Cut(p.own(), "/")
	return p.own() != "" && len(p.GoFiles) > 0 && !slices.Contains(unreleased, first) &&
		p.own() != "internal/release" && p.own() != "internal/repocheck"
}

// unreleased are the folders of modules without packages for applications.
var unreleased = []string{"tests", "bench", "e2e"}

// list returns all packages of the repository and what they depend on, as built
// for a system without cgo. The tests share the answers and do not change them.
func list(t *testing.T, goos string) map[string]*pkg {
	t.Helper()
	if packages := listed[goos]; packages != nil {
		return packages
	}
	packages := map[string]*pkg{}
	for dir, patterns := range map[string]string{
		".": "work", "tools/agent/openai": "./...", "tools/agent/anthropic": "./...",
		"adapters/adk": "./...", "adapters/genkit": "./...",
		"adapters/openaiagents": "./...", "adapters/trpcagent": "./...",
		"workflow/temporal": "./...",
		"adapters":          "./anthropic/... ./eino/... ./langchain/... ./mcpgo/... ./openai/...",
	} {
		listIn(t, packages, filepath.Join(root, dir), goos, strings.Fields(patterns)...)
	}
	listed[goos] = packages
	return packages
}

// listed are the answers of list by system. No test of this package is parallel.
var listed = map[string]map[string]*pkg{}

func listIn(t *testing.T, packages map[string]*pkg, dir, goos string, patterns ...string) {
	t.Helper()
	args := []string{"list", "-e", "-deps", "-json=ImportPath,Name,Dir,Standard,Module,GoFiles,Imports"}
	cmd := exec.Command("go", append(args, patterns...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS="+goos, "CGO_ENABLED=0")
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, &problems)
	}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		p := new(pkg)
		err := dec.Decode(p)
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		packages[p.ImportPath] = p
	}
}
