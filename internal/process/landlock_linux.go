// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What may be done with files, by the version of Landlock that knows it
// (https://docs.kernel.org/userspace-api/landlock.html).
const (
	readRights = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	// fileRights are those that a rule for what is no directory may have.
	fileRights = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	firstRights = unix.LANDLOCK_ACCESS_FS_MAKE_SYM<<1 - 1
)

// landlock is the version that the kernel has; 0 is none.
var landlock = sync.OnceValue(func() int {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(version)
})

// Confines reports whether [Walls.Reach] is enforced here.
func Confines() bool { return landlock() > 0 }

// RefusesTCP reports whether [Reach.Offline] is enforced here.
func RefusesTCP() bool { return landlock() >= 4 }

// handled are the rights over files that this kernel can withhold.
func handled() uint64 {
	rights := uint64(firstRights)
	for _, later := range []struct {
		version int
		rights  uint64
	}{{2, unix.LANDLOCK_ACCESS_FS_REFER}, {3, unix.LANDLOCK_ACCESS_FS_TRUNCATE}, {5, unix.LANDLOCK_ACCESS_FS_IOCTL_DEV}} {
		if landlock() >= later.version {
			rights |= later.rights
		}
	}
	return rights
}

// start starts a command within walls. A thread restricts itself and is the command's
// parent, from which the command has its restrictions; it ends with its goroutine, since
// nothing takes restrictions back.
func start(cmd *exec.Cmd, w Walls) error {
	if w.Reach == nil {
		return cmd.Start()
	}
	rules, err := w.ruleset()
	if err != nil {
		return err
	}
	defer unix.Close(rules)
	done := make(chan error, 1)
	go restrictedStart(cmd, rules, done)
	return <-done
}

func restrictedStart(cmd *exec.Cmd, rules int, done chan<- error) {
	runtime.LockOSThread() // and never unlocked
	if unix.Gettid() == unix.Getpid() {
		// The main thread stands for the whole process: restricted, it would let what is
		// restricted in the same way look into the process. Another goroutine cannot get it
		// while this one holds it.
		defer runtime.UnlockOSThread()
		own := make(chan error, 1)
		go restrictedStart(cmd, rules, own)
		done <- <-own
		return
	}
	if err := restrict(rules); err != nil {
		done <- err
		return
	}
	done <- cmd.Start()
}

func restrict(rules int) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("no new privileges: %w", err)
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(rules), 0, 0); errno != 0 {
		return fmt.Errorf("landlock: %w", errno)
	}
	return nil
}

// ruleset makes the rules of the walls. The caller closes the file.
func (w Walls) ruleset() (int, error) {
	if landlock() == 0 {
		return -1, errors.New("landlock: this kernel has none, or it is not switched on (Linux 5.13 or later with lsm=landlock)")
	}
	attr := unix.LandlockRulesetAttr{Handled_access_fs: handled()}
	if w.Reach.Offline && RefusesTCP() {
		attr.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if landlock() >= 6 { // neither signals nor abstract sockets to processes outside
		attr.Scoped = unix.LANDLOCK_SCOPE_SIGNAL | unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return -1, fmt.Errorf("landlock: %w", errno)
	}
	rules := int(fd)
	write := w.Reach.Write
	if (w.PID || w.Network) && os.Geteuid() != 0 {
		// The thread itself writes the user namespace's mappings. What else is there of other
		// processes Landlock keeps from restricted processes.
		write = append(write[:len(write):len(write)], "/proc")
	}
	for _, list := range []struct {
		paths  []string
		rights uint64
	}{
		{w.Reach.List, unix.LANDLOCK_ACCESS_FS_READ_DIR},
		{w.Reach.Read, readRights}, {write, handled()}, {[]string{os.DevNull}, fileRights}} {
		for _, path := range list.paths {
			if err := allow(rules, path, list.rights&handled()); err != nil {
				unix.Close(rules)
				return -1, err
			}
		}
	}
	return rules, nil
}

// allow adds a rule for a path, if it exists.
func allow(rules int, path string, rights uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.ENOTDIR) {
			return nil // what cannot be opened cannot be reached
		}
		return fmt.Errorf("landlock: %s: %w", path, err)
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return fmt.Errorf("landlock: %s: %w", path, err)
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= fileRights
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)}
	if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(rules), unix.LANDLOCK_RULE_PATH_BENEATH,
		uintptr(unsafe.Pointer(&rule)), 0, 0, 0); errno != 0 {
		return fmt.Errorf("landlock: %s: %w", path, errno)
	}
	return nil
}
