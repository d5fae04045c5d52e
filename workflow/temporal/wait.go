// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package temporal

import (
	"fmt"
	"time"

	"go.temporal.io/sdk/workflow"

	"github.com/toolscope/toolscope/internal/approval"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/workflow/internal/interpret"
)

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
