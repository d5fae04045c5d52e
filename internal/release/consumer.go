// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// What a program may bring along that uses the core only.
const (
	maxCoreModules = 40
	maxCoreBytes   = 6_500_000 // stripped
)

// tooHeavy are modules that the core never brings along.
var tooHeavy = []string{
	"go.opentelemetry.io/otel/sdk", "google.golang.org/grpc", "modernc.org/sqlite", "github.com/modelcontextprotocol/go-sdk",
	"github.com/prometheus/client_golang", "charm.land/bubbletea/v2",
}

// readmeProgram is a program around the Go code of the README's section "Wrap your registry",
// which stands for its line "//README".
//
//go:embed testdata/readme.go.txt
var readmeProgram string

// consume uses every released module from an empty folder outside of the repository.
func (l *list) consume() error {
	s, err := l.sandbox(false)
	if err != nil {
		return err
	}
	defer s.close()
	if err := l.consumeCore(s); err != nil {
		return fmt.Errorf("the README's program: %w", err)
	}
	for _, m := range l.modules {
		if !m.released {
			continue
		}
		if err := l.consumeModule(s, m); err != nil {
			return fmt.Errorf("%s: %w", m.path(), err)
		}
		fmt.Println("ok", m.path())
	}
	return l.consumeCommand(s)
}

// consumeCore builds and runs the README's program and weighs it.
func (l *list) consumeCore(s *sandbox) error {
	readme, err := os.ReadFile(filepath.Join(l.root, "README.md"))
	if err != nil {
		return err
	}
	_, section, _ := strings.Cut(string(readme), "## Wrap your registry")
	_, code, _ := strings.Cut(section, "```go\n")
	code, _, found := strings.Cut(code, "```")
	if !found {
		return errors.New(`README.md: want Go code below "## Wrap your registry"`)
	}
	program := strings.Replace(readmeProgram, "\t//README\n", strings.ReplaceAll(code, "{ … }", "{ panic(err) }"), 1)
	dir, err := s.newModule("readme", program, prefix+"@"+l.version)
	if err != nil {
		return err
	}
	if got, err := s.run(dir, "go", "run", "."); err != nil || got != "12 °C\n" {
		return fmt.Errorf("got %q and error %v, want 12 °C", got, err)
	}
	listed, err := s.run(dir, "go", "list", "-m", "-f", "{{.Path}}", "all")
	if err != nil {
		return err
	}
	modules := strings.Fields(listed)
	if len(modules) > maxCoreModules {
		return fmt.Errorf("got %d modules, want at most %d:\n%s", len(modules), maxCoreModules, listed)
	}
	for _, m := range modules {
		if slices.Contains(tooHeavy, m) {
			return fmt.Errorf("brings %s along", m)
		}
	}
	if _, err := s.run(dir, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", "program", "."); err != nil {
		return err
	}
	if err := l.compileWithOldest(s, dir); err != nil {
		return err
	}
	program = filepath.Join(dir, "program")
	info, err := os.Stat(program)
	if err != nil {
		return err
	}
	if info.Size() > maxCoreBytes {
		return fmt.Errorf("a stripped program has %d bytes, want at most %d", info.Size(), maxCoreBytes)
	}
	fmt.Printf("ok the README's program: %d modules, %d bytes\n", len(modules), info.Size())
	return nil
}

// compileWithOldest compiles the program with the toolchain that the core's go line names, where it
// can be had.
func (l *list) compileWithOldest(s *sandbox, dir string) error {
	f, err := l.goMod(l.modules[0])
	if err != nil {
		return err
	}
	if _, err := s.run(dir, "go", "mod", "edit", "-go="+f.Go.Version, "-toolchain=none"); err != nil {
		return err
	}
	toolchain := "go" + f.Go.Version
	old := &sandbox{list: l, dir: s.dir, env: append(slices.Clone(s.env), "GOTOOLCHAIN="+toolchain)}
	if _, err := old.run(dir, "go", "version"); err != nil {
		fmt.Println("not checked: toolchain", toolchain, "cannot be had")
		return nil
	}
	_, err = old.run(dir, "go", "build", "-o", os.DevNull, ".")
	return err
}

// consumeModule gets one module and builds all of its packages.
func (l *list) consumeModule(s *sandbox, m member) error {
	name := strings.ReplaceAll(path.Base(prefix)+"/"+m.dir, "/", "-")
	dir, err := s.newModule(strings.TrimSuffix(name, "-."), "package main\n\nfunc main() {}\n", m.path()+"@"+l.version)
	if err != nil {
		return err
	}
	all, err := s.run(
		dir, "go", "list", "-f", "{{if and .GoFiles (eq .Module.Path \""+m.path()+"\")}}{{.ImportPath}}{{end}}",
		m.path()+"/...",
	)
	if err != nil {
		return err
	}
	// Without cgo: some frameworks bring along the C code of databases, which takes a minute to compile.
	env := append(slices.Clone(s.env), "CGO_ENABLED=0")
	_, err = outputEnv(dir, env, "go", append([]string{"build", "-o", os.DevNull}, strings.Fields(all)...)...)
	return err
}

// newModule makes a module with one file and gets modules for it.
func (s *sandbox) newModule(name, program string, get ...string) (dir string, err error) {
	dir = filepath.Join(s.dir, name)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o644); err != nil {
		return "", err
	}
	for _, args := range [][]string{{"mod", "init", "example.com/" + name}, append([]string{"get"}, get...)} {
		if _, err := s.run(dir, "go", args...); err != nil {
			return "", err
		}
	}
	if strings.Contains(program, prefix) {
		_, err = s.run(dir, "go", "mod", "tidy")
	}
	return dir, err
}

// consumeCommand installs the command and asks for its version.
func (l *list) consumeCommand(s *sandbox) error {
	bin := filepath.Join(s.dir, "bin")
	s.env = append(s.env, "GOBIN="+bin, "GOFLAGS=")
	command := path.Join(prefix, "cmd/toolscope")
	if _, err := s.run(s.dir, "go", "install", command+"@"+l.version); err != nil {
		return err
	}
	got, err := s.run(s.dir, filepath.Join(bin, "toolscope"), "version")
	if want := "toolscope " + l.version + " ("; err != nil || !strings.HasPrefix(got, want) {
		return fmt.Errorf("toolscope version: got %q and error %v, want %q", got, err, want)
	}
	fmt.Println("ok go install", command)
	return nil
}
