// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build race

package loop_test

// raceEnabled says that pools forget, as the race detector makes them.
const raceEnabled = true
