// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package langchain observes and governs the tools of an agent of github.com/tmc/langchaingo:
//
//	agents.NewOneShotAgent(model, langchain.Tools(scope, search, calculator))
//
// What a policy refuses is an observation that the model reads. The framework has no ids of calls
// and no sessions: set one with toolkit.WithSession in the context of the run. Calls of unknown
// tools reach no tool and are not recorded.
package langchain
