// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package shell

import (
	"errors"
	"os"
	"syscall"
)

func supported() error { return nil }

// killGroup kills every process of the group; os.ErrProcessDone if there is none.
// SIGKILL, since SIGTERM can be ignored and the answer is being waited for.
func killGroup(pid int) error {
	err := syscall.Kill(-pid, syscall.SIGKILL)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}
