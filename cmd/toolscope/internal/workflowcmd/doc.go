// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package workflowcmd is the command toolscope workflow.
package workflowcmd
