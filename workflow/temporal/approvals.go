// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package temporal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/toolscope/toolscope/internal/approval"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/workflow/internal/interpret"
)

// Names of what a run listens to.
const (
	decisionSignal = "toolscope.decision"
	waitingQuery   = "toolscope.waiting"
)

// Bounds of answers.
const (
	maxUnused = 100 // answers that no call has used
	maxPeople = 10  // approvals of one call
	maxText   = 1 << 10
)

// A Waiting is a call of a run that waits for approval.
type Waiting struct {
	Call      string          `json:"call"` // id of the call: RUN/STEP
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"` // whole, as the tool will get them
	Digest    string          `json:"digest"`    // what an answer is bound to
	Trigger   string          `json:"trigger"`   // why a person is asked: as approve.Request
	Reason    string          `json:"reason,omitempty"`
	Risk      string          `json:"risk,omitempty"`
	People    int             `json:"people"`            // how many have to approve
	Problem   string          `json:"problem,omitempty"` // why the approvals given so far do not suffice
	Since     time.Time       `json:"since"`
}

// A Decision is a person's answer.
type Decision struct {
	Call     string `json:"call"`   // of the Waiting
	Digest   string `json:"digest"` // of the Waiting, so that the answer is for what was shown
	Approved bool   `json:"approved"`
	By       string `json:"by"`   // name of the person, as the caller has authenticated it
	Note     string `json:"note"` // text for the error of a call that was not approved
}

// A signal is an answer for a call.
type signal struct {
	Call   string          `json:"call"`
	Answer approval.Answer `json:"answer"`
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

// approval waits for the next answer of a person to a question about a call, until end if that is not zero.
func (s *strand) approval(call callInput, q *approval.Question, end time.Time) (approval.Answer, *interpret.Failure) {
	r := s.run
	r.waiting[call.ID] = &Waiting{
		Call: call.ID, Tool: call.Tool, Arguments: call.Arguments, Digest: q.Digest, Trigger: q.Trigger, Reason: q.Reason,
		Risk: q.Risk, People: q.People, Problem: q.Problem, Since: s.Now(),
	}
	defer delete(r.waiting, call.ID)
	place := call.ID + "\n" + q.Digest
	answered := func() bool { return len(r.answers[place]) > 0 }
	var err error
	if end.IsZero() {
		err = workflow.Await(s.ctx, answered)
	} else {
		_, err = workflow.AwaitWithTimeout(s.ctx, end.Sub(s.Now()), answered)
	}
	refused := func(kind toolkit.Kind, text string) (approval.Answer, *interpret.Failure) {
		return approval.Answer{}, &interpret.Failure{Type: string(kind), Message: text}
	}
	switch {
	case err != nil:
		return refused(toolkit.ErrCanceled, "the call was cancelled while it waited for approval")
	case !answered():
		return refused(toolkit.ErrApprovalExpired, "a person was asked and did not answer in time")
	}
	answer := r.answers[place][0]
	r.answers[place] = r.answers[place][1:]
	r.unused--
	switch {
	case !answer.Approved && answer.Note != "":
		return refused(toolkit.ErrApprovalDenied, "a person was asked and said no: "+answer.Note)
	case !answer.Approved:
		return refused(toolkit.ErrApprovalDenied, "a person was asked and said no")
	case len(call.Given.By)+len(answer.By) > maxPeople:
		return refused(toolkit.ErrApprovalDenied, fmt.Sprintf("%d people approved the call, and none may: %s", maxPeople, q.Problem))
	}
	return answer, nil
}
