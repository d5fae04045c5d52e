// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix && !linux

package shell

import (
	"fmt"
	"runtime"
	"syscall"
)

// attributes makes a command the leader of a new process group.
func attributes(bool) *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func checkNamespace(string) error {
	return fmt.Errorf("shell: Options.PIDNamespace: got true, want false on %s: PID namespaces are a matter of Linux", runtime.GOOS)
}

// killMarked finds nothing: there is no /proc to look in.
func killMarked(string) int { return 0 }
