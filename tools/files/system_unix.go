// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package files

import (
	"io/fs"
	"os"
	"syscall"
)

// nonblock lets opening a pipe return at once.
const nonblock = syscall.O_NONBLOCK

// device numbers the file system that a file lies in.
func device(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Dev)
	}
	return 0
}

// linked tells whether a file has more names than one.
func linked(_ *os.File, info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && s.Nlink > 1
}

// keepOwner gives a file the owner of the one it replaces, where that is allowed.
func keepOwner(f *os.File, before fs.FileInfo) {
	if s, ok := before.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(int(s.Uid), int(s.Gid))
	}
}
