// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/toolscope/toolscope/tools/internal/arg"
)

type moveInput struct {
	From      string `json:"from"`
	To        string `json:"to"`
	Overwrite bool   `json:"overwrite"`
}

func (t *Toolset) move(ctx context.Context, in moveInput) (string, error) {
	from, err := t.resolveEntry(in.From)
	if err != nil {
		return "", err
	}
	to, err := t.resolveEntry(in.To)
	if err != nil {
		return "", err
	}
	if !t.inTrash(from) {
		if err := t.checkWritable(from); err != nil {
			return "", err
		}
	}
	if err := t.checkWritable(to); err != nil {
		return "", err
	}
	info, err := from.entry()
	if err != nil {
		return "", from.explain(err)
	}
	switch {
	case from.root == to.root && (to.path == from.path || strings.HasPrefix(to.path, from.path+"/")):
		return "", arg.Invalid("to", fmt.Sprintf("%.200q, which is from itself or lies in it", in.To), "another path")
	case from.root != to.root && !info.Mode().IsRegular():
		return "", arg.Invalid("to", "another root", "the same root, since only files are moved between roots")
	}
	release, err := t.hold(ctx, claim{from, true, info.IsDir()}, claim{to, true, info.IsDir()})
	if err != nil {
		return "", err
	}
	defer release()
	if info.IsDir() {
		if _, err := from.survey(ctx); err != nil {
			return "", from.explain(err)
		}
	}
	if err := t.rename(ctx, from, to, info, in.Overwrite); err != nil {
		return "", err
	}
	t.seen.forget(ctx, from)
	t.seen.forget(ctx, to)
	return fmt.Sprintf("%s: moved to %s\n", from.shown, to.shown), nil
}

func (t *Toolset) rename(ctx context.Context, from, to place, info fs.FileInfo, overwrite bool) error {
	parent, name, err := from.openParent(false)
	if err != nil {
		return from.explain(err)
	}
	defer parent.Close()
	target, targetName, err := to.openParent(true)
	if err != nil {
		return to.explain(err)
	}
	defer target.Close()
	if now, err := parent.Lstat(name); err != nil || !os.SameFile(now, info) {
		return from.explain(errChanged)
	}
	there, err := target.Lstat(targetName)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		there = nil
	case err != nil:
		return to.explain(err)
	case !overwrite:
		return to.explain(errors.New("exists already: set overwrite to replace a file, or choose another path"))
	case !there.Mode().IsRegular() || !info.Mode().IsRegular():
		return to.explain(errors.New("exists already, and only a file can replace a file"))
	}
	if ctx.Err() != nil {
		return over(ctx, "before anything was moved")
	}
	if from.root == to.root {
		return from.explainOrNil(relink(from.root, from.path, to.path, info, there))
	}
	content, info, err := from.root.read(ctx, parent, name)
	if err != nil {
		return from.explain(err)
	}
	temporary, err := stage(target, info, content)
	if err != nil {
		return to.explain(err)
	}
	if err := install(target, temporary, targetName, there); err != nil {
		_ = target.Remove(temporary)
		return to.explain(err)
	}
	return from.explainOrNil(parent.Remove(name))
}

// relink gives what lies at from the name to. The root follows no link out of itself
// on the way. Where nothing is replaced, a file gets its new name by a link, which fails
// if one was made there since.
func relink(r *root, from, to string, info, there fs.FileInfo) error {
	if there == nil && info.Mode().IsRegular() {
		switch err := r.dir.Link(from, to); {
		case err == nil:
			return r.dir.Remove(from)
		case errors.Is(err, fs.ErrExist):
			return errChanged
		} // a file system without links: the look before must do
	}
	return r.dir.Rename(from, to)
}

func (p place) explainOrNil(err error) error {
	if err == nil {
		return nil
	}
	return p.explain(err)
}

// entry looks at what lies at p, a symbolic link itself if it is one.
func (p place) entry() (fs.FileInfo, error) {
	parent, name, err := p.openParent(false)
	if err != nil {
		return nil, err
	}
	defer parent.Close()
	return parent.Lstat(name)
}

// contents is what a directory holds.
type contents struct{ files, dirs int }

// survey counts what lies below p, and refuses a directory in which something lies that
// may not be used: under another name it could be.
func (p place) survey(ctx context.Context) (c contents, err error) {
	w, err := p.walk(ctx, maxDepth, true, func(e entry) error {
		if e.closed != "" {
			return denied(p.shown, "holds "+printable(path.Base(e.rel))+", which may not be moved or deleted, or "+
				"lies too deep to look at")
		}
		if e.IsDir() {
			c.dirs++
		} else {
			c.files++
		}
		return nil
	})
	if err == nil && w.more {
		err = fmt.Errorf("holds more than %d entries: move or delete parts of it", maxVisited)
	}
	return c, err
}
