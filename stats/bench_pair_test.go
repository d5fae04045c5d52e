// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"testing"
	"time"
)

// A pair is hdrhistogram-go's way and ours; the second one reports the ratio of its
// time to the first one's as x-hdr.
type pair struct{ hdr time.Duration }

func (p *pair) theirs(b *testing.B, name string, body func(b *testing.B)) {
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		body(b)
		p.hdr = perOp(b)
	})
}

func (p *pair) ours(b *testing.B, name string, body func(b *testing.B)) {
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		body(b)
		if p.hdr > 0 { // else theirs was not selected
			b.ReportMetric(float64(perOp(b))/float64(p.hdr), "x-hdr")
		}
	})
}

// perOp is the time of one operation, a thousand times as long, so that it has parts of
// a nanosecond.
func perOp(b *testing.B) time.Duration { return b.Elapsed() * 1000 / time.Duration(b.N) }
