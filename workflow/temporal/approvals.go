// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package temporal

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/toolscope/toolscope/internal/approval"
)

// maxText is how long a name or a note may be, in bytes.
const maxText = 1 << 10

// A Decision is a person's answer.
type Decision struct {
	Call     string `json:"call"`   // of the Waiting
	Digest   string `json:"digest"` // of the Waiting, so that the answer is for what was shown
	Approved bool   `json:"approved"`
	By       string `json:"by"`   // name of the person, as the caller has authenticated it
	Note     string `json:"note"` // text for the error of a call that was not approved
}

// ErrNotWaiting is in the errors of [Engine.Decide] for a call that does not wait.
var ErrNotWaiting = errors.New("the call does not wait for this approval")

// Waiting lists the calls of a run that wait for approval. A worker has to be there, which answers.
func (e *Engine) Waiting(ctx context.Context, run string) ([]Waiting, error) {
	value, err := e.client.QueryWorkflow(ctx, run, "", waitingQuery)
	if err != nil {
		return nil, wrap("waiting calls of run", run, err)
	}
	var list []Waiting
	return list, wrap("waiting calls of run", run, value.Get(&list))
}

// Decide signals the answer of a person to a run. The workers' Approve policy checks whether the person may approve the
// call (approve.Options.People, TwoPeople): if not, the call goes on waiting.
func (e *Engine) Decide(ctx context.Context, run string, d Decision) error {
	if len(d.By) > maxText || len(d.Note) > maxText {
		return fmt.Errorf("temporal: decision: got a name or a note of more than %d bytes", maxText)
	}
	list, err := e.Waiting(ctx, run)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(list, func(w Waiting) bool { return w.Call == d.Call && w.Digest == d.Digest }) {
		return wrap("decision on "+d.Call+" of run", run, ErrNotWaiting)
	}
	return e.send(ctx, run, d.Call, approval.Answer{Digest: d.Digest, Approved: d.Approved, By: []string{d.By}, Note: d.Note})
}

func (e *Engine) send(ctx context.Context, run, call string, a approval.Answer) error {
	return wrap("decision for run", run, e.client.SignalWorkflow(ctx, run, "", decisionSignal, signal{call, a}))
}

// forward signals what a person answered to the Approve policy of this process, such as over HTTP.
func (e *Engine) forward(run, call string, a approval.Answer) error {
	if e.client == nil {
		return errors.New("temporal: the engine has no client")
	}
	var err error
	for range 5 {
		ctx, cancel := context.WithTimeout(context.Background(), heartbeatLimit)
		err = e.send(ctx, run, call, a)
		cancel()
		if err == nil {
			return nil
		}
	}
	return err
}
