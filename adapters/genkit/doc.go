// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package genkit observes and governs the tools of github.com/firebase/genkit/go:
//
//	genkit.DefineTool(g, "search", "Finds pages.", toolscopegenkit.Func(scope, definition, search))
//
// genkit makes a span of each tool call. It becomes toolscope's own if both go to one provider, which
// is the global one for genkit: give it to toolscope.New, or make it global first
// (exporters.Options.Globals). The span holds raw input and output, which exporters.Setup redacts.
//
// What a policy refuses is a result that the model reads, so that the output of a function is any
// value. Functions get no id of the call, and there are no sessions: set one with toolkit.WithSession in
// the context of the run. Calls of unknown tools reach no function and are not recorded.
package genkit
