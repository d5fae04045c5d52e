// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"
)

// trashName is the directory of each root to which file_delete moves things if the
// host wants them kept.
const trashName = ".trash"

// inTrash tells whether p lies in a trash that is in use.
func (t *Toolset) inTrash(p place) bool {
	return t.trash && !p.root.ReadOnly && strings.HasPrefix(p.path, trashName+"/")
}

type deleteInput struct {
	Path      string `json:"path"`
	Recursive bool   `json:"recursive"`
}

func (t *Toolset) delete(ctx context.Context, in deleteInput) (string, error) {
	p, err := t.resolveEntry(in.Path)
	if err != nil {
		return "", err
	}
	if err := t.checkWritable(p); err != nil {
		return "", err
	}
	info, err := p.entry()
	if err != nil {
		return "", p.explain(err)
	}
	release, err := t.hold(ctx, claim{p, true, info.IsDir()})
	if err != nil {
		return "", err
	}
	defer release()
	var held contents
	if info.IsDir() {
		if held, err = p.survey(ctx); err != nil {
			return "", p.explain(err)
		}
		if n := held.files + held.dirs; n > 0 && !in.Recursive {
			return "", p.explain(fmt.Errorf("is a directory with %d entries: set recursive to delete it with all of them", n))
		}
	}
	parent, name, err := p.openParent(false)
	if err != nil {
		return "", p.explain(err)
	}
	defer parent.Close()
	if now, err := parent.Lstat(name); err != nil || !os.SameFile(now, info) {
		return "", p.explain(errChanged)
	}
	if ctx.Err() != nil {
		return "", over(ctx, "before anything was deleted")
	}
	done, err := t.remove(p, parent, name)
	if err != nil {
		return "", p.explain(err)
	}
	t.seen.forget(ctx, p)
	text := p.shown + ": " + done
	if info.IsDir() {
		text += fmt.Sprintf(", with %d files and %d directories in it", held.files, held.dirs)
	}
	return text + "\n", nil
}

// remove deletes an entry, or moves it to the trash, and tells which.
func (t *Toolset) remove(p place, parent *os.Root, name string) (string, error) {
	if !t.trash {
		return "deleted", parent.RemoveAll(name)
	}
	// The time sorts, the random part tells two of one second apart.
	dir := path.Join(trashName, time.Now().UTC().Format("20060102T150405Z")+"-"+rand.Text()[:6])
	if err := openTrash(p.root, dir); err != nil {
		return "", err
	}
	target := path.Join(dir, name)
	if err := p.root.dir.Rename(p.path, target); err != nil {
		_ = p.root.dir.Remove(dir)
		return "", err
	}
	shown := target
	if p.root.Name != "" {
		shown = p.root.Name + ":" + target
	}
	return "moved to " + shown + ", from where file_move takes it back", nil
}

// openTrash makes a directory in the trash.
func openTrash(r *root, dir string) error {
	if err := r.dir.Mkdir(trashName, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if info, err := r.dir.Lstat(trashName); err != nil {
		return err
	} else if !info.IsDir() {
		return fmt.Errorf("cannot be kept: %s is no directory", trashName)
	}
	return r.dir.Mkdir(dir, 0o777)
}
