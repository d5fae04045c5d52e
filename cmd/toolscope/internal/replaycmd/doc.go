// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package replaycmd is the command toolscope replay.
package replaycmd
