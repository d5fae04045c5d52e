// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package forgetcmd is the command toolscope forget.
package forgetcmd
