// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package approve

import (
	"context"
	"slices"
	"strings"

	"github.com/toolscope/toolscope/internal/approval"
	"github.com/toolscope/toolscope/toolkit"
)

// exchanged lets a call through that people approved elsewhere, or opens a request and suspends the call. The answer
// to that request goes to the exchange, and lets nothing through in this process.
func (p *Policy) exchanged(
	ctx context.Context, call toolkit.Call, req *pending, x *approval.Exchange, next toolkit.Handler,
) (toolkit.Result, error) {
	req.owner.callID, req.exchange = call.ID, x
	question := approval.Question{
		Digest: req.Digest, Trigger: req.Trigger, Reason: req.Reason, Rule: req.Rule, Risk: req.Risk, People: req.people,
	}
	if by, ok := x.TakeApproval(req.Digest); ok {
		approvers, err := p.suffice(req, by)
		if err == nil {
			if open := p.desk.withdraw(req.owner, req.Created); open != nil {
				p.closeShared(open, Withdrawn)
			}
			call.Record.Tag("approval", string(Approved))
			call.Record.Tag("approval.by", p.text(strings.Join(approvers, ", ")))
			return next(ctx, call)
		}
		question.Problem = err.Error()
	}
	res, err := p.suspend(ctx, call, req)
	if res.Suspended {
		x.Ask(question)
	}
	return res, err
}

// suffice returns those of the people whose approvals count, and an error if they are too few.
func (p *Policy) suffice(req *pending, by []string) (approvers []string, err error) {
	err = &forbidden{"a second person has to approve this call as well"}
	for _, who := range by {
		wrong := p.options.mayApprove(who, req.tool, req.Risk)
		switch {
		case wrong != nil:
			err = wrong
		case req.people > 1 && who == "":
			err = &forbidden{"two people have to approve this call, each by name"}
		case !slices.Contains(approvers, who):
			approvers = append(approvers, who)
		}
	}
	if len(approvers) < req.people {
		return nil, err
	}
	return approvers, nil
}
