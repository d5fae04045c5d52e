// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build race

package redact

// raceSaving divides the samples of tests with one goroutine: the race detector finds nothing in
// them and takes ten times as long. Without it, they run in full.
const raceSaving = 10
