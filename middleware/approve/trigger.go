// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package approve

import (
	"context"
	"fmt"

	"github.com/toolscope/toolscope/middleware/internal/handoff"
	"github.com/toolscope/toolscope/toolkit"
)

// A trigger is why a person is asked.
type trigger struct{ name, reason, rule, version string }

// needed says whether a person is to be asked of a call, and why. The risk and the arguments of a tool that calls others
// do not ask: the policy sees each of those calls, and would ask twice.
func (p *Policy) needed(ctx context.Context, call toolkit.Call, tool *toolkit.Definition) (t trigger, needed bool) {
	q, asked := handoff.QuestionOf(ctx)
	if asked && !q.Settled {
		return trigger{"rule", q.Reason, q.Rule, q.Version}, true
	}
	if tool != nil && tool.RequiresApproval {
		return trigger{name: "tool", reason: "the tool asks for approval of each call"}, true
	}
	calls := tool != nil && tool.CallsTools
	if tool != nil && tool.Risk == toolkit.RiskHigh && !q.Settled && !calls {
		return trigger{name: "risk", reason: "the tool's risk is high"}, true
	}
	if p.words != nil && !q.Settled && !calls {
		if word := p.words.find(call.Arguments); word != "" {
			return trigger{name: "arguments", reason: fmt.Sprintf("the arguments say %q", word)}, true
		}
	}
	if p.options.Needed != nil {
		if reason, ok := p.hostNeeds(ctx, call, tool); ok {
			return trigger{name: "host", reason: reason}, true
		}
	}
	return trigger{}, false
}

// hostNeeds asks the host; if its function panics a person is asked.
func (p *Policy) hostNeeds(ctx context.Context, call toolkit.Call, tool *toolkit.Definition) (reason string, needed bool) {
	defer func() {
		if recover() != nil {
			reason, needed = "the application's own check panicked", true
		}
	}()
	return p.options.Needed(ctx, call, tool)
}
