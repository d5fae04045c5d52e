// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build !race

package loop_test

// many is how many sessions the tests of many sessions have.
const many = 1_000_000

const raceEnabled = false
