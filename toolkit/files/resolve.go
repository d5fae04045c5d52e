// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/toolscope/toolscope/toolkit"
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

// key is the place's name in the lock table.
func (p place) key() string { return p.root.Name + ":" + p.path }

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

// maxLinks is how many symbolic links a path may go through: Linux's limit.
const maxLinks = 40

// resolve checks a path as the model gave it.
func (t *Toolset) resolve(given string) (place, error) {
	p := place{root: t.roots[0], shown: given}
	rel := given
	if name, rest, ok := strings.Cut(given, ":"); ok {
		for _, r := range t.roots {
			if r.Name == name && name != "" {
				p.root, rel = r, rest
			}
		}
	}
	if rel == "" {
		rel = "."
	}
	if strings.ContainsRune(rel, 0) {
		return p, invalid("path", "a NUL character", "a path without")
	}
	rel = filepath.ToSlash(rel)
	if strings.HasPrefix(rel, "/") || filepath.IsAbs(rel) || filepath.VolumeName(rel) != "" {
		return p, denied(given, "is an absolute path: give one relative to a root")
	}
	for part := range strings.SplitSeq(rel, "/") {
		if part == ".." {
			return p, denied(given, `has the part "..": give a path below a root without it`)
		}
	}
	rel = path.Clean(rel)
	if !filepath.IsLocal(filepath.FromSlash(rel)) {
		return p, denied(given, "has a name that is reserved on this system")
	}
	if c := credential(path.Join(filepath.ToSlash(p.root.real), rel)); c != "" {
		return p, denied(given, "lies in "+c+", which holds credentials")
	}
	real, err := p.root.follow(rel)
	if err != nil {
		return p, p.explain(err)
	}
	if c := credential(path.Join(filepath.ToSlash(p.root.real), real)); c != "" {
		return p, denied(given, "leads into "+c+", which holds credentials")
	}
	p.path = real
	return p, nil
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

// credential finds the credential folder or file that a path leads into; "" if
// none. Case, and the blanks and dots that Windows passes over, do not count.
func credential(p string) string {
	before := ""
	for part := range strings.SplitSeq(filepath.ToSlash(p), "/") {
		part = strings.ToLower(strings.TrimRight(part, " ."))
		switch part {
		case ".ssh", ".aws", ".kube", ".gnupg", ".netrc":
			return part
		case "gcloud":
			if before == ".config" {
				return ".config/gcloud"
			}
		}
		before = part
	}
	return ""
}

func invalid(field, got, want string) error {
	return &toolkit.Error{Kind: toolkit.ErrInvalidArguments, Message: field + ": got " + got + ", want " + want}
}

func denied(shown, why string) error {
	return &toolkit.Error{Kind: toolkit.ErrPermissionDenied, Message: fmt.Sprintf("path %.200q %s", shown, why)}
}
