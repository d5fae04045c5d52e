// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build !windows

package bash

import (
	"os/exec"
	"syscall"
)

// ownGroup lets a command lead a process group, so that endGroup ends what it leaves.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

func endGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
}
