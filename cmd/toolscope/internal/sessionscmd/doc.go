// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package sessionscmd is the command toolscope sessions.
package sessionscmd
