// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package recordings keeps the sessions that toolscope mcp and serve record, in one directory that is bounded by age and
// bytes.
package recordings
