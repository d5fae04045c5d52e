// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package adk observes and governs the tools of an agent of google.golang.org/adk/v2:
//
//	llmagent.New(llmagent.Config{
//		Tools:                adk.Tools(scope, search, calculator),
//		OnToolErrorCallbacks: []llmagent.OnToolErrorCallback{adk.Unknown(scope)},
//	})
//
// ADK makes a span of each tool call. It becomes toolscope's own if both go to one provider, which for
// ADK is the first that was made global: give that to toolscope.New. The span holds raw arguments
// and results. ADK v2.2.0 compiles with OpenTelemetry up to 1.46 only, and so not with toolscope's module
// exporters, which would redact them. Several calls at once have a
// span "execute_tool (merged)" around theirs, which counts as a call where spans are counted by name.
//
// What a policy refuses is the error of a result, which the model reads. Calls belong to ADK's session;
// the tenant is the application and the user.
package adk
