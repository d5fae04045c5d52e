// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package mcpcmd

import "os"

// lockedOf is what is locked for a directory: itself, so that no file is left.
func lockedOf(dir string) (*os.File, error) { return os.Open(dir) }
