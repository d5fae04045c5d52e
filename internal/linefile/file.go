// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package linefile

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/toolscope/toolscope/internal/filelock"
)

// Options say what else is opened, and how.
type Options struct {
	// Devices are opened as well; else what is no regular file is an error.
	Devices bool
	// Private has a file that others could read be its owner's only.
	Private bool
}

// A File is one that lines are appended to. It is not safe for concurrent use; several processes may append to one.
type File struct {
	path    string
	options Options
	file    *os.File
	end     int64                     // where the last append ended
	write   func([]byte) (int, error) // for tests; nil is that of the file
}

// Open opens a file for appending, and makes it, for its owner only (0600), if there is none.
func Open(path string, o Options) (*File, error) {
	f := &File{path: path, options: o}
	return f, f.open()
}

// open opens the file of the name, in the place of the one that is open.
func (f *File) open() error {
	info, err := os.Stat(f.path)
	regular := err != nil || info.Mode().IsRegular()
	if !regular && !f.options.Devices {
		return fmt.Errorf("%s: got a %v, want a file", f.path, info.Mode().Type())
	}
	flag := os.O_RDWR
	if !regular { // a pipe waits for its reader
		flag = os.O_WRONLY
	}
	file, err := os.OpenFile(f.path, flag|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	if err := f.setMode(file); err != nil {
		return errors.Join(err, file.Close())
	}
	if f.file != nil {
		_ = f.file.Close() // all was written
	}
	f.file, f.end = file, 0
	return nil
}

// setMode makes the file private.
func (f *File) setMode(file *os.File) error {
	info, err := file.Stat()
	if err != nil || !f.options.Private || !info.Mode().IsRegular() || info.Mode().Perm()&0o077 == 0 {
		return err
	}
	if err := file.Chmod(0o600); err != nil {
		return fmt.Errorf("%s can be read by others (mode %v), and that cannot be changed: %w", f.path, info.Mode().Perm(), err)
	}
	return nil
}

// Named reports whether the open file is the one of the name: another process may have rotated it, or moved it away.
func (f *File) Named() bool { return IsNamed(f.file, f.path) }

// IsNamed reports whether an open file is the one of a name.
func IsNamed(f *os.File, path string) bool {
	named, err := os.Stat(path)
	if err != nil {
		return false
	}
	open, err := f.Stat()
	return err == nil && os.SameFile(named, open)
}

// Follow opens the file of the name if another one is open.
func (f *File) Follow() error {
	if f.Named() {
		return nil
	}
	return f.open()
}

// Append appends lines with their ends in one write, and returns the size of the file then. Where the file ends within a
// line, of a program that was killed or a disk that was full, that line is ended first, so that it spoils no other.
func (f *File) Append(lines []byte) (size int64, err error) {
	info, err := f.file.Stat()
	if err != nil {
		return 0, err
	}
	if size = info.Size(); size != f.end && info.Mode().IsRegular() && f.endsWithinLine(size) {
		lines = append([]byte{'\n'}, lines...)
	}
	write := f.write
	if write == nil {
		write = f.file.Write
	}
	n, err := write(lines)
	size += int64(n)
	if err != nil {
		return size, err
	}
	f.end = size
	return size, nil
}

// endsWithinLine reports whether the file of that size ends within a line, and stays so: while another process writes,
// a part of its line may be seen.
func (f *File) endsWithinLine(size int64) bool {
	var last [1]byte
	for range 5 {
		if size == 0 {
			return false
		}
		if _, err := f.file.ReadAt(last[:], size-1); err != nil || last[0] == '\n' {
			return false
		}
		time.Sleep(2 * time.Millisecond)
		info, err := f.file.Stat()
		if err != nil {
			return false
		}
		size = info.Size()
	}
	return true
}

// Rotate has rename give the file another name, unless another process was faster, and opens the one of the name. If that
// fails, the file may be one that is not of the name ([File.Named]).
func (f *File) Rotate(rename func() error) error {
	var failed error
	if runtime.GOOS == "windows" { // which renames no open file, so that one that others have open too grows on
		named := f.Named()
		_ = f.file.Close() // all was written
		if named {
			failed = rename()
		}
	} else {
		old := f.file
		if err := filelock.Lock(old); err != nil {
			return err
		}
		defer filelock.Unlock(old) // which may be closed by then
		if f.Named() {
			failed = rename()
		}
	}
	if errors.Is(failed, os.ErrNotExist) { // a program that knows no lock was faster
		failed = nil
	}
	return errors.Join(failed, f.open())
}

// Stat is about the open file.
func (f *File) Stat() (os.FileInfo, error) { return f.file.Stat() }

// ReadAt reads from the open file.
func (f *File) ReadAt(p []byte, at int64) (int, error) { return f.file.ReadAt(p, at) }

// Sync waits until all is on the disk.
func (f *File) Sync() error { return f.file.Sync() }

// Close closes the file.
func (f *File) Close() error { return f.file.Close() }
