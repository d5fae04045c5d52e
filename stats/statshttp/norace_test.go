// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build !race

package statshttp

// raceEnabled is whether the race detector makes everything slower.
const raceEnabled = false
