// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"context"
	"fmt"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

const delegateTool = "agent_delegate"

// delegate is the tool that runs a sub-agent, whose calls appear under its own
// invoke_agent span.
func (s *session) delegate() toolkit.Tool {
	return toolkit.NewTool(delegateTool, "Hands a question to a sub-agent that can read and search.",
		func(ctx context.Context, _ struct{ Question string }) (string, error) {
			ctx, run := s.scope.StartAgent(ctx, tracing.Agent{Name: "researcher", Description: "Reads and searches."})
			answers := s.executor.Execute(ctx, s.model.research()...)
			run.End(nil)
			failed := 0
			for _, a := range answers {
				if a.Result.Fault != nil {
					failed++
				}
			}
			return fmt.Sprintf("%d look-ups, %d failed", len(answers), failed), nil
		},
		toolkit.WithSchema([]byte(`{"type":"object","properties":{"question":{"type":"string"}},"required":["question"]}`)),
		toolkit.WithCategory("agents"))
}
