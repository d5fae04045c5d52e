// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package eino observes and governs the tools of a tools node of github.com/cloudwego/eino:
//
//	config := compose.ToolsNodeConfig{
//		Tools:               tools,
//		ToolCallMiddlewares: []compose.ToolMiddleware{middleware}, // of eino.Middleware(scope, tools...)
//		UnknownToolsHandler: eino.Unknown(scope),
//	}
//
// All four kinds of tools are covered. What a policy refuses is a result that the model reads. A
// tool that interrupts has neither succeeded nor failed. The framework has no sessions of its own:
// set one with toolkit.WithSession in the context of the run. It makes no spans of tools.
package eino
