// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package statscmd is the command toolscope stats.
package statscmd
