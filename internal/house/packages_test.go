// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package house_test

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

const module = "github.com/toolscope/toolscope"

// pkg is what "go list -json" tells of a package.
type pkg struct {
	ImportPath, Name string
	Standard         bool
	Module           *struct{ Path string }
	GoFiles          []string
	Deps             []string
}

// own is the package's directory in the repository: "." for the root, "" if it is
// another module's.
func (p *pkg) own() string {
	if p.Module == nil || p.Module.Path != module {
		return ""
	}
	if p.ImportPath == module {
		return "."
	}
	return strings.TrimPrefix(p.ImportPath, module+"/")
}

// library reports whether users can import the package.
func (p *pkg) library() bool {
	dir := p.own()
	return dir != "" && p.Name != "main" && len(p.GoFiles) > 0 && !strings.HasPrefix(dir, "internal") && !strings.Contains(dir, "/internal")
}

// list returns all packages of the root module and what they depend on, as built
// for a system without cgo.
func list(t *testing.T, goos string) map[string]*pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-e", "-deps", "-json=ImportPath,Name,Standard,Module,GoFiles,Deps", "./...")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS="+goos, "CGO_ENABLED=0")
	var problems strings.Builder
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, &problems)
	}
	packages := map[string]*pkg{}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		p := new(pkg)
		err := dec.Decode(p)
		if errors.Is(err, io.EOF) {
			return packages
		}
		if err != nil {
			t.Fatal(err)
		}
		packages[p.ImportPath] = p
	}
}
