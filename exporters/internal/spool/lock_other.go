// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package spool

import (
	"errors"
	"os"
)

// lock fails: this system has no lock that ends with its process.
func lock(*os.File) (taken bool, err error) { return false, errors.ErrUnsupported }
