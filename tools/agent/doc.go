// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package agent lets an agent hand tasks to sub-agents: the tool agent_delegate runs each
// task as a conversation with a [Model] that may use the tools of the parent.
//
//	tool, err := agent.New(model, agent.Options{
//		Handler: scope.WrapRegistry(registry),
//		Tools:   registry,
//		Start: func(ctx context.Context, name string) (context.Context, agent.Run) {
//			return scope.StartAgent(ctx, tracing.Agent{Name: name})
//		},
//	})
//	err = registry.Register(tool)
//
// # What is guaranteed
//
// Several tasks of one call run at the same time, each with limits on turns, tokens and time,
// and share the parent's handler: what observes and governs the parent's calls observes and
// governs theirs, in the parent's session. A sub-agent is not shown the tools that make
// sub-agents, and is refused if it calls one all the same. The answer tells for each task how it went; only if none
// succeeded is it a failure. A model that panics ends its task.
//
// # What is left out
//
// Conversations are texts: images and other parts of results are named and not passed on. The
// providers for real models are modules of their own, tools/agent/openai and
// tools/agent/anthropic.
package agent
