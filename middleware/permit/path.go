// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package permit

import (
	"os"
	"path/filepath"
	"strings"
)

// pathNames are folded names of arguments that commonly hold paths.
var pathNames = func() map[string]bool {
	m := map[string]bool{}
	for _, n := range []string{"path", "file", "filename", "file_path", "filepath", "paths", "files", "dir", "directory", "folder", "target", "destination", "dest", "source", "output_path", "new_path", "old_path", "target_file", "notebook_path"} {
		m[fold(n)] = true
	}
	return m
}()

// workspace are the directories in which files may be written.
type workspace struct {
	roots []string // absolute, symbolic links resolved
	dir   string   // what relative paths are relative to
	home  string
}

func newWorkspace(roots []string) (*workspace, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	w := &workspace{dir: dir}
	w.home, _ = os.UserHomeDir()
	if len(roots) == 0 {
		roots = []string{dir}
	}
	for _, root := range roots {
		w.roots = append(w.roots, resolve(w.absolute(root)))
	}
	return w, nil
}

// absolute is the path, cleaned.
func (w *workspace) absolute(path string) string {
	switch {
	case path == "~":
		path = w.home
	case strings.HasPrefix(path, "~/"):
		path = w.home + path[1:]
	}
	if !filepath.IsAbs(path) && !strings.HasPrefix(path, "/") {
		path = w.dir + "/" + path
	}
	return filepath.Clean(path)
}

// inside reports whether the path, with symbolic links resolved as they are now, is
// one of the roots or below it.
func (w *workspace) inside(path string) bool {
	if strings.ContainsRune(path, 0) {
		return false
	}
	path = resolve(w.absolute(path))
	for _, root := range w.roots {
		rel, err := filepath.Rel(root, path)
		if err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return true
		}
	}
	return false
}

// resolve follows symbolic links in the part of the path that exists, and a link to
// what is not there, since writing creates that.
func resolve(path string) string { return follow(path, 8) }

func follow(path string, links int) string {
	rest := ""
	for p := path; ; {
		if real, err := filepath.EvalSymlinks(p); err == nil {
			return filepath.Join(real, rest)
		}
		parent := filepath.Dir(p)
		if to, err := os.Readlink(p); err == nil && links > 0 {
			if !filepath.IsAbs(to) {
				to = filepath.Join(parent, to)
			}
			return filepath.Join(follow(to, links-1), rest)
		}
		if parent == p {
			return path
		}
		rest = filepath.Join(filepath.Base(p), rest)
		p = parent
	}
}
