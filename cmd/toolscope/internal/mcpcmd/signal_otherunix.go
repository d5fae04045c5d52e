// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix && !linux

package mcpcmd

import "syscall"

// defaultAction does nothing: the exit code says which signal ended the server.
func defaultAction(syscall.Signal) bool { return false }
