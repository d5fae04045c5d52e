// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package calllog

import (
	"cmp"
	"errors"
	"fmt"
	"os"
)

// The bounds of a log's files.
const (
	maxSize  = 64 << 20 // bytes of one, by default
	maxFiles = 3        // that were rotated: FILE.1 is the latest one
)

// rotated is a file that is renamed at a size. Several processes may append to it.
type rotated struct {
	path string
	most int64 // bytes; 0 for any number
	file *os.File
	told func() // of a rotation; may be nil
}

// openRotated opens the file, late with the first line.
func openRotated(path string, most int64, late bool, told func()) (*rotated, error) {
	r := &rotated{path: path, most: max(0, cmp.Or(most, maxSize)), told: told}
	if late {
		return r, nil
	}
	return r, r.open()
}

// open opens the file, which only its owner may read.
func (r *rotated) open() error {
	file, err := os.OpenFile(r.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 {
		if err = file.Chmod(0o600); err != nil {
			err = fmt.Errorf("%s can be read by others (mode %v), and that cannot be changed: %w", r.path, info.Mode().Perm(), err)
		}
	}
	if err != nil {
		return errors.Join(err, file.Close())
	}
	if r.file != nil {
		_ = r.file.Close() // all was written
	}
	r.file = file
	return nil
}

// Write appends a line. A file that cannot be rotated grows on.
func (r *rotated) Write(line []byte) (int, error) {
	if r.file == nil {
		if err := r.open(); err != nil {
			return 0, err
		}
	}
	info, err := r.file.Stat()
	switch {
	case err != nil: // it could not be opened again
		_ = r.open()
	case r.most > 0 && info.Mode().IsRegular():
		now, err := os.Stat(r.path)
		switch {
		case err == nil && os.SameFile(now, info) && info.Size()+int64(len(line)) > r.most && info.Size() > 0:
			if r.rotate() == nil && r.told != nil {
				r.told()
			}
		case err != nil || !os.SameFile(now, info): // another process has rotated it, or it was removed
			_ = r.open()
		}
	}
	return r.file.Write(line)
}

// rotate renames the files, and opens a new one.
func (r *rotated) rotate() error {
	mine, err := r.file.Stat()
	if err != nil {
		return err
	}
	unlock, err := beforeRename(r.file)
	if err != nil {
		return err
	}
	defer unlock()
	var failed error
	if now, err := os.Stat(r.path); err == nil && os.SameFile(now, mine) { // else another process was faster
		failed = r.rename()
	}
	return errors.Join(failed, r.open())
}

// rename gives each file the next number; the last one is gone.
func (r *rotated) rename() error {
	for n := maxFiles - 1; n > 0; n-- {
		err := os.Rename(fmt.Sprintf("%s.%d", r.path, n), fmt.Sprintf("%s.%d", r.path, n+1))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return os.Rename(r.path, r.path+".1")
}

// Close closes the file.
func (r *rotated) Close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}
