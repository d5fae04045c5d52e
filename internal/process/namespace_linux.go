// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"os"
	"syscall"
)

// attributes makes a process the leader of a new process group and, if the walls say
// so, the first process of namespaces of its own. A user that is not root needs a user
// namespace for that, with the same user in it.
func attributes(w Walls) *syscall.SysProcAttr {
	a := &syscall.SysProcAttr{Setpgid: true}
	if w.PID {
		a.Cloneflags |= syscall.CLONE_NEWPID
	}
	if w.Network {
		a.Cloneflags |= syscall.CLONE_NEWNET
	}
	if a.Cloneflags == 0 {
		return a
	}
	if uid, gid := os.Geteuid(), os.Getegid(); uid != 0 {
		a.Cloneflags |= syscall.CLONE_NEWUSER
		a.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
	}
	return a
}
