// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpcmd

import (
	"errors"
	"fmt"
	"time"

	"github.com/toolscope/toolscope/internal/filelock"
)

// lockWait is how long a change waits for another one in the same directory.
const lockWait = 10 * time.Second

// lockDir has one process at a time change the files of a directory. A file system without locks is no error.
func lockDir(dir string) (unlock func(), err error) {
	f, err := lockedOf(dir)
	if err != nil {
		return nil, err
	}
	for end := time.Now().Add(lockWait); ; time.Sleep(lockWait / 500) {
		if err := filelock.Try(f); !errors.Is(err, filelock.ErrHeld) {
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
