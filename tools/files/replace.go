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
)

// replace puts content in the file's place, whole or not at all, and remembers that
// the session knows it. before is what was found, nil if there was no file: anything else
// found now is a change by another process. A hard link's other names keep the
// old content.
func (t *Toolset) replace(ctx context.Context, p place, parent *os.Root, name string, before fs.FileInfo, content []byte) error {
	if len(content) > maxFileBytes {
		return fmt.Errorf("would have %d bytes, more than the %d that are written", len(content), maxFileBytes)
	}
	temporary, err := stage(parent, before, content)
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		err = over(ctx, "before the file was written")
	} else {
		err = install(parent, temporary, name, before)
	}
	if err != nil {
		_ = parent.Remove(temporary) // it may be in its place, or gone
		return err
	}
	t.seen.remember(ctx, p, content)
	return nil
}

// stage writes content to a new file beside the one that it will replace.
func stage(parent *os.Root, before fs.FileInfo, content []byte) (temporary string, err error) {
	mode := fs.FileMode(0o666)
	if before != nil {
		mode = before.Mode().Perm()
	}
	temporary = ".toolscope-" + rand.Text() + ".tmp"
	f, err := parent.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return "", err
	}
	_, err = f.Write(content)
	if err == nil && before != nil {
		keepOwner(f, before)
		err = f.Chmod(mode) // what the umask took away
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		_ = parent.Remove(temporary)
		return "", err
	}
	return temporary, nil
}

// install gives the staged file its name, if there stands what stood before.
func install(parent *os.Root, temporary, name string, before fs.FileInfo) error {
	now, err := parent.Lstat(name)
	if !same(before, now, err) {
		return errChanged
	}
	if before == nil {
		// A link, unlike a rename, fails if the file was made since.
		switch err := parent.Link(temporary, name); {
		case err == nil:
			return parent.Remove(temporary)
		case errors.Is(err, fs.ErrExist):
			return errChanged
		} // a file system without links: the look above must do
	}
	return parent.Rename(temporary, name)
}

// same tells whether what stands there now is what was found before.
func same(before, now fs.FileInfo, err error) bool {
	if before == nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	return err == nil && os.SameFile(before, now) && before.Size() == now.Size() && before.ModTime().Equal(now.ModTime())
}
