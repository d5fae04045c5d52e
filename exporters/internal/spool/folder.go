// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package spool

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
)

// A folder is what one process keeps in the directory. Its owner holds the lock of the
// file within it; who gets that lock once the owner has ended owns the folder.
type folder struct {
	path     string
	lock     *os.File
	segments int // of the store's lists
}

const lockName = "lock"

// newFolder makes a folder of this process. Another process may take it for a dead
// one's before it is locked; then it makes another.
func (s *system) newFolder(dir string) (*folder, error) {
	if err := s.mkdir(dir); err != nil {
		return nil, err
	}
	for {
		path := filepath.Join(dir, fmt.Sprintf("%d-%016x", os.Getpid(), rand.Uint64()))
		if err := s.mkdir(path); err != nil {
			return nil, err
		}
		f, err := s.takeFolder(path)
		if err != nil {
			_ = os.Remove(filepath.Join(path, lockName))
			_ = os.Remove(path)
			return nil, err
		}
		if f != nil {
			return f, nil
		}
	}
}

// takeFolder takes the folder at path if no process has it; nil if one does.
func (s *system) takeFolder(path string) (*folder, error) {
	name := filepath.Join(path, lockName)
	f, err := s.open(name, os.O_RDWR|os.O_CREATE)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) { // another has taken it and was done
			err = nil
		}
		return nil, err
	}
	taken, err := lock(f)
	if err == nil && taken && same(f, name) {
		return &folder{path: path, lock: f}, nil
	}
	_ = f.Close()
	return nil, err
}

// same reports whether f is still the file of that name.
func same(f *os.File, name string) bool {
	a, err := f.Stat()
	if err != nil {
		return false
	}
	b, err := os.Lstat(name)
	return err == nil && os.SameFile(a, b)
}

// leave gives the lock back, and removes the folder if nothing is left in it.
func (f *folder) leave() {
	name := filepath.Join(f.path, lockName)
	if entries, err := os.ReadDir(f.path); err == nil && len(entries) == 1 && same(f.lock, name) {
		// Windows removes no open file.
		if os.Remove(name) != nil {
			_ = f.lock.Close()
			_ = os.Remove(name)
		}
		_ = os.Remove(f.path)
	}
	_ = f.lock.Close()
}

// folderName is what a folder is called; what is called otherwise is not touched.
var folderName = regexp.MustCompile(`^[0-9]+-[0-9a-f]{16}$`)

// IsFolder reports whether a process's folder may be called so.
func IsFolder(name string) bool { return folderName.MatchString(name) }

// folders are the directory's folders.
func folders(dir string) (paths []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if e.IsDir() && folderName.MatchString(e.Name()) {
			paths = append(paths, filepath.Join(dir, e.Name()))
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return paths, err
}

// weigh is how many bytes the segments of a folder are.
func weigh(path string) (n int64) {
	entries, _ := os.ReadDir(path) // of one that is gone: none
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			n += info.Size()
		}
	}
	return n
}

// system is what a spool asks of the file system that can fail when there is no room. Tests
// make it fail.
type system struct {
	mkdir func(path string) error
	open  func(path string, flag int) (*os.File, error)
	write func(f *os.File, b []byte, at int64) error
}

func newSystem() *system {
	return &system{
		mkdir: func(path string) error { return os.MkdirAll(path, 0o700) },
		open:  func(path string, flag int) (*os.File, error) { return os.OpenFile(path, flag, 0o600) },
		write: func(f *os.File, b []byte, at int64) error { _, err := f.WriteAt(b, at); return err },
	}
}
