// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package openaiagents observes and governs the function tools of an agent of
// github.com/nlpodyssey/openai-agents-go:
//
//	agents.New("agent").WithTools(openaiagents.Tools(scope, []agents.Tool{search, calculator})...)
//
// The framework makes no spans of OpenTelemetry. It has traces of its own, and sends them to OpenAI with raw
// arguments and results if there is a key: set TraceIncludeSensitiveData to false or TracingDisabled to true in
// the framework's RunConfig.
//
// What a policy refuses is a result that the model reads. Calls of unknown tools end the run before a
// tool and are not recorded. Tools of the agent's MCP servers are those of
// agents.MCPUtil().GetFunctionTools: give them to [Tools] instead of the servers.
package openaiagents
