// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package transcript reads recorded sessions, and plays them: for toolscope replay.
package transcript
