// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package summary prints statistics as tables for a terminal or a pipe, and as JSON: what the commands stats,
// report, demo and replay have in common.
package summary
