// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package stdio

import (
	"os"
	"syscall"
)

// exitOf is how a process ended.
func exitOf(s *os.ProcessState) Exit {
	e := Exit{Code: s.ExitCode()}
	if status, ok := s.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		e.Signal = status.Signal()
	}
	return e
}
