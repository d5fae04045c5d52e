// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"time"

	"github.com/toolscope/toolscope/internal/histogram"
)

// A Histogram is how often which durations occurred: an HdrHistogram of nanoseconds from 100 ns to
// one hour with two or three significant digits. It does not change once made. A nil *Histogram is
// an empty one.
type Histogram histogram.Histogram

// auxDigits is the precision of every histogram but that of executed calls.
const auxDigits = histogram.MinDigits

func (h *Histogram) raw() *histogram.Histogram { return (*histogram.Histogram)(h) }

// Count is how many values there are.
func (h *Histogram) Count() uint64 { return h.raw().Count() }

// Quantile is the value that the part q of all values, from 0 to 1, does not exceed; 0 for an empty
// histogram. As in HdrHistogram it is the largest value equivalent to the exact one, whose rank is q
// times the count, rounded. It allocates nothing.
func (h *Histogram) Quantile(q float64) time.Duration { return h.raw().Quantile(q) }

// Min is the smallest value equivalent to the smallest recorded; 0 for an empty histogram.
func (h *Histogram) Min() time.Duration { return h.raw().Min() }

// Max is the largest value equivalent to the largest recorded; 0 for an empty histogram.
func (h *Histogram) Max() time.Duration { return h.raw().Max() }

// Mean is the mean of all values, each taken as the middle of its counter; 0 for an empty
// histogram.
func (h *Histogram) Mean() time.Duration { return h.raw().Mean() }

// Sum is the sum of all values, each taken as the middle of its counter.
func (h *Histogram) Sum() time.Duration { return h.raw().Sum() }

// AtMost is how many values are at most d. Values in one counter with d count as if they were.
func (h *Histogram) AtMost(d time.Duration) uint64 { return h.raw().AtMost(d) }

// MarshalText is the histogram in HdrHistogram's V2 compressed form in base64, which HdrHistogram's
// own tools read; the values are nanoseconds. An empty histogram is the empty text.
func (h *Histogram) MarshalText() ([]byte, error) { return h.raw().MarshalText() }

// UnmarshalText reads the form of MarshalText. It is an error if the histogram has another range or
// precision than those of this package.
func (h *Histogram) UnmarshalText(text []byte) error { return h.raw().UnmarshalText(text) }
