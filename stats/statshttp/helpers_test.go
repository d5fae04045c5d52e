// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package statshttp

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
)

// maxValue is the longest value of a parameter, in bytes.
const maxValue = 1 << 10

// only is the one element of a list, or the zero value without one.
func only[T any](list []T) (one T) {
	for _, one = range list {
	}
	return one
}

// newRecorder makes a recorder that is closed when the test ends, with the default options if none
// are given.
func newRecorder(t testing.TB, o ...stats.Options) *stats.Recorder {
	t.Helper()
	r, err := stats.New(only(o))
	return closedAtEnd(t, r, err)
}

// closedAtEnd closes a recorder that was just made when the test ends.
func closedAtEnd(t testing.TB, r *stats.Recorder, err error) *stats.Recorder {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return r
}

// call is a call that has ended, for tests to change before it is recorded.
func call(tool *toolkit.Definition, run time.Duration, change ...func(e *toolkit.Ended)) *toolkit.Ended {
	now := time.Now()
	e := &toolkit.Ended{
		Info: toolkit.CallInfo{Tool: tool, Start: now.Add(-run)}, Disposition: toolkit.Disposition{Run: run},
		Start: now.Add(-run), End: now, ArgumentsBytes: 10, ResultBytes: 100,
	}
	for _, c := range change {
		c(e)
	}
	return e
}

func failing(kind, text string) func(*toolkit.Ended) {
	return func(e *toolkit.Ended) { e.ErrorType, e.Err = kind, errors.New(text) }
}

func with(o toolkit.Outcome) func(*toolkit.Ended) {
	return func(e *toolkit.Ended) { e.Disposition.Outcome = o; e.Disposition.Run = 0 }
}

func sampled(n byte) func(*toolkit.Ended) {
	return func(e *toolkit.Ended) {
		e.Info.Span = toolkit.SpanRef{TraceID: [16]byte{n}, SpanID: [8]byte{n}, Sampled: true}
	}
}

func in(session string, turn int) func(*toolkit.Ended) {
	return func(e *toolkit.Ended) { e.Info.Session = &toolkit.Session{ID: session, Agent: "agent", Turn: turn} }
}

func record(r *stats.Recorder, calls ...*toolkit.Ended) {
	for _, e := range calls {
		r.Begin(context.Background(), e.Call, &e.Info)
		r.End(context.Background(), e)
	}
}

// told gives a call these attributes, as alternating keys and values.
func told(pairs ...string) func(*toolkit.Ended) {
	return func(e *toolkit.Ended) {
		for i := 0; i+1 < len(pairs); i += 2 {
			e.Disposition.Tags = append(e.Disposition.Tags, toolkit.Tag{Key: pairs[i], Value: pairs[i+1]})
		}
	}
}
