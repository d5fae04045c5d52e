// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package workspace

import (
	"os"
	"path/filepath"
	"strings"
)

// Workspace are the directories in which files may be written.
type Workspace struct {
	Roots []string // absolute, symbolic links resolved
	Dir   string   // what relative paths are relative to
	Home  string

	own bool // no roots were named: the workspace is Dir
	out bool // Dir lies outside
}

// New returns the workspace of some directories; of none it is the working directory.
func New(roots []string) (*Workspace, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	w := &Workspace{Dir: dir, own: len(roots) == 0}
	w.Home, _ = os.UserHomeDir()
	if w.own {
		roots = []string{dir}
	}
	for _, root := range roots {
		w.Roots = append(w.Roots, Resolve(w.Absolute(root)))
	}
	w.out = !w.Inside(dir)
	return w, nil
}

// In is the workspace for a tool that works in another directory; "" is the same.
func (w *Workspace) In(dir string) *Workspace {
	if dir == "" || dir == w.Dir || !filepath.IsAbs(dir) {
		return w
	}
	in := *w
	in.Dir = filepath.Clean(dir)
	if in.own {
		in.Roots = []string{Resolve(in.Dir)}
	}
	in.out = !in.Inside(in.Dir)
	return &in
}

// Outside reports whether the directory to which paths are relative lies outside the workspace.
func (w *Workspace) Outside() bool { return w.out }

// Absolute is the path, cleaned.
func (w *Workspace) Absolute(path string) string { return w.At(w.Dir, path) }

// At is the path as it is in a directory, cleaned.
func (w *Workspace) At(dir, path string) string {
	switch {
	case path == "~":
		path = w.Home
	case strings.HasPrefix(path, "~/"):
		path = w.Home + path[1:]
	}
	if !filepath.IsAbs(path) && !strings.HasPrefix(path, "/") {
		path = dir + "/" + path
	}
	if strings.Contains(path, "/..") && throughLink(path) {
		return "\x00" // which lies nowhere
	}
	return filepath.Clean(path)
}

// throughLink reports whether a path goes through a symbolic link and back up, which leads elsewhere than it says.
func throughLink(path string) bool {
	for i := 1; i < len(path); i++ {
		if !strings.HasPrefix(path[i:], "/..") || i+3 < len(path) && path[i+3] != '/' {
			continue
		}
		info, err := os.Lstat(path[:i])
		if err == nil && info.Mode()&os.ModeSymlink != 0 {
			return true
		}
	}
	return false
}

// Inside reports whether the path, with symbolic links resolved as they are now, is
// one of the roots or below it.
func (w *Workspace) Inside(path string) bool {
	_, ok := w.Below(w.Absolute(path))
	return ok
}

// Below is an absolute path, with symbolic links resolved as they are now, relative to its root, with slashes; not
// ok if it lies below none.
func (w *Workspace) Below(path string) (rel string, ok bool) {
	if strings.ContainsRune(path, 0) {
		return "", false
	}
	path = Resolve(path)
	for _, root := range w.Roots {
		rel, err := filepath.Rel(root, path)
		if err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return filepath.ToSlash(rel), true
		}
	}
	return "", false
}

// Resolve follows symbolic links in the part of the path that exists, and a link to
// what is not there, since writing creates that.
func Resolve(path string) string { return follow(path, 8) }

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
