// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package process

import (
	"errors"
	"os"
	"syscall"
)

// Supported fails where the descendants of a process could not be ended: on systems
// other than Unix.
func Supported() error { return nil }

// killGroup kills every process of the group; os.ErrProcessDone if there is none.
// SIGKILL, since SIGTERM can be ignored and the answer is being waited for.
func killGroup(pid int) error {
	err := syscall.Kill(-pid, syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}
