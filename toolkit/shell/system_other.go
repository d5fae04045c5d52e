// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package shell

import (
	"errors"
	"syscall"
)

func attributes(bool) *syscall.SysProcAttr { return nil }

func checkNamespace(string) error { return errors.ErrUnsupported }

func killMarked(string) int { return 0 }
