// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

// An entry is what a walk visits.
type entry struct {
	fs.DirEntry
	rel    string // below where the walk began
	parent *os.Root
	closed string // why a directory is not opened; "" if it is
}

// walk visits what lies below a directory, in order of names, and follows no
// symbolic links. Each directory is opened by its handle, so that nothing put in
// its place meanwhile leads elsewhere.
type walk struct {
	ctx   context.Context
	root  *root
	base  string // the path where the walk began
	depth int    // levels that are visited
	// ignored is nil if ignore files do not count.
	ignored *ignores
	visit   func(entry) error // fs.SkipDir passes a directory over, fs.SkipAll ends the walk
	left    int               // entries that are still visited
	more    bool              // there were more
	skipped int               // entries that ignore files name
}

// errEnough ends a walk that has visited what it may.
var errEnough = errors.New("enough")

// walk walks below p with the ignore files' rules unless all is set. It
// reports the walk's counters.
func (p place) walk(ctx context.Context, depth int, all bool, visit func(entry) error) (*walk, error) {
	dir, err := p.openDir()
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	w := &walk{ctx: ctx, root: p.root, base: p.path, depth: depth, visit: visit, left: maxVisited}
	if !all {
		w.ignored = p.rulesAbove(ctx)
	}
	err = w.dir(dir, "", 1)
	if err == fs.SkipAll || err == errEnough {
		err = nil
	}
	return w, err
}

func (w *walk) dir(dir *os.Root, rel string, level int) error {
	entries, err := w.read(dir)
	if err != nil {
		return err
	}
	if w.ignored != nil {
		defer w.ignored.leave(w.ignored.enter(w.ctx, w.root, dir, path.Join(w.base, rel)))
	}
	for _, e := range entries {
		if w.ctx.Err() != nil {
			return over(w.ctx, "while it went through the files")
		}
		if err := w.entry(dir, path.Join(rel, e.Name()), e, level); err != nil {
			return err
		}
	}
	return nil
}

// read gives a directory's entries by name, as many as may still be visited.
func (w *walk) read(dir *os.Root) ([]fs.DirEntry, error) {
	f, err := dir.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(w.left + 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

func (w *walk) entry(dir *os.Root, rel string, e fs.DirEntry, level int) error {
	if w.left == 0 {
		w.more = true
		return errEnough
	}
	w.left--
	full := path.Join(w.base, rel)
	if w.ignored.match(full, e.IsDir()) {
		w.skipped++
		return nil
	}
	v := entry{DirEntry: e, rel: rel, parent: dir}
	switch {
	case w.root.forbidden(full) != "":
		v.closed = "refused"
	case level >= w.depth && e.IsDir():
		v.closed = "not opened"
	}
	if err := w.visit(v); err != nil {
		if err == fs.SkipDir {
			return nil
		}
		return err
	}
	if !e.IsDir() || v.closed != "" {
		return nil
	}
	below, err := w.root.enter(dir, e.Name(), false)
	if err != nil {
		return nil // not to be read, or gone: its name has been visited
	}
	defer below.Close()
	if err := w.dir(below, rel, level+1); err == errEnough || err == fs.SkipAll || w.ctx.Err() != nil {
		return err
	}
	return nil // likewise
}
