// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package democmd is the command toolscope demo.
package democmd
