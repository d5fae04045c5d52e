// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package reportcmd is the command toolscope report.
package reportcmd
