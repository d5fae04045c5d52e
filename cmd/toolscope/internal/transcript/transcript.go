// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package transcript

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/calllog"
	"github.com/toolscope/toolscope/toolkit"
)

// A Transcript is a recorded session, or several: the calls that models proposed, in
// batches, and the answers that are known. Make one with [Read]; it does not
// change after that and is safe for concurrent use.
type Transcript struct {
	Batches []Batch
	Tools   []calllog.Record // definitions that the file has
	Torn    int              // bytes of a last line that is not complete, which was left out
}

// A Batch is the calls a model proposed at once. The ids of its calls differ.
type Batch struct {
	Session toolkit.Session // the zero value for a batch outside any session
	Calls   []toolkit.Call
	Answers []*RecordedAnswer // one for each call; nil where none was recorded
	Notes   []Note            // one for each call
	Line    int               // where the batch begins in its file, from 1
}

// A Note is what is known of the recording of a call.
type Note struct {
	Number        int       // of the call in the file, from 1
	Began         time.Time // zero if that is not known
	Redacted, Cut bool      // its arguments are not those that were sent
	Fingerprint   string    // of those, "" if there is none
	Parent        string    // the call of which this one is a step, by its id in the file; "" for a client's call
}

// A RecordedAnswer is what a call came to when it was recorded.
type RecordedAnswer struct {
	Output    string
	Failed    bool
	ErrorType string        // of a failure; "" is tool_error
	Took      time.Duration // 0 if it was not recorded
	Redacted  bool          // something was removed of the output
	Cut       bool          // not all of it was recorded
}

// Len is how many calls there are.
func (t *Transcript) Len() (n int) {
	for _, b := range t.Batches {
		n += len(b.Calls)
	}
	return n
}

// playing is the batch that a call in progress belongs to.
type playing struct{}

// Play runs the batches one after the other through e, each in its session, and
// tells each batch with its answers; told may be nil. It ends early with the
// context's cause.
func (t *Transcript) Play(ctx context.Context, e *toolkit.Executor, told func(b Batch, answers []toolkit.Answer)) error {
	for i := range t.Batches {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		b := &t.Batches[i]
		inner := context.WithValue(ctx, playing{}, b)
		if b.Session != (toolkit.Session{}) {
			inner = toolkit.WithSession(inner, b.Session)
		}
		answers := e.Execute(inner, b.Calls...)
		if told != nil {
			told(*b, answers)
		}
	}
	return nil
}

// Answer is a [toolkit.Handler] that gives the recorded answers during
// [Transcript.Play], at once: no tool runs. A call whose answer was not recorded
// fails and says so.
func (t *Transcript) Answer(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
	b, _ := ctx.Value(playing{}).(*Batch)
	if b == nil {
		return toolkit.Failure(&toolkit.Error{
			Kind: toolkit.ErrTool, Tool: call.Name,
			Message: "a recorded answer was asked for outside Transcript.Play",
		}), nil
	}
	for i := range b.Calls {
		if b.Calls[i].ID != call.ID {
			continue
		}
		if a := b.Answers[i]; a != nil {
			return a.result(call.Name), nil
		}
		break
	}
	return toolkit.Failure(&toolkit.Error{
		Kind: toolkit.ErrTool, Tool: call.Name,
		Message: fmt.Sprintf("line %d: no answer was recorded for the call %.40q", b.Line, call.ID),
	}), nil
}

func (a *RecordedAnswer) result(tool string) toolkit.Result {
	res := toolkit.Result{Output: a.Output}
	if a.Failed {
		kind := toolkit.Kind(a.ErrorType)
		if kind == "" {
			kind = toolkit.ErrTool
		}
		fault := &toolkit.Error{Kind: kind, Tool: tool}
		fault.Message = strings.TrimPrefix(a.Output, fault.Error()+": ") // which the error says again
		res.Fault = fault
	}
	return res
}
