// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build race

package main

// raceEnabled says that the race detector is on, which takes memory.
const raceEnabled = true
