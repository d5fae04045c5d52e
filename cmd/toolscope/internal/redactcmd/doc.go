// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package redactcmd is the command toolscope redact.
package redactcmd
