// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package temporal

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/toolscope/toolscope/internal/approval"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/workflow/internal/interpret"
)

// Bounds of answers.
const (
	maxUnused = 100 // answers that no call has used
	maxPeople = 10  // approvals of one call
)

// A run is the state of one run in the worker that has it.
type run struct {
	input      runInput
	taskQueue  string
	repeatable map[string]bool
	bytes      int
	task       time.Time // of the workflow task that began calls
	unsent     int       // bytes of their arguments
	waiting    map[string]*Waiting
	answers    map[string][]approval.Answer // by call and digest
	unused     int                          // answers in it
}

// tooLarge ends a run.
func (r *run) tooLarge() *interpret.Failure {
	return &interpret.Failure{Type: string(toolkit.ErrBudgetExceeded), Final: true,
		Message: fmt.Sprintf("the arguments and results of the run are larger than %d MiB", maxBytes>>20)}
}

// listen answers queries and takes signals.
func (r *run) listen(ctx workflow.Context) error {
	workflow.Go(ctx, func(ctx workflow.Context) {
		signals := workflow.GetSignalChannel(ctx, decisionSignal)
		for {
			var in signal
			if !signals.Receive(ctx, &in) {
				return
			}
			r.keepAnswer(in)
		}
	})
	return workflow.SetQueryHandler(ctx, waitingQuery, func() ([]Waiting, error) {
		list := []Waiting{}
		for _, id := range slices.Sorted(maps.Keys(r.waiting)) {
			list = append(list, *r.waiting[id])
		}
		return list, nil
	})
}

// keepAnswer keeps an answer until its call asks for it.
func (r *run) keepAnswer(in signal) {
	if place := in.Call + "\n" + in.Answer.Digest; r.unused < maxUnused {
		r.answers[place] = append(r.answers[place], in.Answer)
		r.unused++
	}
}
