// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package workflow

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/workflow/internal/durable"
	"github.com/toolscope/toolscope/workflow/internal/interpret"
)

// Durable is for workflow/temporal, which runs the workflows of the set such that runs outlive their process.
func (s *Set) Durable() durable.Set {
	return durable.Set{
		Handler: s.options.Handler, Find: s.find, Tracing: s.options.Scope.Tracing(), NewJob: s.newJob, Run: runJob,
	}
}

func (s *Set) newJob(ctx context.Context, name string, arguments json.RawMessage) (durable.Job, error) {
	f := s.flows[name]
	if f == nil {
		return durable.Job{}, &Error{name, "the unknown workflow", "one of " + strings.Join(s.names(), ", ")}
	}
	if err := s.validate(ctx, f, arguments); err != nil {
		return durable.Job{}, err
	}
	if _, err := inputOf(name, f.source.Input, arguments); err != nil {
		return durable.Job{}, err
	}
	definition, err := json.Marshal(f.source)
	if err != nil {
		return durable.Job{}, err
	}
	job := durable.Job{Workflow: name, Definition: definition, Digest: f.digest, Input: bytes.Clone(arguments),
		MaxCalls: f.program.MaxCalls}
	for _, tool := range f.calls {
		if d := s.find(tool); d != nil && (d.ReadOnly == toolkit.Yes || d.Idempotent == toolkit.Yes) {
			job.Repeatable = append(job.Repeatable, tool)
		}
	}
	return job, nil
}

// runJob compiles and runs a job.
func runJob(e interpret.Engine, id string, job durable.Job) durable.End {
	name := job.Workflow
	program, input, err := readJob(job)
	if err != nil {
		text := fmt.Sprintf("the workflow %s cannot be run: %s", name, err)
		return durable.End{Error: text, Kind: string(toolkit.ErrInvalidArguments)}
	}
	record := interpret.Run(e, program, id, input)
	end := durable.End{Run: runOf(name, id, record)}
	end.Run.Log, end.Run.LogDropped = kept(end.Run)
	if record.Failure != nil {
		err := failed(name, record)
		end.Error, end.Kind = err.Message, string(err.Kind)
		return end
	}
	if end.Output, err = json.Marshal(record.Output); err != nil {
		end.Error, end.Kind = err.Error(), string(toolkit.ErrTool)
	}
	return end
}

// readJob compiles the definition of a job. Tools are not looked up: they were when the job was made.
func readJob(job durable.Job) (*interpret.Program, map[string]any, error) {
	decoder := json.NewDecoder(bytes.NewReader(job.Definition))
	decoder.UseNumber()
	decoder.DisallowUnknownFields() // a newer version's, which this one would leave out
	var d Definition
	if err := decoder.Decode(&d); err != nil {
		return nil, nil, err
	}
	c := &compiler{}
	program := c.compile(job.Workflow, d)
	if len(c.errs) > 0 {
		return nil, nil, c.errs[0]
	}
	input, err := inputOf(job.Workflow, d.Input, job.Input)
	return program, input, err
}
