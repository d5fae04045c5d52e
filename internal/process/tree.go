// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"crypto/rand"
	"os"
	"os/exec"
	"sync"
)

// A Tree is a program that runs beside this one for as long as it likes, a server say,
// with all its descendants.
type Tree struct {
	cmd  *exec.Cmd
	mark string
	done chan struct{}

	mu    sync.Mutex
	state *os.ProcessState
	swept bool // what the leader abandoned was ended
}

// StartTree starts cmd as the leader of a process group of its own, within walls. Its Env
// gets a variable more, by which its descendants are found. Its files must be
// [*os.File]s or nil: no goroutine copies to or from others. cmd must not be used afterwards.
func StartTree(cmd *exec.Cmd, w Walls) (*Tree, error) {
	t := &Tree{cmd: cmd, mark: markName + "=" + rand.Text(), done: make(chan struct{})}
	cmd.Env = append(cmd.Env[:len(cmd.Env):len(cmd.Env)], t.mark)
	cmd.SysProcAttr = attributes(w)
	if err := start(cmd, w); err != nil {
		return nil, err
	}
	go func() {
		defer close(t.done)
		_ = cmd.Wait() // the state says the same
		t.mu.Lock()
		defer t.mu.Unlock()
		t.state = cmd.ProcessState
	}()
	return t, nil
}

// PID is the leader's process id.
func (t *Tree) PID() int { return t.cmd.Process.Pid }

// Done is closed when the leader has ended; its descendants may still run.
func (t *Tree) Done() <-chan struct{} { return t.done }

// State tells how the leader ended; "" while it runs.
func (t *Tree) State() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.state == nil {
		return ""
	}
	return t.state.String()
}

// Terminate asks the group to end: SIGTERM, where there are groups.
func (t *Tree) Terminate() { terminateGroup(t.cmd.Process) }

// Kill ends the leader, its group, and on Linux the descendants that have left it. It is
// to be called soon after the leader's end, too, for what it abandoned; after that it
// does nothing, since the number may be another's.
func (t *Tree) Kill() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.swept {
		return
	}
	t.swept = t.state != nil
	if killGroup(t.PID()) != nil {
		_ = t.cmd.Process.Kill() // no group, or none any more
	}
	killMarked(t.mark)
}
