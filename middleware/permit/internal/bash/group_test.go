// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build !windows

package bash

import (
	"os"
	"os/exec"
	"syscall"
)

// otherUser is the user that lines run as where the test itself runs as root.
const otherUser = 65534

// ownGroup lets a command lead a process group, so that endGroup ends what it leaves, and never run as root.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if os.Geteuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: otherUser, Gid: otherUser}
	}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

func endGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
}
