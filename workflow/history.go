// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package workflow

import (
	"slices"
	"sync"
	"time"

	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/workflow/internal/interpret"
)

const (
	maxHistory = 100 // runs kept, of all workflows
	maxKeptLog = 200 // entries of the log of each
)

// A history is the last runs.
type history struct {
	mu           sync.Mutex
	runs         []stats.WorkflowRun // the latest last
	ended, wrong map[string]uint64   // by workflow
}

func (h *history) addRun(r stats.WorkflowRun) {
	r.Log, r.LogDropped = kept(r)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.ended == nil {
		h.ended, h.wrong = map[string]uint64{}, map[string]uint64{}
	}
	h.ended[r.Workflow]++
	if !r.Success {
		h.wrong[r.Workflow]++
	}
	if len(h.runs) == maxHistory {
		copy(h.runs, h.runs[1:])
		h.runs = h.runs[:maxHistory-1]
	}
	h.runs = append(h.runs, r)
}

// kept is the log of a run as it is kept, and how many entries it is without.
func kept(r stats.WorkflowRun) (log []stats.WorkflowStep, dropped int) {
	if over := len(r.Log) - maxKeptLog; over > 0 {
		return slices.Clone(r.Log[:maxKeptLog]), r.LogDropped + over
	}
	return r.Log, r.LogDropped
}

// Workflows lists the workflows with their last runs, failed ones included. It makes a Set a [stats.WorkflowSource].
func (s *Set) Workflows() []stats.Workflow {
	list := []stats.Workflow{}
	s.history.mu.Lock()
	defer s.history.mu.Unlock()
	for _, name := range s.names() {
		f := s.flows[name]
		w := stats.Workflow{
			Name: name, Description: f.source.Description, Tools: f.calls, ReadOnly: f.definition.ReadOnly == toolkit.Yes,
			Graph: graph(f.source), Runs: s.history.ended[name], Failed: s.history.wrong[name], LastRuns: []stats.WorkflowRun{},
		}
		for _, r := range slices.Backward(s.history.runs) {
			if r.Workflow == name {
				w.LastRuns = append(w.LastRuns, r)
			}
		}
		list = append(list, w)
	}
	return list
}

// runOf is a run without content.
func runOf(name, id string, r interpret.Record) stats.WorkflowRun {
	run := stats.WorkflowRun{
		ID: id, Workflow: name, Started: r.Started.UTC(), DurationMS: ms(r.Took), Success: r.Failure == nil, Calls: r.Calls,
		Steps: r.Steps, Undone: r.Undone, NotUndone: r.NotUndone, Log: make([]stats.WorkflowStep, len(r.Log)), LogDropped: r.Dropped,
	}
	if r.Failure != nil {
		run.ErrorType, run.FailedStep = r.Failure.Type, r.Failure.Step
	}
	for i, e := range r.Log {
		run.Log[i] = stats.WorkflowStep{Step: e.Step, Kind: e.Kind, Tool: e.Tool, Status: string(e.Status), ErrorType: e.ErrorType,
			Started: e.Start.UTC(), DurationMS: ms(e.Took)}
	}
	return run
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
