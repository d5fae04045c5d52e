// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package interpret

import (
	"fmt"
	"maps"
	"strings"
	"sync/atomic"
	"time"

	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/toolkit"
)

// Bounds of a run.
const (
	maxSteps  = 100_000
	maxBytes  = 64 << 20    // of results
	maxWhy    = 200         // characters of why a step was not undone
	undoLimit = time.Minute // of one undo
)

// UndosLimit is how long all undos of a run may take.
const UndosLimit = 10 * time.Minute

// A run is one run of a program.
type run struct {
	program *Program
	id      string
	calls   atomic.Int64
	steps   atomic.Int64
	bytes   atomic.Int64
}

// A frame is what a strand knows: values by name, and its journal.
type frame struct {
	env map[string]any
	*journal
}

// fork returns a frame for a strand of its own: what it sets stays in it.
func (f *frame) fork() *frame {
	env := maps.Clone(f.env)
	env["var"] = maps.Clone(f.env["var"].(map[string]any))
	return &frame{env, new(journal)}
}

// Run runs a program. id names the run in the ids of its calls; input is a value of JSON.
func Run(e Engine, p *Program, id string, input any) Record {
	r := &run{program: p, id: id}
	f := &frame{map[string]any{"input": input, "var": map[string]any{}}, new(journal)}
	record := Record{Started: e.Now()}
	limited, release := e.Limit(p.Timeout)
	output, failure := r.sequence(limited, f, p.Steps, "")
	if failure == nil && p.Output != nil {
		var err error
		if output, err = p.Output.Eval(f.env); err != nil {
			failure = invalid("output", err)
		}
	}
	if ended := limited.Ended(); failure != nil && ended != nil && e.Ended() == nil {
		if rest, ok := strings.CutPrefix(failure.Message, ended.Message); ok {
			failure.Message = "the workflow ran longer than " + p.Timeout.String() + rest
		}
	}
	release()
	if failure != nil {
		output = nil
		shielded, release := e.Shield().Limit(UndosLimit)
		r.undo(shielded, f, &record)
		release()
	}
	record.Output, record.Failure = output, failure
	record.Took = e.Now().Sub(record.Started)
	record.Calls, record.Steps = int(r.calls.Load()), int(r.steps.Load())
	record.Log, record.Dropped = f.log, f.dropped
	return record
}

// undo runs the undos, the last one first.
func (r *run) undo(e Engine, f *frame, record *Record) {
	for i := len(f.undos) - 1; i >= 0; i-- {
		u := f.undos[i]
		start, failure := e.Now(), (*Failure)(nil)
		if u.err != nil {
			failure = invalid(u.path, u.err)
		} else {
			r.calls.Add(1) // beyond the limit of calls as well: a run that used them up is undone
			failure = e.Call(Request{r.id + "/" + u.path + "/undo", u.tool, arguments(u.arguments), undoLimit}).Failure
		}
		entry := Entry{Step: u.path, Kind: "undo", Tool: u.tool, Status: Done, Start: start, Took: e.Now().Sub(start)}
		if failure != nil {
			entry.Status, entry.ErrorType = Failed, failure.Type
			record.NotUndone = append(record.NotUndone, u.path)
			record.NotUndoneWhy = append(record.NotUndoneWhy, failure.Type+": "+display.Clip(failure.Message, maxWhy))
		} else {
			record.Undone = append(record.Undone, u.path)
		}
		f.addEntry(entry)
	}
}

// call makes a call of a tool.
func (r *run) call(e Engine, f *frame, c *ToolCall, path string, limit time.Duration) (any, *Failure) {
	with, err := c.With.Eval(f.env)
	if err != nil {
		return nil, invalid(path, err)
	}
	if n := r.calls.Add(1); n > int64(r.program.MaxCalls) {
		r.calls.Add(-1)
		return nil, &Failure{Type: string(toolkit.ErrBudgetExceeded), Step: path, Final: true,
			Message: fmt.Sprintf("the run has made %d calls, which is its limit", r.program.MaxCalls)}
	}
	answer := e.Call(Request{r.id + "/" + path, c.Tool, arguments(with), limit})
	if r.bytes.Add(int64(answer.Bytes)) > maxBytes {
		return nil, &Failure{Type: string(toolkit.ErrBudgetExceeded), Step: path, Final: true,
			Message: fmt.Sprintf("the results of the run are larger than %d MiB", maxBytes>>20)}
	}
	if answer.Failure != nil {
		failure := *answer.Failure
		failure.Step = path
		return nil, &failure
	}
	return answer.Value, nil
}

// invalid is the failure of a value that has none.
func invalid(path string, err error) *Failure {
	return &Failure{Type: string(toolkit.ErrInvalidArguments), Message: err.Error(), Step: path}
}
