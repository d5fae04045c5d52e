// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/internal/canary"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

// MinCalls is the least number of calls of a session.
const MinCalls = 120

// Options say how a session runs. The zero value is the demo's default.
type Options struct {
	Dir      string         // what to look at; "" is the current directory
	Calls    int            // at least; below [MinCalls] it is that
	Seed     uint64         // of the planted secrets
	Progress func(Progress) // called after each batch; may be nil
	// Rate is how many calls a second are made after the script, until the context is over; 0 ends with the script.
	Rate float64
	// Scripted is called with the summary when the script has ended, before calls at the rate; may be nil.
	Scripted func(Summary) error
}

// Progress is how far a session is.
type Progress struct {
	Calls, Of int
	Prompt    string // of the turn
}

// Summary is what a session was.
type Summary struct {
	Calls        int      `json:"calls"`
	Turns        int      `json:"turns"`
	Conversation string   `json:"conversation"`
	Notes        []string `json:"notes,omitempty"` // what this machine lacks
}

// Run runs a session through scope. It returns what can be said of it when the
// context is over as well.
func Run(ctx context.Context, scope *toolscope.Scope, o Options) (Summary, error) {
	if o.Dir == "" {
		o.Dir = "."
	}
	o.Calls = max(o.Calls, MinCalls)
	scratch, err := os.MkdirTemp("", "toolscope-demo-")
	if err != nil {
		return Summary{}, fmt.Errorf("demo: a scratch directory: %w", err)
	}
	defer os.RemoveAll(scratch)
	s := &session{
		scope:   scope,
		options: o,
		model:   newModel(o.Dir, canary.Secrets(o.Seed)),
		summary: Summary{Conversation: fmt.Sprintf("demo-%08x", o.Seed)},
	}
	closeTools, err := s.register(o.Dir, filepath.Clean(scratch))
	defer closeTools()
	if err != nil {
		return Summary{}, fmt.Errorf("demo: %w", err)
	}
	s.executor = &toolkit.Executor{Handler: s.catalog.Handler, Tools: s.catalog.Registry.Lookup, Parallel: 4}
	summary, err := s.run(ctx)
	if err == nil && o.Scripted != nil {
		err = o.Scripted(summary)
	}
	if err != nil || o.Rate <= 0 {
		return summary, err
	}
	return summary, s.play(ctx)
}

func (s *session) run(ctx context.Context) (Summary, error) {
	for _, t := range s.model.script() {
		if err := s.turn(ctx, t); err != nil {
			return s.summary, err
		}
	}
	for round := 0; s.summary.Calls < s.options.Calls; round++ {
		if err := s.turn(ctx, s.model.more(round)); err != nil {
			return s.summary, err
		}
	}
	return s.summary, nil
}

// turn runs one turn as one agent invocation: one trace.
func (s *session) turn(ctx context.Context, t turn) error {
	s.summary.Turns++
	ctx, run := s.scope.StartAgent(ctx, tracing.Agent{
		Name: "planner", Description: "The demo's scripted model.", Conversation: s.summary.Conversation,
		Session: s.summary.Conversation,
		Turn:    s.summary.Turns, Prompt: t.prompt,
	})
	defer run.End(nil)
	var answers []toolkit.Answer
	batches := slices.Clone(t.batches)
	for i := 0; i < len(batches); i++ {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		run.InferenceCall()
		answers = s.executor.Execute(ctx, batches[i]...)
		s.summary.Calls += len(answers)
		if s.options.Progress != nil {
			s.options.Progress(Progress{Calls: s.summary.Calls, Of: max(s.options.Calls, s.summary.Calls), Prompt: t.prompt})
		}
		if i == len(t.batches)-1 && t.then != nil {
			batches = append(batches, t.then(answers))
		}
	}
	return nil
}
