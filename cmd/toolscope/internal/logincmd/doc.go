// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package logincmd is the commands toolscope login, logout and whoami.
package logincmd
