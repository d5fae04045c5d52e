// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package anthropic observes and governs the tools of the tool runner of
// github.com/anthropics/anthropic-sdk-go:
//
//	runner := client.Beta.Messages.NewToolRunner(anthropic.Tools(scope, weather, search), params)
//
// The runner makes a span of each tool call. It becomes toolscope's own: there is one span, with
// the attributes of both. Without it (ANTHROPIC_OPEN_TELEMETRY=false) toolscope starts a span, and
// the id of the call is not known, because tools do not get it. What a policy refuses is an error
// result that the model reads. Calls of unknown tools reach no tool and are not recorded.
//
// Do not set the runner's content mode: it puts arguments and results on the span unredacted.
package anthropic
