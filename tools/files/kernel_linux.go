// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"os"
	"syscall"
)

// kernelFS are the numbers of file systems whose files are switches and views of
// processes, from linux/magic.h.
var kernelFS = map[uint32]bool{
	// proc, sysfs, devpts, debugfs, tracefs, securityfs
	0x9fa0: true, 0x62656572: true, 0x1cd1: true, 0x64626720: true, 0x74726163: true, 0x73636673: true,
	// cgroup, cgroup2, bpf, pstore, efivarfs, configfs
	0x27e0eb: true, 0x63677270: true, 0xcafe4a11: true, 0x6165676c: true, 0xde5e81e4: true, 0x62656570: true,
	// binfmt_misc, mqueue, selinuxfs, nsfs, fusectl
	0x42494e4d: true, 0x19800202: true, 0xf97cff8c: true, 0x6e736673: true, 0x65735543: true,
}

// checkKernel refuses a file of such a file system.
func checkKernel(f *os.File) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var s syscall.Statfs_t
	var failed error
	if err := conn.Control(func(fd uintptr) { failed = syscall.Fstatfs(int(fd), &s) }); err != nil {
		return err
	}
	if failed == nil && kernelFS[uint32(s.Type)] {
		return errKernel
	}
	return failed
}
