// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package calllog

import (
	"os"
	"syscall"
)

// beforeRename waits for the only lock of a file that is renamed next. The file may be closed before it is unlocked.
func beforeRename(f *os.File) (unlock func(), err error) {
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return nil, err
	}
	return func() { _ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }, nil
}
