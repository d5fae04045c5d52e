// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package filelock_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/toolscope/toolscope/internal/filelock"
)

// A file opened twice is to the system what two processes opened.
func TestLocks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	var files [2]*os.File
	for i := range files {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = f.Close() }()
		files[i] = f
	}
	if err := filelock.Try(files[0]); err != nil {
		t.Fatal(err)
	}
	if err := filelock.Try(files[1]); !errors.Is(err, filelock.ErrHeld) {
		t.Errorf("got %v, want the lock to be held", err)
	}
	if _, err := files[1].WriteString("a line\n"); err != nil {
		t.Errorf("got %v, want a locked file to be written", err)
	}
	if err := files[0].Close(); err != nil {
		t.Fatal(err)
	}
	if err := filelock.Try(files[1]); err != nil {
		t.Errorf("got %v after the holder closed the file", err)
	}
}
