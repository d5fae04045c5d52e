// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package histogram

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestEncodeAsHdrHistogramDoes: the text of a histogram is hdrhistogram-go's own, byte for byte. The
// steps share no factor with the 7 and 11 below; hdrhistogram-go takes most of the time.
func TestEncodeAsHdrHistogramDoes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	step := 5
	if raceEnabled {
		step = 26
	}
	for _, digits := range []int{2, 3} {
		for n := 0; n < 300; n += step {
			b := NewBuilder(digits)
			for range 1 + r.IntN(1+n*n) {
				b.addCount(b.layout.index(r.Int64N(1+Highest>>r.IntN(40))), 1+r.Uint64N(1<<r.IntN(50)))
			}
			if n%7 == 0 {
				b.addCount(r.IntN(3), 1) // at the beginning, where zeros are few
			}
			if n%11 == 0 {
				b.addCount(b.layout.index(Highest), 1<<(50+r.IntN(13)))
			}
			h := b.Histogram()
			b.Release()
			got, err := h.MarshalText()
			if err != nil {
				t.Fatal(err)
			}
			want, err := h.packed().Encode()
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Fatalf("%d digits, %d values: got %s, want %s", digits, h.Count(), got, want)
			}
			var back Histogram
			if err := back.UnmarshalText(got); err != nil || back.Count() != h.Count() {
				t.Fatalf("%d digits: got %d values and %v back, want %d", digits, back.Count(), err, h.Count())
			}
		}
	}
}

// TestEncodeMakesNoCompressor: a snapshot of many tools has many histograms, and making a
// compressor for each took a megabyte.
func TestEncodeMakesNoCompressor(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector lets sync.Pool forget at random")
	}
	h := NewLive(3, nil)
	for _, v := range []int64{1e3, 5e6, 7e6, 2e8, 3e9} {
		h.Record(v)
	}
	of := h.Read(false)
	if got := testing.AllocsPerRun(100, func() { _, _ = of.MarshalText() }); got > 8 {
		t.Errorf("got %v allocations, want at most 8", got)
	}
}
