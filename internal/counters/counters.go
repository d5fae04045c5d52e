// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package counters holds what is counted for the whole process: code of the application that
// panicked inside toolscope, and calls that were never ended.
package counters

import "sync/atomic"

var (
	// ObserverPanics counts panics of observers that were contained.
	ObserverPanics atomic.Uint64
	// AdapterPanics counts panics of adapters' functions that were contained.
	AdapterPanics atomic.Uint64
	// AbandonedCalls counts calls begun by callbacks or streams that were never ended.
	AbandonedCalls atomic.Uint64
)
