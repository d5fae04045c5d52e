// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package spool

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
)

// A segment is a file: a header, then records one after the other. All numbers are
// big-endian, all sums CRC-32C.
//
//	segment:  "toolspan" | version uint32 | id uint64 | sum uint32 of what stands before
//	record:   magic uint32 | state byte | class byte | 0 0 | id uint64 | at int64 |
//	          spans uint32 | length uint32 | sum uint32 of the payload |
//	          sum uint32 of what stands before, with a state of 0 | payload
//
// The payload is an OTLP TracesData in protobuf; at is when it was appended, in nanoseconds
// since 1970. The id is random and each record repeats it, so that no bytes within a
// payload, wherever they come from, are taken for a record. The state byte is the only one
// that is ever written over: a record that was delivered costs no more than that.
const (
	segmentMagic  = "toolspan"
	formatVersion = 1
	segmentHeader = 24
	recordHeader  = 40
	statePending  = 0x5a // every value but stateDone counts as pending: better twice than never
	stateDone     = 0xa5
	stateOffset   = 4
	maxRecord     = 16 << 20 // a longer payload is none
)

var (
	recordMagic = []byte{0xb1, 0xe5, 0x5e, 0xd5}
	castagnoli  = crc32.MakeTable(crc32.Castagnoli)
)

// A class is which spans a segment holds: those that failed are kept longer.
type class byte

const (
	others class = iota
	failures
	classes
)

// header is what a record says of itself.
type header struct {
	done          bool
	class         class
	id            uint64 // of the segment
	at            int64
	spans, length int
	sum           uint32
}

// newSegmentHeader is the beginning of a segment.
func newSegmentHeader(id uint64) []byte {
	b := append(make([]byte, 0, segmentHeader), segmentMagic...)
	b = binary.BigEndian.AppendUint32(b, formatVersion)
	b = binary.BigEndian.AppendUint64(b, id)
	return binary.BigEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// segmentID reads a segment's header; known is false if it is damaged.
func segmentID(b []byte) (id uint64, version uint32, known bool) {
	if len(b) < segmentHeader || string(b[:8]) != segmentMagic ||
		crc32.Checksum(b[:20], castagnoli) != binary.BigEndian.Uint32(b[20:]) {
		return 0, 0, false
	}
	return binary.BigEndian.Uint64(b[12:]), binary.BigEndian.Uint32(b[8:]), true
}

// put writes the header of a record to the first bytes of b, whose payload follows.
func (h *header) put(b []byte) {
	copy(b, recordMagic)
	b[4], b[5], b[6], b[7] = 0, byte(h.class), 0, 0
	binary.BigEndian.PutUint64(b[8:], h.id)
	binary.BigEndian.PutUint64(b[16:], uint64(h.at))
	binary.BigEndian.PutUint32(b[24:], uint32(h.spans))
	binary.BigEndian.PutUint32(b[28:], uint32(h.length))
	binary.BigEndian.PutUint32(b[32:], h.sum)
	binary.BigEndian.PutUint32(b[36:], crc32.Checksum(b[:36], castagnoli))
	b[stateOffset] = statePending
}

// get reads the header of a record; ok is false if b does not begin with one.
func (h *header) get(b []byte) (ok bool) {
	if len(b) < recordHeader || !bytes.Equal(b[:4], recordMagic) {
		return false
	}
	var plain [36]byte
	copy(plain[:], b)
	plain[stateOffset] = 0
	if crc32.Checksum(plain[:], castagnoli) != binary.BigEndian.Uint32(b[36:]) {
		return false
	}
	*h = header{
		done: b[stateOffset] == stateDone, class: class(b[5]), id: binary.BigEndian.Uint64(b[8:]),
		at:    int64(binary.BigEndian.Uint64(b[16:])),
		spans: int(binary.BigEndian.Uint32(b[24:])), length: int(binary.BigEndian.Uint32(b[28:])),
		sum: binary.BigEndian.Uint32(b[32:]),
	}
	return h.length <= maxRecord && h.class < classes
}

// fits reports whether payload is the one that h was written for.
func (h *header) fits(payload []byte) bool {
	return len(payload) == h.length && crc32.Checksum(payload, castagnoli) == h.sum
}

// damage is what a segment holds besides records.
type damage struct {
	torn    int // 1 if it does not end with a whole record
	corrupt int // stretches between records that are none
	spans   int // in both, as far as a header says; else 1 for each
}

// addStretch counts what one torn or corrupt stretch is about.
func (d *damage) addStretch(h header, known bool) {
	switch {
	case !known:
		d.spans++
	case !h.done:
		d.spans += h.spans
	}
}

// scan calls found with every whole record of a segment, in order, and reports what
// lies between them. It takes any bytes, and time in proportion to them.
func scan(data []byte, found func(offset int64, h header, payload []byte)) (d damage) {
	id, _, known := segmentID(data)
	at := 0
	if known {
		at = segmentHeader
	}
	for at < len(data) {
		var h header
		its := h.get(data[at:]) && (!known || h.id == id)
		if its && h.length <= len(data)-at-recordHeader {
			payload := data[at+recordHeader : at+recordHeader+h.length]
			if h.fits(payload) {
				id, known = h.id, true // of a damaged segment header, the first record's
				found(int64(at), h, payload)
				at += recordHeader + h.length
				continue
			}
		}
		d.addStretch(h, its)
		next := nextHeader(data, at+1, id, known)
		if next < 0 {
			d.torn = 1
			return d
		}
		d.corrupt++
		at = next
	}
	return d
}

// nextHeader is where the next header of a record begins; -1 if nowhere.
func nextHeader(data []byte, from int, id uint64, known bool) int {
	for from < len(data) {
		i := bytes.Index(data[from:], recordMagic)
		if i < 0 {
			return -1
		}
		var h header
		if h.get(data[from+i:]) && (!known || h.id == id) {
			return from + i
		}
		from += i + 1
	}
	return -1
}
