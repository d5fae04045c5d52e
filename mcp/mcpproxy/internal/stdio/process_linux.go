// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stdio

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/frames"
)

// startProcess starts a server that is killed if this process is: a client that kills its
// server has killed us. The kernel ties that to the thread that starts it, so that
// thread stays until the server has ended.
func startProcess(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with this goroutine
		err := cmd.Start()
		started <- err
		if err != nil {
			return
		}
		var info unix.Siginfo
		for unix.Waitid(unix.P_PID, cmd.Process.Pid, &info, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
		}
	}()
	return <-started
}

// newPipe makes a pipe whose ends Go's poller does not know: it would wake a thread for all that passes,
// besides the one that reads (see [input]). Who writes waits in write(2).
func newPipe() (r, w *os.File, err error) {
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		return nil, nil, os.NewSyscallError("pipe2", err)
	}
	return os.NewFile(uintptr(ends[0]), "pipe"), os.NewFile(uintptr(ends[1]), "pipe"), nil
}

// widen makes pipes hold as much as is read at once where much comes, where the system lets us. One that
// holds more already stays as its owner made it.
func widen(pipes ...*os.File) {
	for _, p := range pipes {
		if raw, err := p.SyscallConn(); err == nil {
			_ = raw.Control(func(fd uintptr) {
				if size, err := unix.FcntlInt(fd, unix.F_GETPIPE_SZ, 0); err == nil && size < frames.WideRead {
					_, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, frames.WideRead)
				}
			})
		}
	}
}
