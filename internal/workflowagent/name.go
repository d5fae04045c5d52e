// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package workflowagent names the agent of a workflow's steps (toolkit.Session.Agent): no model reads their results.
package workflowagent

import "strings"

const prefix = "workflow:"

// Name is the agent of a workflow.
func Name(workflow string) string { return prefix + workflow }

// Is reports whether an agent is a workflow.
func Is(agent string) bool { return strings.HasPrefix(agent, prefix) }
