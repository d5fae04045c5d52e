// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package histogram

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"iter"
	"math"
	"strings"
	"sync"
	"time"
	"unicode"

	hdrhistogram "github.com/HdrHistogram/hdrhistogram-go"
)

// MarshalText is the histogram in HdrHistogram's V2 compressed form in base64, which
// HdrHistogram's own tools read; the values are nanoseconds. An empty histogram is
// the empty text.
func (h *Histogram) MarshalText() ([]byte, error) {
	if h.Count() == 0 {
		return nil, nil
	}
	if h.Count() >= 1<<55 { // such a count has nine bytes in HdrHistogram's form and ten in Go's
		return h.packed().Encode()
	}
	return h.encode(), nil
}

// What begins HdrHistogram's V2 form: of the counts, and of their compressed form.
const (
	v2Cookie           = 0x1c849303 | 0x10
	v2CompressedCookie = 0x1c849304 | 0x10
	v2Header           = 40
)

// A deflater compresses; making one takes most of a megabyte.
type deflater struct {
	out    bytes.Buffer
	writer *zlib.Writer
}

var deflaters = sync.Pool{New: func() any {
	d := new(deflater)
	d.writer, _ = zlib.NewWriterLevel(&d.out, zlib.BestCompression) // the level is one
	return d
}}

// encode is what hdrhistogram-go makes of the histogram, with a compressor that is used
// again.
func (h *Histogram) encode() []byte {
	form := make([]byte, v2Header, v2Header+3*len(h.index))
	binary.BigEndian.PutUint32(form, v2Cookie)
	binary.BigEndian.PutUint32(form[12:], uint32(h.layout.digits))
	binary.BigEndian.PutUint64(form[16:], uint64(Lowest))
	binary.BigEndian.PutUint64(form[24:], uint64(Highest))
	binary.BigEndian.PutUint64(form[32:], math.Float64bits(1)) // the unit of values
	form = appendCounts(form, h)
	binary.BigEndian.PutUint32(form[4:], uint32(len(form)-v2Header))

	d := deflaters.Get().(*deflater)
	defer deflaters.Put(d)
	d.out.Reset()
	d.out.Write(binary.BigEndian.AppendUint32(nil, v2CompressedCookie))
	d.out.Write(make([]byte, 4)) // the length, known below
	d.writer.Reset(&d.out)
	_, _ = d.writer.Write(form) // into memory: no error
	_ = d.writer.Close()
	packed := d.out.Bytes()
	binary.BigEndian.PutUint32(packed[4:], uint32(len(packed)-8))
	return base64.StdEncoding.AppendEncode(nil, packed)
}

// maxHistogramText bounds the text of one histogram: more than one whose counters
// are all set needs.
const maxHistogramText = 512 << 10

// UnmarshalText reads the form of MarshalText. It is an error if the histogram has
// another range or precision than those of this package.
func (h *Histogram) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*h = Histogram{layout: layouts[MinDigits]}
		return nil
	}
	if len(text) > maxHistogramText {
		return fmt.Errorf("stats: histogram: got %d bytes of text, want at most %d", len(text), maxHistogramText)
	}
	p, err := hdrhistogram.DecodePacked(text)
	if err != nil {
		return fmt.Errorf("stats: histogram: %w", err)
	}
	digits := int(p.SignificantFigures())
	if p.LowestTrackableValue() != Lowest || p.HighestTrackableValue() != Highest || digits < MinDigits || digits > MaxDigits {
		return fmt.Errorf("stats: histogram: got a range of %d to %d with %d digits, want %d to %d with 2 or 3",
			p.LowestTrackableValue(), p.HighestTrackableValue(), digits, Lowest, Highest)
	}
	b := builderOf(layouts[digits])
	defer b.Release()
	p.ForEachBucket(func(value, count int64) bool {
		if count > 0 {
			b.addCount(b.layout.index(min(value, Highest)), uint64(count))
		}
		return true
	})
	*h = Histogram{layout: layouts[digits]}
	if made := b.Histogram(); made != nil {
		*h = *made
	}
	return nil
}

// packed is the histogram as hdrhistogram-go's sparse one.
func (h *Histogram) packed() *hdrhistogram.PackedHistogram {
	digits := MinDigits
	if h != nil {
		digits = h.layout.digits
	}
	p := hdrhistogram.NewPacked(Lowest, Highest, digits)
	if h != nil {
		for i, at := range h.index {
			// The value is within the range and counts are below maxCount: no error.
			_ = p.RecordValues(min(h.layout.lowest(int(at)), Highest), int64(h.count(i)))
		}
	}
	return p
}

// dense is the histogram as hdrhistogram-go's usual one.
func (h *Histogram) dense() *hdrhistogram.Histogram {
	digits := MinDigits
	if h != nil {
		digits = h.layout.digits
	}
	d := hdrhistogram.New(Lowest, Highest, digits)
	h.packed().MergeInto(d)
	return d
}

// WriteHgrm writes the percentile distribution in HdrHistogram's .hgrm form, in
// milliseconds.
func (h *Histogram) WriteHgrm(w io.Writer) error {
	_, err := h.dense().PercentilesPrint(w, 5, 1e6)
	return err
}

// An Interval is a histogram of a span of time.
type Interval struct {
	From, To time.Time
	*Histogram
}

// WriteHlog writes histograms in HdrHistogram's .hlog form: a line for each that is not empty,
// with a tag (what a tag may not have is replaced by "_"). start is the beginning of the log; zero
// leaves it out.
func WriteHlog(w io.Writer, tag string, start time.Time, intervals iter.Seq[Interval]) error {
	log := hdrhistogram.NewHistogramLogWriter(w)
	if err := log.OutputComment("[toolscope: running times in nanoseconds, maxima in milliseconds]"); err != nil {
		return err
	}
	if err := log.OutputLogFormatVersion(); err != nil {
		return err
	}
	if !start.IsZero() {
		if err := log.OutputStartTime(start.UnixMilli()); err != nil {
			return err
		}
	}
	if err := log.OutputLegend(); err != nil {
		return err
	}
	for x := range intervals {
		if x.Count() == 0 {
			continue
		}
		p := x.packed()
		p.SetStartTimeMs(x.From.UnixMilli())
		p.SetEndTimeMs(x.To.UnixMilli())
		p.SetTag(hlogTag(tag))
		if err := log.OutputIntervalPackedHistogram(p); err != nil {
			return err
		}
	}
	return nil
}

func hlogTag(tag string) string {
	return strings.Map(func(r rune) rune {
		if r == ',' || r == '=' || unicode.IsSpace(r) || !unicode.IsGraphic(r) {
			return '_'
		}
		return r
	}, tag)
}
