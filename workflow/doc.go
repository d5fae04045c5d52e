// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package workflow runs fixed orders of tool calls: one after the other, in parallel, on conditions, for each element of
// a list, in loops. A workflow is data ([Definition]), written in Go or in the section workflows of a configuration
// file, and is compiled when it is loaded: unknown tools, steps that come later, cycles and wrong expressions are
// errors then.
//
// Each step is a call of your application's governed handler, so that policies, spans and statistics are those of any
// other call. A workflow is itself a tool ([Set.Tools]), whose hints are never safer than its steps'.
//
// docs/workflow.md describes the steps.
package workflow
