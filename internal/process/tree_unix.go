// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package process

import (
	"os"
	"syscall"
)

func terminateGroup(leader *os.Process) { _ = syscall.Kill(-leader.Pid, syscall.SIGTERM) }
