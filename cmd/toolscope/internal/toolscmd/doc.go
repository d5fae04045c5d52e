// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package toolscmd is the command toolscope tools, and toolscope call.
package toolscmd
