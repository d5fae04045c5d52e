// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build race

package loop_test

// many is how many sessions the tests of many sessions have: the race detector is slow.
const many = 100_000

// raceEnabled says that pools forget, as the race detector makes them.
const raceEnabled = true
