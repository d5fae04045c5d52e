// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package histogram

import (
	"encoding/binary"
	"errors"
)

// ErrCorrupt is what [Read] returns for bytes that [Append] did not write.
var ErrCorrupt = errors.New("the bytes of a histogram are corrupt")

// Append appends a histogram to b: its digits, the length of its counts, and the counts in
// HdrHistogram's V2 form (ZigZag LEB128, a negative number for a row of zeros) without its header
// and zlib, which at these sizes cost more than they save. An empty histogram is a single 0.
func Append(b []byte, h *Histogram) []byte {
	if h.Count() == 0 {
		return append(b, 0)
	}
	counts := appendCounts(make([]byte, 0, 3*len(h.index)), h)
	b = append(b, byte(h.layout.digits))
	return append(binary.AppendUvarint(b, uint64(len(counts))), counts...)
}

// Read reads what [Append] wrote, nil for an empty histogram, and returns the bytes after it.
func Read(b []byte) (h *Histogram, rest []byte, err error) {
	if len(b) == 0 {
		return nil, nil, ErrCorrupt
	}
	digits, b := b[0], b[1:]
	if digits == 0 {
		return nil, b, nil
	}
	length, n := binary.Uvarint(b)
	if digits < MinDigits || digits > MaxDigits || n <= 0 || length > uint64(len(b)-n) {
		return nil, nil, ErrCorrupt
	}
	b = b[n:]
	if h = decodeCounts(layouts[digits], b[:length]); h == nil {
		return nil, nil, ErrCorrupt
	}
	return h.orNil(), b[length:], nil
}

// appendCounts appends a histogram's counts as HdrHistogram's V2 form has them.
func appendCounts(counts []byte, h *Histogram) []byte {
	at := 0
	for i, index := range h.index {
		if zeros := int(index) - at; zeros > 1 {
			counts = binary.AppendVarint(counts, -int64(zeros))
		} else if zeros == 1 {
			counts = binary.AppendVarint(counts, 0)
		}
		counts = binary.AppendVarint(counts, int64(h.count(i)))
		at = int(index) + 1
	}
	return counts
}

// decodeCounts reads the counts of a histogram; nil if they are corrupt. Readers spend
// most of their time here.
func decodeCounts(l *layout, counts []byte) *Histogram {
	numbers := 0
	for _, c := range counts {
		if c < 0x80 { // the last byte of a number
			numbers++
		}
	}
	h := newHistogram(l, min(numbers, l.counters))
	total := uint64(0)
	for at := int64(0); len(counts) > 0; {
		u, size := uint64(counts[0]), 1
		if u >= 0x80 {
			if u, size = binary.Uvarint(counts); size <= 0 {
				return nil
			}
		}
		counts = counts[size:]
		n := int64(u>>1) ^ -int64(u&1) // ZigZag
		left := int64(l.counters) - at
		switch {
		case n >= 0 && left == 0 || n < -left:
			return nil
		case n < 0:
			at -= n
		default:
			if n > 0 {
				total = AddCapped(total, uint64(n))
				h.index, h.upTo = append(h.index, uint16(at)), append(h.upTo, total)
			}
			at++
		}
	}
	return h
}
