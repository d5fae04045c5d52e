// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package replaycmd

import (
	"bufio"
	"context"
	"sync"
	"time"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/screen"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/transcript"
	"github.com/toolscope/toolscope/config"
	"github.com/toolscope/toolscope/exporters"
	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/toolkit"
)

// replay is a transcript that is being played.
type replay struct {
	*options
	transcript *transcript.Transcript
	out        *bufio.Writer
	paint      screen.Paint
	redactor   *redact.Redactor

	providers *exporters.Providers
	file      *config.File
	scope     *toolscope.Scope
	executor  *toolkit.Executor
	closers   []func() error
	ends      endings
	compared  comparison
	names     int // width of the column of names, 0 before the first row
}

// comparison is how the answers compare with the recorded ones.
type comparison struct {
	Same     int      `json:"same"`     // outcome and result
	Ended    int      `json:"ended"`    // the same outcome; an error has another text, or the result was cut
	Changed  []string `json:"changed"`  // calls that came to something else
	Unknown  int      `json:"unknown"`  // no answer was recorded
	Withheld int      `json:"withheld"` // calls that were not sent

	last time.Time // when the latest batch began in the recording
}

// ending is how a call ended.
type ending struct {
	outcome, errorType string
	ms                 float64
	tags               map[string]string
}

// endings is an observer that remembers the calls of a batch by their ids.
type endings struct {
	mu   sync.Mutex
	byID map[string]ending
}

func (e *endings) Begin(ctx context.Context, _ toolkit.Call, _ *toolkit.CallInfo) context.Context {
	return ctx
}

func (e *endings) Wants(context.Context) bool { return false }

func (e *endings) End(_ context.Context, ended *toolkit.Ended) {
	end := ending{ended.Disposition.Outcome.String(), ended.ErrorType, float64(ended.Duration().Microseconds()) / 1000, nil}
	for _, t := range ended.Disposition.Tags {
		if end.tags == nil {
			end.tags = map[string]string{}
		}
		end.tags[t.Key], _ = redact.Default().TextMax(t.Value, 256)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.byID == nil {
		e.byID = map[string]ending{}
	}
	e.byID[ended.Call.ID] = end
}

// takeAll returns what was remembered and forgets it.
func (e *endings) takeAll() map[string]ending {
	e.mu.Lock()
	defer e.mu.Unlock()
	byID := e.byID
	e.byID = nil
	return byID
}
