// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package demo

import (
	"context"
	"fmt"
	"strings"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/agent"
	"github.com/toolscope/toolscope/tracing"
)

// subAgents are the options of the demo's sub-agents, whose runs appear as invoke_agent
// spans below the call that began them.
func (s *session) subAgents() agent.Options {
	return agent.Options{
		Name: "researcher",
		Start: func(ctx context.Context, name string) (context.Context, agent.Run) {
			return s.scope.StartAgent(ctx, tracing.Agent{Name: name, Description: "Reads and searches."})
		},
	}
}

// generate is the sub-agents' model: it looks around once, then tells what came of it.
// A task that begins with "Give up" fails.
func (m *model) generate(_ context.Context, r agent.Request) (agent.Reply, error) {
	task, last := r.Messages[0].Text, r.Messages[len(r.Messages)-1]
	usage := agent.Usage{Input: 40 * len(r.Messages), Output: 12}
	switch {
	case strings.HasPrefix(task, "Give up"):
		return agent.Reply{Usage: usage}, nil
	case last.Role == agent.RoleUser:
		return agent.Reply{Text: "I look for it.", Calls: m.research(), Usage: usage}, nil
	}
	failed := 0
	for _, message := range r.Messages {
		if message.Failed {
			failed++
		}
	}
	return agent.Reply{Text: fmt.Sprintf("%d look-ups, %d failed", len(r.Messages)-2, failed), Usage: usage}, nil
}

// research is what a sub-agent does.
func (m *model) research() []toolkit.Call {
	return []toolkit.Call{
		m.call(fileSearch, "text", "Test"),
		m.call(fileRead, "path", m.file(3)),
		m.call(shellRun, "command", "sleep 0.02; echo done"),
	}
}
