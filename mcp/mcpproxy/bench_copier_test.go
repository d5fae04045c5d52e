// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package mcpproxy_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"
)

// copyPipes stands between this process's client and a server, and does no more than copy: a
// thread for each direction that waits in read, and writes what it got. Less than that no process in
// between written in Go takes.
func copyPipes() int {
	self, err := os.Executable()
	if err != nil {
		return 1
	}
	stdin, in, err := os.Pipe()
	if err != nil {
		return 1
	}
	out, stdout, err := os.Pipe()
	if err != nil {
		return 1
	}
	server := exec.Command(self)
	server.Env = append(os.Environ(), programEnv+"=server")
	server.Stdin, server.Stdout, server.Stderr = stdin, stdout, os.Stderr
	if server.Start() != nil {
		return 1
	}
	_, _ = stdin.Close(), stdout.Close()
	go copyBlocking(int(in.Fd()), 0) // Fd makes it block
	var answers sync.WaitGroup
	answers.Go(func() { copyBlocking(1, int(out.Fd())) })
	answers.Wait()
	_ = server.Wait()
	runtime.KeepAlive(in) // else their finalizers close them
	runtime.KeepAlive(out)
	return 0
}

// copyBlocking copies in a thread of its own until one end closes, and closes the other.
func copyBlocking(to, from int) {
	runtime.LockOSThread()
	buffer := make([]byte, 256<<10)
	for {
		n, err := syscall.Read(from, buffer)
		if n <= 0 || err != nil {
			break
		}
		for b := buffer[:n]; len(b) > 0; b = b[n:] {
			if n, err = syscall.Write(to, b); err != nil {
				break
			}
		}
	}
	_ = syscall.Close(to)
}

// copier is the program testdata/copier.c, the least that any process in between takes; "" where no
// compiler of C is.
func copier(b *testing.B) string {
	b.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil || runtime.GOOS != "linux" {
		return ""
	}
	program := filepath.Join(b.TempDir(), "copier")
	if out, err := exec.Command(
		cc, "-O2", "-pthread", "-o", program, filepath.Join("testdata", "copier.c"),
	).CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	return program
}
