// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build !unix && !windows

package files

import (
	"io/fs"
	"os"
)

// nonblock is 0: opening a file does not wait for others.
const nonblock = 0

func device(fs.FileInfo) uint64 { return 0 }

// linked is false: there are no hard links.
func linked(*os.File, fs.FileInfo) bool { return false }

func keepOwner(*os.File, fs.FileInfo) {}
