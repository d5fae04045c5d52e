// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package stdio

import (
	"errors"
	"io"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// input reads from a pipe in a thread that waits for nothing else: the kernel wakes it
// at once, which takes a third of the time that Go's poller and scheduler take.
type input struct {
	raw    syscall.RawConn
	exited *atomic.Bool // the process whose output it is has ended
}

func newInput(f *os.File, exited *atomic.Bool) (*input, error) {
	raw, err := f.SyscallConn()
	return &input{raw, exited}, err
}

// read reads what is there, and waits for something if nothing is. errIdle says that the
// process has ended and nothing came for idleTime.
func (i *input) read(b []byte) (n int, err error) {
	failed := i.raw.Control(func(fd uintptr) { n, err = i.readFD(int(fd), b) })
	return n, errors.Join(err, failed)
}

func (i *input) readFD(fd int, b []byte) (int, error) {
	var idle time.Time // since when nothing came after the process's end
	poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	for {
		ready, err := unix.Poll(poll, int(idleTime/time.Millisecond/2))
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return 0, os.NewSyscallError("poll", err)
		case ready == 0:
			switch now := time.Now(); {
			case !i.exited.Load():
			case idle.IsZero():
				idle = now.Add(-idleTime / 2)
			case now.Sub(idle) >= idleTime:
				return 0, errIdle
			}
			continue
		}
		n, err := unix.Read(fd, b)
		switch {
		case err == unix.EINTR || err == unix.EAGAIN:
		case err != nil:
			return 0, os.NewSyscallError("read", err)
		case n == 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}

// wake does nothing: who reads looks by itself.
func wake(*os.File) {}

// readReady reads what is there.
func (i *input) readReady(b []byte) (n int, err error) {
	failed := i.raw.Control(func(fd uintptr) { n, err = unix.Read(int(fd), b) })
	switch {
	case err == unix.EINTR || err == unix.EAGAIN:
		n, err = 0, nil
	case err != nil:
		n, err = 0, os.NewSyscallError("read", err)
	case n == 0 && failed == nil:
		err = io.EOF
	}
	return n, errors.Join(err, failed)
}

// waitsForEither says that waitForEither works.
const waitsForEither = true

// waitForEither waits until one of two can be read, and returns it; nil if that takes too long. Both have been opened.
func waitForEither(a, b *frameReader, most time.Duration) (ready *frameReader) {
	_ = a.in.raw.Control(func(first uintptr) {
		_ = b.in.raw.Control(func(second uintptr) {
			poll := []unix.PollFd{{Fd: int32(first), Events: unix.POLLIN}, {Fd: int32(second), Events: unix.POLLIN}}
			n, err := unix.Poll(poll, int(max(0, most)/time.Millisecond))
			switch {
			case err != nil || n == 0:
			case poll[0].Revents != 0:
				ready = a
			default:
				ready = b
			}
		})
	})
	return ready
}
