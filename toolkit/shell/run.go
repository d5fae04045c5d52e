// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"context"
	"crypto/rand"
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

// running is a command that was started.
type running struct {
	ctx     context.Context // the caller's
	limit   time.Duration
	cancel  context.CancelFunc
	cmd     *exec.Cmd
	mark    string
	began   time.Time
	killed  atomic.Bool
	out     *stream
	errs    *stream
	private bool // it has a PID namespace of its own
}

// run runs the command and returns when it, its group and the readers of its
// output have ended. The error says that it did not start.
func (o Options) run(ctx context.Context, command string, limit time.Duration) (*ended, error) {
	r, err := o.start(ctx, command, limit)
	if err != nil {
		return nil, err
	}
	return r.wait(), nil
}

// start starts the command; wait must follow.
func (o Options) start(ctx context.Context, command string, limit time.Duration) (_ *running, err error) {
	limited, cancel := context.WithTimeout(ctx, limit)
	r := &running{ctx: ctx, limit: limit, cancel: cancel, mark: markName + "=" + rand.Text(), private: o.PIDNamespace}
	defer func() {
		if err != nil {
			r.close()
		}
	}()
	if r.out, err = newStream(o.MaxOutput); err != nil {
		return nil, err
	}
	if r.errs, err = newStream(o.MaxOutput); err != nil {
		return nil, err
	}
	r.cmd = exec.CommandContext(limited, o.Shell, o.arguments(command)...)
	r.cmd.Dir, r.cmd.Env = o.Dir, append(o.Env[:len(o.Env):len(o.Env)], r.mark)
	r.cmd.Stdout, r.cmd.Stderr = r.out.write, r.errs.write
	r.cmd.Cancel = func() error {
		r.killed.Store(true)
		return killGroup(r.cmd.Process.Pid)
	}
	r.cmd.SysProcAttr = attributes(o.PIDNamespace)
	r.began = time.Now()
	if err := r.cmd.Start(); err != nil {
		return nil, err
	}
	r.out.start()
	r.errs.start()
	return r, nil
}

// wait waits for the command's end and ends what it left behind.
func (r *running) wait() *ended {
	defer r.close()
	// Wait's error repeats what the state and the context say.
	_ = r.cmd.Wait()

	e := &ended{state: r.cmd.ProcessState, stdout: r.out.kept, stderr: r.errs.kept}
	if !r.killed.Load() {
		waitAll(drainTime, r.out, r.errs)
	}
	// The group's number cannot have been given to others while a process of the
	// group lives, and to nobody else so shortly after the last one ended.
	e.leftovers = killGroup(r.cmd.Process.Pid) == nil
	if !r.private && killMarked(r.mark) > 0 {
		e.leftovers = true
	}
	e.detached = !waitAll(closeTime, r.out, r.errs)
	e.took = time.Since(r.began)
	if r.killed.Load() {
		e.explainKill(r.ctx, r.limit)
	}
	return e
}

func (r *running) close() {
	r.cancel()
	for _, s := range []*stream{r.out, r.errs} {
		if s != nil {
			s.close()
		}
	}
}

// arguments are those of the shell. In a PID namespace a second shell stands above the
// command's: the first process of a namespace is immune to its own signals.
func (o Options) arguments(command string) []string {
	if o.PIDNamespace {
		return []string{"-c", `"$0" -c -- "$1"; exit $?`, o.Shell, command}
	}
	return []string{"-c", "--", command}
}

// explainKill tells whose limit it was: the caller's or the shell's own.
func (e *ended) explainKill(ctx context.Context, limit time.Duration) {
	kind, cause := toolkit.ErrTimeout, context.Cause(ctx)
	switch {
	case cause == nil:
		e.killed = fmt.Sprintf("its time limit of %v was over", limit)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		e.killed = "the caller's deadline passed"
	case errors.Is(cause, errStopped):
		kind, e.killed = toolkit.ErrCanceled, errStopped.Error()
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
