// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpcmd

import (
	"syscall"
	"unsafe"
)

// defaultAction has a signal do what it does in a program that handles none, which package signal cannot do for those
// that the Go runtime takes for crashes of its own.
func defaultAction(sig syscall.Signal) bool {
	var none [8]uintptr // struct sigaction, which is smaller: SIG_DFL, without flags
	const setSize = 8   // bytes of its sigset_t
	_, _, err := syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(&none)), 0, setSize, 0, 0)
	return err == 0
}
