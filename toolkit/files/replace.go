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

// replace puts content in the file's place, whole or not at all. before is what
// was read, nil if there was no file: anything else found now is a change by
// somebody else. A hard link's other names keep the old content.
func replace(ctx context.Context, parent *os.Root, name string, before fs.FileInfo, content []byte) (err error) {
	if len(content) > maxFileBytes {
		return fmt.Errorf("would have %d bytes, more than the %d that are written", len(content), maxFileBytes)
	}
	mode := fs.FileMode(0o666)
	if before != nil {
		mode = before.Mode().Perm()
	}
	temporary := ".toolscope-" + rand.Text() + ".tmp"
	f, err := parent.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = parent.Remove(temporary)
		}
	}()
	_, err = f.Write(content)
	if err == nil && before != nil {
		err = f.Chmod(mode) // what the umask took away
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return over(ctx, "before the file was written")
	}
	now, err := parent.Lstat(name)
	if !same(before, now, err) {
		return errChanged
	}
	return parent.Rename(temporary, name)
}

// same tells whether what stands there now is what was read before.
func same(before, now fs.FileInfo, err error) bool {
	if before == nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	return err == nil && os.SameFile(before, now) && before.Size() == now.Size() && before.ModTime().Equal(now.ModTime())
}
