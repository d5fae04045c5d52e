// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tooltest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

// A Step is one answer of a [Script]. The zero value is an empty success.
type Step struct {
	// Delay is how long the step waits before anything else; it ends with the
	// context, whose error it then returns.
	Delay time.Duration
	// Panic, if not nil, is what the step panics with.
	Panic any
	// Result and Err are what it returns.
	Result toolkit.Result
	Err    error
}

// Text is the step that answers with an output.
func Text(output string) Step { return Step{Result: toolkit.Result{Output: output}} }

func (s Step) play(ctx context.Context) (toolkit.Result, error) {
	if s.Delay > 0 {
		timer := time.NewTimer(s.Delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			return toolkit.Result{}, ctx.Err()
		}
	}
	if s.Panic != nil {
		panic(s.Panic)
	}
	return s.Result, s.Err
}

// A Script is a tool that answers by steps, one for each call in the order of
// their beginning; make one with [Scripted]. When the steps are used up, a call
// fails and says so.
type Script struct {
	def   toolkit.Definition
	steps []Step

	mu    sync.Mutex
	calls []toolkit.Call
}

// Scripted makes a script.
func Scripted(def toolkit.Definition, steps ...Step) *Script {
	return &Script{def: def, steps: slices.Clone(steps)}
}

// Definition is the one given to [Scripted].
func (s *Script) Definition() toolkit.Definition { return s.def }

// Handle plays the next step.
func (s *Script) Handle(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
	s.mu.Lock()
	i := len(s.calls)
	s.calls = append(s.calls, call)
	s.mu.Unlock()
	if i >= len(s.steps) {
		return toolkit.Result{}, fmt.Errorf("tooltest: script of %q: got call %d, want at most %d", s.def.Name, i+1, len(s.steps))
	}
	return s.steps[i].play(ctx)
}

// Calls returns a copy of the calls the script was given, in the order of their
// beginning.
func (s *Script) Calls() []toolkit.Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}
