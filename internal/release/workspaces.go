// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
)

// A workspace is a go.work file. It replaces the modules of the repository in the list's version,
// which may exist nowhere yet; go.mod files replace nothing.
type workspace struct {
	dir  string // as member.dir
	file *modfile.WorkFile
}

// workspaces reads all go.work files.
func (l *list) workspaces() ([]workspace, error) {
	found, err := files(l.root, "go.work", "*/go.work")
	if err != nil {
		return nil, err
	}
	var all []workspace
	for _, name := range found {
		file := filepath.Join(l.root, filepath.FromSlash(name))
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		work, err := modfile.ParseWork(file, text, nil)
		if err != nil {
			return nil, err
		}
		all = append(all, workspace{path.Dir(name), work})
	}
	return all, nil
}

// uses reports whether the workspace uses a module.
func (w *workspace) uses(m member) bool {
	for _, u := range w.file.Use {
		if path.Join(w.dir, u.Path) == m.dir {
			return true
		}
	}
	return false
}

// replaces reports whether the workspace replaces a module in a version.
func (w *workspace) replaces(m member, version string) bool {
	for _, r := range w.file.Replace {
		if r.Old.Path == m.path() && r.Old.Version == version && path.Join(w.dir, r.New.Path) == m.dir {
			return true
		}
	}
	return false
}

// setWorkspaces makes each workspace replace the modules that it uses in the list's version.
func (l *list) setWorkspaces() error {
	all, err := l.workspaces()
	if err != nil {
		return err
	}
	for _, w := range all {
		for _, r := range w.file.Replace {
			if ours(r.Old.Path) {
				if err := w.file.DropReplace(r.Old.Path, r.Old.Version); err != nil {
					return err
				}
			}
		}
		for _, u := range w.file.Use {
			dir := path.Join(w.dir, u.Path)
			if err := w.file.AddReplace(path.Join(prefix, dir), l.version, u.Path, ""); err != nil {
				return err
			}
		}
		w.file.Cleanup()
		w.file.SortBlocks()
		name := filepath.Join(l.root, filepath.FromSlash(w.dir), "go.work")
		if err := os.WriteFile(name, modfile.Format(w.file.Syntax), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// verifyWorkspaces checks that each module is used by the nearest workspace above it, and that
// workspaces replace what they use in the list's version.
func (l *list) verifyWorkspaces() (wrong []error) {
	all, err := l.workspaces()
	if err != nil {
		return []error{err}
	}
	for _, m := range l.modules {
		var nearest *workspace
		for i, w := range all {
			above := w.dir == "." || m.dir == w.dir || strings.HasPrefix(m.dir, w.dir+"/")
			if above && (nearest == nil || len(w.dir) > len(nearest.dir)) {
				nearest = &all[i]
			}
			if w.uses(m) && !w.replaces(m, l.version) {
				wrong = append(wrong, fmt.Errorf("%s: does not replace %s %s", path.Join(w.dir, "go.work"), m.path(), l.version))
			}
		}
		if nearest == nil || !nearest.uses(m) {
			wrong = append(wrong, fmt.Errorf("%s: its workspace does not use it", path.Join(m.dir, "go.mod")))
		}
	}
	for _, w := range all {
		if len(w.file.Replace) > len(w.file.Use) {
			wrong = append(wrong, fmt.Errorf("%s: replaces more than what it uses", path.Join(w.dir, "go.work")))
		}
	}
	return wrong
}
