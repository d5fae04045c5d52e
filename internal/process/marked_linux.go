// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"bytes"
	"io"
	"os"
	"strconv"
)

const (
	maxRounds  = 10      // of looking for processes that are still being born
	maxEnviron = 1 << 20 // bytes of a process's environment that are searched
)

// killMarked kills the processes that have the mark in the environment they were
// started with, and so stem from the command even if they left its group and closed
// its output; it gives their number. What clears its environment is not found.
func killMarked(mark string) (killed int) {
	for range maxRounds {
		found := 0
		for _, pid := range processes() {
			if killIfMarked(pid, mark) {
				found++
			}
		}
		if killed += found; found == 0 {
			break
		}
	}
	return killed
}

func processes() (pids []int) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1) // what was read before an error counts
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil && pid != os.Getpid() {
			pids = append(pids, pid)
		}
	}
	return pids
}

func killIfMarked(pid int, mark string) bool {
	environ, err := readEnviron(pid)
	if err != nil || !marked(environ, mark) {
		return false
	}
	// The handle is of the process that has the number now: look again, so that
	// no other is killed that has got it meanwhile.
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer p.Release() //nolint:errcheck // a handle that cannot be closed is gone
	environ, err = readEnviron(pid)
	return err == nil && marked(environ, mark) && p.Kill() == nil
}

func readEnviron(pid int) ([]byte, error) {
	f, err := os.Open("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxEnviron))
}

// marked tells whether the mark is one of the variables.
func marked(environ []byte, mark string) bool {
	for v := range bytes.SplitSeq(environ, []byte{0}) {
		if string(v) == mark {
			return true
		}
	}
	return false
}
