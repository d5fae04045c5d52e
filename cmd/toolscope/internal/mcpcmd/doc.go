// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package mcpcmd is the command toolscope mcp.
package mcpcmd
