// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

// ErrStopped is the cause of a context that ends a process which is not wanted any more.
var ErrStopped = errors.New("it was stopped")

// Ended is a process that has come to its end.
type Ended struct {
	State          *os.ProcessState
	Took           time.Duration
	Killed         string // why it was killed; "" if it was not
	Leftovers      bool   // processes left in the background were ended
	Detached       bool   // some process that left the group still holds the output
	Stdout, Stderr *Output
	Report         string // what it wrote to its file 3
	Fault          error  // not nil if it was killed
}

// explainKill tells whose limit it was: the caller's or the command's own.
func (e *Ended) explainKill(ctx context.Context, limit time.Duration) {
	kind, cause := toolkit.ErrTimeout, context.Cause(ctx)
	switch {
	case cause == nil:
		e.Killed = fmt.Sprintf("its time limit of %v was over", limit)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		e.Killed = "the caller's deadline passed"
	case errors.Is(cause, ErrStopped):
		kind, e.Killed = toolkit.ErrCanceled, ErrStopped.Error()
	default:
		kind, e.Killed = toolkit.ErrCanceled, "the caller cancelled the call"
	}
	e.Fault = &toolkit.Error{Kind: kind, Message: "the command was killed because " + e.Killed, Cause: cause}
}

// Text is the answer for the model.
func (e *Ended) Text() string {
	var b strings.Builder
	took := e.Took.Round(time.Millisecond)
	switch code := e.State.ExitCode(); {
	case e.Killed != "":
		fmt.Fprintf(&b, "killed after %v because %s; the output is what it printed until then\n", took, e.Killed)
	case code < 0:
		fmt.Fprintf(&b, "ended by %s after %v\n", e.State, took)
	default:
		fmt.Fprintf(&b, "exit code %d after %v\n", code, took)
	}
	if e.Leftovers && e.Killed == "" {
		b.WriteString("processes left in the background were ended\n")
	}
	if e.Detached {
		b.WriteString("a process that detached itself may still run; its output is not shown\n")
	}
	e.Stdout.Section(&b, "stdout")
	e.Stderr.Section(&b, "stderr")
	return b.String()
}

// NotStarted gives the error of a process that did not start its kind. what is the
// program, for the model.
func NotStarted(ctx context.Context, what string, err error) error {
	kind := toolkit.ErrTool
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		kind = toolkit.ErrTimeout
	case ctx.Err() != nil:
		kind = toolkit.ErrCanceled
	}
	return &toolkit.Error{Kind: kind, Message: what + " did not start: " + err.Error(), Cause: err}
}
