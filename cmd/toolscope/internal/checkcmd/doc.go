// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package checkcmd is the command toolscope check.
package checkcmd
