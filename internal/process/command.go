// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"bytes"
	"context"
	"crypto/rand"
	"io"
	"os"
	"os/exec"
	"sync/atomic"
	"time"
)

const (
	// drainTime is how long output may still come once the process has ended by
	// itself: from a process substitution, say, for which a shell does not wait.
	drainTime = 200 * time.Millisecond
	// closeTime is how long the pipes may stay open once the group was killed.
	closeTime = time.Second
	// maxReport is how many bytes of a report are kept.
	maxReport = 64 << 10
)

// markName is the variable by which the descendants of a process are found again.
const markName = "TOOLSCOPE_PROCESS"

// A Command is a process that is to run.
type Command struct {
	Path      string   // of the program
	Args      []string // without the program's name
	Dir       string
	Env       []string
	Input     []byte // nil is no input
	Limit     time.Duration
	MaxOutput int // bytes of stdout, and as many of stderr, that are kept

	// Report gives the process a pipe as its file 3; what it writes there, 64 KiB at
	// most, is [Ended.Report].
	Report bool
	Walls
}

// A Running is a process that was started. Its outputs can be read meanwhile.
type Running struct {
	Stdout, Stderr *Output
	Began          time.Time

	ctx     context.Context // the caller's
	limit   time.Duration
	cancel  context.CancelFunc
	cmd     *exec.Cmd
	mark    string
	killed  atomic.Bool
	streams []*stream
	report  *stream
	private bool // it has a PID namespace of its own
}

// Run runs the command and returns when it, its group and the readers of its output
// have ended. The error says that it did not start.
func (c Command) Run(ctx context.Context) (*Ended, error) {
	r, err := c.Start(ctx)
	if err != nil {
		return nil, err
	}
	return r.Wait(), nil
}

// Start starts the command; Wait must follow. The error says that it did not start.
func (c Command) Start(ctx context.Context) (_ *Running, err error) {
	limited, cancel := context.WithTimeout(ctx, c.Limit)
	r := &Running{ctx: ctx, limit: c.Limit, cancel: cancel, mark: markName + "=" + rand.Text(), private: c.PID}
	defer func() {
		if err != nil {
			r.close()
		}
	}()
	out, err := r.pipe(c.MaxOutput)
	if err != nil {
		return nil, err
	}
	errs, err := r.pipe(c.MaxOutput)
	if err != nil {
		return nil, err
	}
	r.Stdout, r.Stderr = out.kept, errs.kept
	r.cmd = exec.CommandContext(limited, c.Path, c.Args...)
	r.cmd.Dir, r.cmd.Env = c.Dir, append(c.Env[:len(c.Env):len(c.Env)], r.mark)
	r.cmd.Stdout, r.cmd.Stderr = out.write, errs.write
	if c.Input != nil {
		r.cmd.Stdin = bytes.NewReader(c.Input)
		r.cmd.WaitDelay = closeTime // the input's writer ends with the process
	}
	if c.Report {
		if r.report, err = r.pipe(maxReport); err != nil {
			return nil, err
		}
		r.cmd.ExtraFiles = []*os.File{r.report.write}
	}
	r.cmd.Cancel = func() error {
		r.killed.Store(true)
		return killGroup(r.cmd.Process.Pid)
	}
	r.cmd.SysProcAttr = attributes(c.Walls)
	r.Began = time.Now()
	if err := start(r.cmd, c.Walls); err != nil {
		return nil, err
	}
	for _, s := range r.streams {
		s.start()
	}
	return r, nil
}

// Wait waits for the process's end and ends what it abandoned.
func (r *Running) Wait() *Ended {
	defer r.close()
	// Wait's error repeats what the state and the context say.
	_ = r.cmd.Wait()

	e := &Ended{State: r.cmd.ProcessState, Stdout: r.Stdout, Stderr: r.Stderr}
	if !r.killed.Load() {
		waitAll(drainTime, r.streams)
	}
	// The group's number cannot have been given to others while a process of the
	// group lives, and to no other process so shortly after the last one ended.
	e.Leftovers = killGroup(r.cmd.Process.Pid) == nil
	if !r.private && killMarked(r.mark) > 0 {
		e.Leftovers = true
	}
	e.Detached = !waitAll(closeTime, r.streams)
	e.Took = time.Since(r.Began)
	if r.report != nil {
		e.Report = r.report.kept.Text()
	}
	if r.killed.Load() {
		e.explainKill(r.ctx, r.limit)
	}
	return e
}

func (r *Running) close() {
	r.cancel()
	for _, s := range r.streams {
		s.close()
	}
}

// stream is a pipe whose output is read into kept by one goroutine, from start
// until the last writer or close closes the pipe.
type stream struct {
	read, write *os.File
	kept        *Output
	done        chan struct{}
	started     bool
}

func (r *Running) pipe(limit int) (*stream, error) {
	from, to, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	s := &stream{read: from, write: to, kept: NewOutput(limit), done: make(chan struct{})}
	r.streams = append(r.streams, s)
	return s, nil
}

// start closes the writing end, which the process holds now, and begins to read.
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
func waitAll(limit time.Duration, streams []*stream) bool {
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
