// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package servecmd is the command toolscope serve.
package servecmd
