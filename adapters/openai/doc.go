// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package openai observes and governs the tools of a program that calls models with
// github.com/openai/openai-go/v3. That library runs no tools: the program's own loop does, and asks
// [Chat] or [Responses] for the function that runs a call and makes the message for the model:
//
//	execute, err := openai.Chat(scope, params.Tools, run)
//	…
//	for _, call := range message.ToolCalls {
//		params.Messages = append(params.Messages, execute(ctx, call))
//	}
//
// What a policy refuses, and the error of a tool, is a message that the model reads. Policies that
// remember calls need a session: set one with toolkit.WithSession in the context.
package openai
