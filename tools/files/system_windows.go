// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"io/fs"
	"os"
	"syscall"
)

// nonblock is 0: opening a file does not wait for others.
const nonblock = 0

// device is the same for all: there are no file systems of the kernel.
func device(fs.FileInfo) uint64 { return 0 }

// linked tells whether a file has more names than one, or cannot be asked.
func linked(f *os.File, _ fs.FileInfo) bool {
	var info syscall.ByHandleFileInformation
	return syscall.GetFileInformationByHandle(syscall.Handle(f.Fd()), &info) != nil || info.NumberOfLinks > 1
}

func keepOwner(*os.File, fs.FileInfo) {}
