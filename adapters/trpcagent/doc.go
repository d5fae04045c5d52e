// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package trpcagent observes and governs the tools of an agent of trpc.group/trpc-go/trpc-agent-go:
//
//	llmagent.New("agent", llmagent.WithTools(trpcagent.Tools(scope, search, calculator)))
//
// The framework makes a span of each tool call. It becomes toolscope's own if both go to one provider: give
// toolscope.New the provider of the framework's telemetry/trace. The span holds raw arguments and results,
// which exporters.Setup redacts; the framework's SpanAttributePolicy can drop them. Several calls at once
// have a span "execute_tool (merged tools)" next to theirs.
//
// What a policy refuses is a result that the model reads. A stored result comes back as JSON, which the
// result formatter of its tool does not format again. Calls belong to the session of the run; the tenant is
// the application and the user. Calls of unknown tools, and those that a permission policy of the framework
// refuses, reach no tool and are not recorded.
package trpcagent
