// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package process

import "syscall"

func attributes(Walls) *syscall.SysProcAttr { return nil }
