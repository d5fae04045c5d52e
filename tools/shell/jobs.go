// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/toolscope/toolscope/internal/process"
	"github.com/toolscope/toolscope/internal/sandbox"
	"github.com/toolscope/toolscope/toolkit"
)

// The defaults of [JobOptions].
const (
	defaultJobTimeout = 10 * time.Minute
	defaultMaxJobs    = 8
)

// maxEnded is how many jobs are kept after their end, of all sessions together.
const maxEnded = 32

// JobOptions say how background commands run. The zero value works.
type JobOptions struct {
	// Options are those of [New], but for Timeout: 0 is 10 minutes.
	Options
	// MaxJobs is how many jobs run at a time, of all sessions together; 0 is
	// 8.
	MaxJobs int
}

// Jobs are commands that run in the background, each seen by the session that
// started it only ([toolkit.WithSession]; calls without a session share theirs). One
// goroutine waits for each job that runs. It is safe for concurrent use.
type Jobs struct {
	options Options
	max     int

	mu      sync.Mutex
	closed  bool
	jobs    []*job // in the order of their start
	running int
	waiting sync.WaitGroup
}

type job struct {
	id, tenant, session string
	stop                context.CancelCauseFunc
	command             *process.Running
	done                chan struct{}
	clean               func()         // removes what the command needed
	ended               *process.Ended // set when done is closed
}

// NewJobs checks the options as [New] does and starts nothing. Close must follow.
func NewJobs(o JobOptions) (*Jobs, error) {
	if err := process.Supported(); err != nil {
		return nil, fmt.Errorf("shell: %w", err)
	}
	if o.MaxJobs < 0 {
		return nil, fmt.Errorf("shell: JobOptions.MaxJobs: got %d, want a number above 0, or 0 for %d", o.MaxJobs, defaultMaxJobs)
	}
	o.MaxJobs = cmp.Or(o.MaxJobs, defaultMaxJobs)
	o.Timeout = cmp.Or(o.Timeout, defaultJobTimeout)
	options, err := o.complete()
	if err != nil {
		return nil, err
	}
	return &Jobs{options: options, max: o.MaxJobs}, nil
}

// Close stops all jobs and waits for their ends. Later calls of the tools fail. It may
// be called again; a nil *Jobs has nothing to close.
func (j *Jobs) Close() error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	j.closed = true
	for _, b := range j.jobs {
		b.stop(process.ErrStopped)
	}
	j.mu.Unlock()
	j.waiting.Wait()
	return nil
}

// start starts a job and gives its id.
func (j *Jobs) start(ctx context.Context, in input) (string, error) {
	limit, err := in.check(j.options.Timeout)
	if err != nil {
		return "", err
	}
	if ctx.Err() != nil {
		return "", process.NotStarted(ctx, "the shell", ctx.Err())
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case j.closed:
		return "", &toolkit.Error{Kind: toolkit.ErrCanceled, Message: "the host is ending: no job is started any more"}
	case j.running >= j.max:
		return "", &toolkit.Error{Kind: toolkit.ErrOverloaded,
			Message: fmt.Sprintf("%d jobs run already, which is as many as may: wait for one to end, or stop one", j.running)}
	}
	own, stop := context.WithCancelCause(context.WithoutCancel(ctx)) // the job outlives the call
	confined, done, note := j.options.confined(sandbox.From(ctx), in.Command, limit)
	command, err := confined.Start(own)
	if err != nil {
		stop(nil)
		done()
		return "", process.NotStarted(ctx, "the shell", err)
	}
	b := &job{id: "job-" + strings.ToLower(rand.Text()[:8]), stop: stop, command: command, done: make(chan struct{}), clean: done}
	b.tenant, b.session = owner(ctx)
	j.jobs = append(j.jobs, b)
	j.running++
	j.waiting.Go(func() { j.wait(b) })
	return note + fmt.Sprintf("%s started; shell_poll tells how it goes, shell_stop ends it, and its time limit is %v\n",
		b.id, limit), nil
}

// wait waits for a job's end, and forgets the job that ended first if there are too many.
func (j *Jobs) wait(b *job) {
	b.ended = b.command.Wait()
	b.clean()
	b.stop(nil)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.running-- // before its end is reported: a caller that knows of it may start the next
	close(b.done)
	if len(j.jobs)-j.running <= maxEnded {
		return
	}
	for i, old := range j.jobs {
		if old.over() {
			j.jobs = append(j.jobs[:i], j.jobs[i+1:]...)
			return
		}
	}
}

func (b *job) over() bool {
	select {
	case <-b.done:
		return true
	default:
		return false
	}
}

// owner names whose a call is.
func owner(ctx context.Context) (tenant, session string) {
	if s := toolkit.SessionFrom(ctx); s != nil {
		return s.Tenant, s.ID
	}
	return "", ""
}

// find finds a job of the context's session.
func (j *Jobs) find(ctx context.Context, id string) (*job, error) {
	tenant, session := owner(ctx)
	j.mu.Lock()
	defer j.mu.Unlock()
	var own []string
	for _, b := range j.jobs {
		if b.tenant != tenant || b.session != session {
			continue
		}
		if b.id == id {
			return b, nil
		}
		own = append(own, b.id)
	}
	want := "the id of a job; there are none"
	if len(own) > 0 {
		want = "one of " + strings.Join(own, ", ")
	}
	return nil, invalid(fmt.Sprintf("id: got %.40q, want %s", id, want))
}

type jobInput struct {
	ID   string  `json:"id"`
	Wait float64 `json:"wait_seconds"`
}

// maxWait is how long shell_poll waits at most.
const maxWait = 30 * time.Second

func (j *Jobs) poll(ctx context.Context, in jobInput) (string, error) {
	if !(in.Wait >= 0 && in.Wait <= maxWait.Seconds()) {
		return "", invalid(fmt.Sprintf("wait_seconds: got %g, want 0 to %g", in.Wait, maxWait.Seconds()))
	}
	b, err := j.find(ctx, in.ID)
	if err != nil {
		return "", err
	}
	timer := time.NewTimer(time.Duration(in.Wait * float64(time.Second)))
	defer timer.Stop()
	select {
	case <-b.done:
	case <-ctx.Done(): // the answer is worth having all the same
	case <-timer.C:
	}
	return b.text(), nil
}

func (j *Jobs) end(ctx context.Context, in jobInput) (string, error) {
	b, err := j.find(ctx, in.ID)
	if err != nil {
		return "", err
	}
	b.stop(process.ErrStopped)
	<-b.done // which takes a moment only: nothing withstands being killed
	return b.text(), nil
}

// text is the job's state and output for the model.
func (b *job) text() string {
	if b.over() {
		return b.id + ": " + b.ended.Text()
	}
	var s strings.Builder
	fmt.Fprintf(&s, "%s: running for %v\n", b.id, time.Since(b.command.Began).Round(time.Millisecond))
	b.command.Stdout.Section(&s, "stdout")
	b.command.Stderr.Section(&s, "stderr")
	return s.String()
}
