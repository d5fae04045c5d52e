// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package soak makes calls at an even rate, which it prints, for a long time, of all kinds, under every policy and
// beside readers, and says whether the process grows: resident memory, live heap,
// goroutines and file descriptors, each with its slope. At the end every count must be
// exact. The test fails if something grows or a count is wrong.
//
//	go test ./soak -run='^TestSoak$' -v -timeout=0 -for 30m -rate 2000
package soak
