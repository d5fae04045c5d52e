// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package permitcmd is the command toolscope permit.
package permitcmd
