// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build !windows && !darwin && !dragonfly && !freebsd && !linux && !netbsd && !openbsd

package filelock

import "os"

// Try does nothing on systems without such locks.
func Try(*os.File) error { return nil }

// Lock does nothing on systems without such locks.
func Lock(*os.File) error { return nil }

// Unlock does nothing on systems without such locks.
func Unlock(*os.File) {}
