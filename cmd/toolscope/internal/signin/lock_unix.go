// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package signin

import (
	"os"
	"syscall"
)

// tryLock locks a file until it is closed; an error if another process has it.
func tryLock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }
