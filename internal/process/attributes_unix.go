// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix && !linux

package process

import "syscall"

// attributes makes a process the leader of a new process group.
func attributes(Walls) *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
