// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package files

import "syscall"

const nonblock = syscall.O_NONBLOCK
