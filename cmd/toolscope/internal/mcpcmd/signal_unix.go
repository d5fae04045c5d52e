// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package mcpcmd

import (
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
)

// catchSignals gives the signals that a proxy passes on to its server. Those that a terminal
// sends have reached the server already, since it is of the same group, and those that this process
// ignores, as below nohup, so does the server. A pipe without a reader is an error of the write
// then, and not the end of the proxy.
func catchSignals(stdin *os.File) (<-chan os.Signal, func()) {
	signals := make(chan os.Signal, 16)
	passed := []os.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGUSR2}
	terminal := []os.Signal{syscall.SIGINT, syscall.SIGQUIT}
	unwanted := make(chan os.Signal, 1)
	ignored := []os.Signal{syscall.SIGPIPE}
	if isTTY(stdin) {
		ignored = append(ignored, terminal...)
	} else {
		passed = append(passed, terminal...)
	}
	passed = slices.DeleteFunc(passed, signal.Ignored)
	signal.Notify(signals, passed...)
	signal.Notify(unwanted, ignored...)
	return signals, func() { signal.Stop(signals); signal.Stop(unwanted) }
}

// dieOf ends this process by a signal, as the server was. Where it does not come to that, it
// returns the exit code that shells give for it: the first process of a container cannot end so, nor
// one that ignores the signal.
func dieOf(s os.Signal) int {
	sig, ok := s.(syscall.Signal)
	if !ok {
		return cli.ExitError
	}
	if os.Getpid() == 1 || signal.Ignored(sig) {
		return 128 + int(sig)
	}
	switch sig {
	case syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGKILL, syscall.SIGUSR1, syscall.SIGUSR2:
		signal.Reset(sig)
	case syscall.SIGSEGV, syscall.SIGABRT, syscall.SIGBUS, syscall.SIGFPE, syscall.SIGILL, syscall.SIGTRAP, syscall.SIGSYS,
		syscall.SIGQUIT:
		if !defaultAction(sig) { // Go's handler would print goroutines, and end with code 2
			return 128 + int(sig)
		}
	default:
		return 128 + int(sig)
	}
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}) // the crash is the server's, and so is its core
	if syscall.Kill(os.Getpid(), sig) == nil {
		time.Sleep(5 * time.Second) // it comes, at once where the machine has time
	}
	return 128 + int(sig)
}

// isTTY reports whether a file is a terminal, without changing its mode as Fd does.
func isTTY(f *os.File) (yes bool) {
	raw, err := f.SyscallConn()
	if err != nil {
		return false
	}
	err = raw.Control(func(fd uintptr) {
		_, failed := unix.IoctlGetWinsize(int(fd), unix.TIOCGWINSZ)
		yes = failed == nil
	})
	return yes && err == nil
}
