// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package histogram has histograms of durations, laid out as HdrHistogram's: from 100 ns to
// one hour with two or three significant digits.
//
// A [Histogram] does not change once made. It is made by a [Live], which any number of
// goroutines write without a lock; by a [Builder], which one goroutine writes; by [Merge]; or
// read from bytes ([Read], [Histogram.UnmarshalText]).
package histogram
