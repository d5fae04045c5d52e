// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build !race

package stats

// sampleSize is how many values the tests of accuracy are made of.
const sampleSize = 1_000_000

const raceSaving = 1
