// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package calllog

import (
	"cmp"
	"errors"
	"fmt"
	"os"

	"github.com/toolscope/toolscope/internal/linefile"
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
	file *linefile.File
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
func (r *rotated) open() (err error) {
	file, err := linefile.Open(r.path, linefile.Options{Devices: true, Private: true})
	if err == nil {
		r.file = file
	}
	return err
}

// Write appends lines. A file that cannot be rotated grows on.
func (r *rotated) Write(lines []byte) (int, error) {
	if r.file == nil {
		if err := r.open(); err != nil {
			return 0, err
		}
	}
	if r.most > 0 {
		info, err := r.file.Stat()
		switch {
		case err == nil && !info.Mode().IsRegular():
		case err != nil || !r.file.Named(): // another process has rotated it, or it was removed
			_ = r.file.Follow()
		case info.Size()+int64(len(lines)) > r.most && info.Size() > 0:
			if r.file.Rotate(r.rename) == nil && r.told != nil {
				r.told()
			}
		}
	}
	_, err := r.file.Append(lines)
	return len(lines), err
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
