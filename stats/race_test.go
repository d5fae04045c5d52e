// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build race

package stats

// sampleSize is smaller where the race detector makes all of it ten times slower.
const sampleSize = 20_000

// raceSaving divides the work of tests in which one goroutine records.
const raceSaving = 4
