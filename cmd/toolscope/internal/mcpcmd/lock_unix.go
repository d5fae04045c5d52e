// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package mcpcmd

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// lockWait is how long a change waits for another one in the same directory.
const lockWait = 10 * time.Second

// lockDir has one process at a time change the files of a directory. It locks the directory itself, so that no file
// is left. A file system without locks is no error.
func lockDir(dir string) (unlock func(), err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	for end := time.Now().Add(lockWait); ; time.Sleep(lockWait / 500) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return func() { _ = f.Close() }, nil // which unlocks it
		}
		if time.Now().After(end) {
			return nil, errors.Join(
				fmt.Errorf("%s: got a lock of another process for %s, want none: try again", dir, lockWait),
				f.Close(),
			)
		}
	}
}
