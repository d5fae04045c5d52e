// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/internal/arg"
)

// place is a path that was checked.
type place struct {
	root *root
	// path is relative to the root, with slashes, clean, and free of symbolic links
	// at the time it was resolved; "." is the root itself.
	path string
	// shown is the path as the caller gave it.
	shown string
}

// key is the place's name in the lock table and in the memory of what was read.
func (p place) key() string {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" { // names differ in more than case there
		return p.root.Name + ":" + strings.ToLower(p.path)
	}
	return p.root.Name + ":" + p.path
}

// child is the place of an entry of a directory.
func (p place) child(rel string) place {
	return place{p.root, path.Join(p.path, rel), joinShown(p.shown, rel)}
}

func joinShown(dir, rel string) string {
	switch {
	case dir == "." || dir == "":
		return rel
	case strings.HasSuffix(dir, ":"):
		return dir + rel
	}
	return strings.TrimSuffix(dir, "/") + "/" + rel
}

const (
	maxLinks = 40      // symbolic links that a path may go through: Linux's limit
	maxPath  = 4 << 10 // bytes of a path
)

// resolve checks a path as the model gave it and follows its symbolic links.
func (t *Toolset) resolve(given string) (place, error) {
	p, err := t.locate(given)
	if err != nil {
		return p, err
	}
	return p.followed(p.path)
}

// resolveEntry is resolve for what is moved or deleted: a symbolic link at the end
// is meant itself.
func (t *Toolset) resolveEntry(given string) (place, error) {
	p, err := t.locate(given)
	if err != nil || p.path == "." {
		return p, err
	}
	dir, name := path.Split(p.path)
	p, err = p.followed(path.Clean("./" + dir))
	if err != nil {
		return p, err
	}
	p.path = path.Join(p.path, name)
	return p, p.allowed("leads to what")
}

// locate checks the path as it is written.
func (t *Toolset) locate(given string) (place, error) {
	p := place{root: t.roots[0], shown: given}
	if len(given) > maxPath {
		p.shown = cut(given, 60)
		return p, arg.Invalid("path", fmt.Sprintf("%d bytes", len(given)), fmt.Sprintf("at most %d", maxPath))
	}
	for _, r := range given {
		if r < ' ' || r == 0x7f {
			return p, arg.Invalid("path", fmt.Sprintf("the control character %U", r), "a path without")
		}
	}
	rel := given
	if name, rest, ok := strings.Cut(given, ":"); ok {
		for _, r := range t.roots {
			if r.Name == name && name != "" {
				p.root, rel = r, rest
			}
		}
	}
	rel = filepath.ToSlash(rel)
	for part := range strings.SplitSeq(rel, "/") {
		if part == ".." {
			return p, denied(given, `has the part "..": give a path below a root without it`)
		}
	}
	if strings.HasPrefix(rel, "/") || filepath.IsAbs(rel) || filepath.VolumeName(rel) != "" {
		if rel == filepath.ToSlash(given) {
			rel = t.below(&p, rel)
		}
		if strings.HasPrefix(rel, "/") || filepath.IsAbs(rel) || filepath.VolumeName(rel) != "" {
			return p, denied(given, "is an absolute path below no root: give one relative to a root")
		}
	}
	if disguised(rel) {
		return p, denied(given, `has ".." or a leading "/" in disguise: give a plain path below a root`)
	}
	p.path = path.Clean("./" + rel)
	if !filepath.IsLocal(filepath.FromSlash(p.path)) {
		return p, denied(given, "has a name that is reserved on this system")
	}
	return p, p.allowed("")
}

// below makes an absolute path relative to the innermost root that it lies below, so
// that what a shell prints can be given; the path itself if there is none.
func (t *Toolset) below(p *place, abs string) string {
	abs = path.Clean(abs)
	best := -1
	rel := abs
	for _, r := range t.roots {
		for _, dir := range []string{r.slashed, r.given} {
			rest, ok := strings.CutPrefix(abs, strings.TrimSuffix(dir, "/"))
			if ok && len(dir) > best && (rest == "" || rest[0] == '/') {
				best, p.root, rel = len(dir), r, strings.TrimPrefix(rest, "/")
			}
		}
	}
	return rel
}

// followed replaces the symbolic links of p's path.
func (p place) followed(rel string) (place, error) {
	real, err := p.root.follow(rel)
	if err != nil {
		return p, p.explain(err)
	}
	p.path = real
	return p, p.allowed("leads to what")
}

func (p place) allowed(how string) error {
	if why := p.root.forbidden(p.path); why != "" {
		return denied(p.shown, strings.TrimSpace(how+" "+why))
	}
	return nil
}

// follow replaces the symbolic links of a path by what they lead to, as far as
// the path exists.
func (r *root) follow(rel string) (string, error) {
	var done []string
	todo := strings.Split(rel, "/")
	for links := 0; len(todo) > 0; {
		part := todo[0]
		todo = todo[1:]
		switch part {
		case "", ".":
			continue
		case "..":
			if len(done) == 0 {
				return "", errOutside
			}
			done = done[:len(done)-1]
			continue
		}
		here := path.Join(append(done, part)...)
		info, err := r.dir.Lstat(here)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			done = append(done, part) // what is missing is found out when it is opened
			continue
		}
		if links++; links > maxLinks {
			return "", fmt.Errorf("goes through more than %d symbolic links", maxLinks)
		}
		target, err := r.dir.Readlink(here)
		if err != nil {
			return "", err
		}
		target = filepath.ToSlash(target)
		if strings.HasPrefix(target, "/") || filepath.IsAbs(target) || filepath.VolumeName(target) != "" {
			return "", errOutside
		}
		todo = append(strings.Split(target, "/"), todo...)
	}
	return path.Join(append([]string{"."}, done...)...), nil
}

func denied(shown, why string) error {
	return &toolkit.Error{Kind: toolkit.ErrPermissionDenied, Message: fmt.Sprintf("path %.200q %s", shown, why)}
}
