// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

const (
	// drainTime is how long output may still come once the shell has ended by
	// itself: from a process substitution, say, for which a shell does not wait.
	drainTime = 200 * time.Millisecond
	// closeTime is how long the pipes may stay open once the group was killed.
	closeTime = time.Second
)

// ended is a command that has come to its end.
type ended struct {
	state          *os.ProcessState
	took           time.Duration
	killed         string // why it was killed; "" if it was not
	leftovers      bool   // processes left in the background were killed
	detached       bool   // some process that left the group still holds the output
	stdout, stderr *clipped
	fault          error // not nil if the command was killed
}

// run runs the command and returns when it, its group and the readers of its
// output have ended. The error says that it did not start.
func (o Options) run(ctx context.Context, command string) (*ended, error) {
	limited, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	out, err := newStream(o.MaxOutput)
	if err != nil {
		return nil, err
	}
	defer out.close()
	errs, err := newStream(o.MaxOutput)
	if err != nil {
		return nil, err
	}
	defer errs.close()

	cmd := exec.CommandContext(limited, o.Shell, "-c", "--", command)
	cmd.Dir, cmd.Env = o.Dir, o.Env
	cmd.Stdout, cmd.Stderr = out.write, errs.write
	var killed atomic.Bool
	cmd.Cancel = func() error {
		killed.Store(true)
		return killGroup(cmd.Process.Pid)
	}
	ownGroup(cmd)
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	out.start()
	errs.start()
	// Wait's error repeats what the state and the context say.
	_ = cmd.Wait()

	e := &ended{state: cmd.ProcessState, stdout: out.kept, stderr: errs.kept}
	if !killed.Load() {
		waitAll(drainTime, out, errs)
	}
	// The group's number cannot have been given to others while a process of the
	// group lives, and to nobody else so shortly after the last one ended.
	e.leftovers = killGroup(cmd.Process.Pid) == nil
	e.detached = !waitAll(closeTime, out, errs)
	e.took = time.Since(start)
	if killed.Load() {
		e.explainKill(ctx, o.Timeout)
	}
	return e, nil
}

// explainKill tells whose limit it was: the caller's or the shell's own.
func (e *ended) explainKill(ctx context.Context, limit time.Duration) {
	kind, cause := toolkit.ErrTimeout, context.Cause(ctx)
	switch {
	case cause == nil:
		e.killed = fmt.Sprintf("its time limit of %v was over", limit)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		e.killed = "the caller's deadline passed"
	default:
		kind, e.killed = toolkit.ErrCanceled, "the caller cancelled the call"
	}
	e.fault = &toolkit.Error{Kind: kind, Message: "the command was killed because " + e.killed, Cause: cause}
}

// text is the answer for the model.
func (e *ended) text() string {
	var b strings.Builder
	took := e.took.Round(time.Millisecond)
	switch code := e.state.ExitCode(); {
	case e.killed != "":
		fmt.Fprintf(&b, "killed after %v because %s; the output is what it printed until then\n", took, e.killed)
	case code < 0:
		fmt.Fprintf(&b, "ended by %s after %v\n", e.state, took)
	default:
		fmt.Fprintf(&b, "exit code %d after %v\n", code, took)
	}
	if e.leftovers && e.killed == "" {
		b.WriteString("processes left in the background were ended\n")
	}
	if e.detached {
		b.WriteString("a process that detached itself may still run; its output is not shown\n")
	}
	e.stdout.section(&b, "stdout")
	e.stderr.section(&b, "stderr")
	return b.String()
}

// stream is a pipe whose output is read into kept by one goroutine, from start
// until the last writer or close closes the pipe.
type stream struct {
	read, write *os.File
	kept        *clipped
	done        chan struct{}
	started     bool
}

func newStream(limit int) (*stream, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	return &stream{read: r, write: w, kept: newClipped(limit), done: make(chan struct{})}, nil
}

// start closes the writing end, which the command holds now, and begins to read.
func (s *stream) start() {
	s.write.Close()
	s.started = true
	go func() {
		defer close(s.done)
		_, _ = io.Copy(s.kept, s.read) // ends with the pipe, whatever the reason
	}()
}

// close ends the reading and waits for its goroutine.
func (s *stream) close() {
	s.write.Close()
	s.read.Close()
	if s.started {
		<-s.done
	}
}

// waitAll waits for the streams' ends, all together at most limit, and reports
// whether all have ended.
func waitAll(limit time.Duration, streams ...*stream) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for _, s := range streams {
		select {
		case <-s.done:
		case <-timer.C:
			return false
		}
	}
	return true
}
