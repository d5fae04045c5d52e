// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package approvalscmd is the command toolscope approvals.
package approvalscmd
