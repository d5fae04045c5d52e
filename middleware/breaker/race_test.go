// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build race

package breaker_test

// raceEnabled is true under the race detector, which lets sync.Pool forget at
// random.
const raceEnabled = true
