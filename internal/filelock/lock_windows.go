// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockedByte is far behind the end of a file: others can read and write what is locked nowhere else.
func lockedByte() *windows.Overlapped {
	return &windows.Overlapped{Offset: 1<<32 - 2, OffsetHigh: 1<<31 - 1}
}

// Try locks a file until it is closed. The error is [ErrHeld], or that the file system has no locks.
func Try(f *os.File) error {
	err := windows.LockFileEx(
		windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, lockedByte(),
	)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrHeld
	}
	return err
}

// Lock waits for the lock of a file.
func Lock(f *os.File) error {
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, lockedByte())
}

// Unlock gives the lock of a file back.
func Unlock(f *os.File) { _ = windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, lockedByte()) }
