// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package toolpins is the command toolscope mcp pins: what is remembered of servers' tools, compared with what the
// servers listed last, and accepted.
package toolpins
