// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build race

package histogram

// raceEnabled is for tests that the race detector disturbs.
const raceEnabled = true
