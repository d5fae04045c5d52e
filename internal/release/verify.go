// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// verify checks that modules.txt lists every module, that modules require each other in its
// version, that they replace nothing, and that workspaces use them.
func (l *list) verify() error {
	var wrong []error
	found, err := files(l.root, "go.mod", "*/go.mod")
	if err != nil {
		return err
	}
	for _, file := range found {
		dir := filepath.ToSlash(filepath.Dir(file))
		if !slices.ContainsFunc(l.modules, func(m member) bool { return m.dir == dir }) {
			wrong = append(wrong, fmt.Errorf("%s: %s does not list the module", file, listFile))
		}
	}
	core, err := l.goMod(l.modules[0])
	if err != nil {
		return err
	}
	for _, m := range l.modules {
		wrong = append(wrong, l.verifyModule(m, core.Go.Version)...)
	}
	return errors.Join(append(wrong, l.verifyWorkspaces()...)...)
}

func (l *list) verifyModule(m member, goVersion string) (wrong []error) {
	bad := func(format string, args ...any) {
		wrong = append(wrong, fmt.Errorf("%s: %s", filepath.Join(m.dir, "go.mod"), fmt.Sprintf(format, args...)))
	}
	f, err := l.goMod(m)
	if err != nil {
		return []error{err}
	}
	if f.Module.Mod.Path != m.path() {
		bad("got module %s, want %s", f.Module.Mod.Path, m.path())
	}
	for _, r := range f.Require {
		if !ours(r.Mod.Path) {
			continue
		}
		i := slices.IndexFunc(l.modules, func(o member) bool { return o.path() == r.Mod.Path })
		switch {
		case i < 0:
			bad("requires %s, which %s does not list", r.Mod.Path, listFile)
		case r.Mod.Version != l.version:
			bad("requires %s, want %s", r.Mod, l.version)
		case m.released && !l.modules[i].released:
			bad("requires %s, which is not released", r.Mod.Path)
		}
	}
	switch {
	case m.goLine != "" && (f.Go == nil || f.Go.Version != m.goLine):
		bad("want the line go %s, as in %s", m.goLine, listFile)
	case m.goLine == "" && (f.Go == nil || f.Go.Version != goVersion):
		bad("want the line go %s, as in the root module", goVersion)
	case f.Toolchain != nil || len(f.Exclude) > 0:
		bad("got toolchain or exclude lines, want none")
	}
	for _, r := range f.Replace {
		bad("replaces %s, want no replace", r.Old.Path)
	}
	if sum, err := os.ReadFile(l.file(m, "go.sum")); err == nil && strings.Contains(string(sum), prefix) {
		bad("go.sum holds lines of %s, want none", prefix)
	}
	return wrong
}
