// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package spool

import (
	"bytes"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

func spanNames(t testing.TB, payload []byte) (names []string) {
	t.Helper()
	var data tracepb.TracesData
	if err := proto.Unmarshal(payload, &data); err != nil {
		t.Fatal(err)
	}
	each(data.GetResourceSpans(), func(s *tracepb.Span) { names = append(names, s.GetName()) })
	return names
}

// segmentOf is a segment with these payloads, and where each record begins; the last number is
// where it ends.
func segmentOf(id uint64, payloads ...string) (data []byte, starts []int) {
	data = newSegmentHeader(id)
	for i, p := range payloads {
		starts = append(starts, len(data))
		b := append(make([]byte, recordHeader), p...)
		h := header{class: others, id: id, at: int64(i), spans: 1, length: len(p), sum: crc32.Checksum([]byte(p), castagnoli)}
		h.put(b)
		data = append(data, b...)
	}
	return data, append(starts, len(data))
}

func payloads(data []byte) (found []string, d damage) {
	d = scan(data, func(_ int64, _ header, payload []byte) { found = append(found, string(payload)) })
	return found, d
}

func TestTornTailAtEveryOffset(t *testing.T) {
	data, starts := segmentOf(7, "first", "", "the third record", string(make([]byte, 300)))
	for cut := range len(data) + 1 {
		whole := 0
		for _, end := range starts[1:] {
			if end <= cut {
				whole++
			}
		}
		wantTorn := 1
		if cut == 0 || cut == segmentHeader || cut == starts[whole] {
			wantTorn = 0
		}
		found, d := payloads(data[:cut])
		if len(found) != whole || d.torn != wantTorn || d.corrupt != 0 {
			t.Fatalf("cut at %d of %d: got %d records and %+v, want %d and torn %d", cut, len(data), len(found), d,
				whole, wantTorn)
		}
	}
}

// Whatever is written over a stretch of a segment, every record that it does not touch is found,
// in order, and the damage is counted.
func TestCorruptStretchLosesOnlyWhatItTouches(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var texts []string
	for i := range 12 {
		texts = append(texts, string(bytes.Repeat([]byte{byte('a' + i)}, r.IntN(200))))
	}
	clean, starts := segmentOf(9, texts...)
	for range 20_000 {
		data := bytes.Clone(clean)
		from := r.IntN(len(data))
		to := min(len(data), from+1+r.IntN(100))
		for i := from; i < to; i++ {
			data[i] = byte(r.Uint32())
		}
		var want []string
		for i, text := range texts {
			if bytes.Equal(data[starts[i]:starts[i+1]], clean[starts[i]:starts[i+1]]) ||
				onlyState(data, clean, starts[i], starts[i+1]) {
				want = append(want, text)
			}
		}
		found, d := payloads(data)
		if len(found) != len(want) {
			t.Fatalf("bytes %d to %d of %d: got %d records, want %d", from, to, len(data), len(found), len(want))
		}
		for i := range want {
			if found[i] != want[i] {
				t.Fatalf("bytes %d to %d: record %d: got %q, want %q", from, to, i, found[i], want[i])
			}
		}
		if damaged := d != (damage{}); len(want) < len(texts) && !damaged {
			t.Fatalf("bytes %d to %d: %d records lost and nothing counted", from, to, len(texts)-len(want))
		}
	}
}

// onlyState reports whether nothing but the state byte differs.
func onlyState(data, clean []byte, from, to int) bool {
	a, b := bytes.Clone(data[from:to]), bytes.Clone(clean[from:to])
	a[stateOffset], b[stateOffset] = 0, 0
	return bytes.Equal(a, b)
}

// A record within the payload of another, wherever it comes from, is not taken for one, even
// when what is around it is damaged.
func TestRecordWithinAPayloadIsNone(t *testing.T) {
	forged, starts := segmentOf(1, "forged")
	data, outer := segmentOf(2, "honest", string(forged[starts[0]:]), "honest too")
	data[outer[1]+20] ^= 1 // the outer record's header
	found, d := payloads(data)
	if len(found) != 2 || found[0] != "honest" || found[1] != "honest too" || d.corrupt != 1 || d.torn != 0 || d.spans != 1 {
		t.Errorf("got %q and %+v", found, d)
	}
}

func TestStateByte(t *testing.T) {
	data, starts := segmentOf(3, "a")
	for _, c := range []struct {
		state byte
		done  bool
	}{{statePending, false}, {stateDone, true}, {0, false}, {0xff, false}} {
		data[starts[0]+stateOffset] = c.state
		n := 0
		scan(data, func(_ int64, h header, _ []byte) {
			n++
			if h.done != c.done {
				t.Errorf("state %#x: got done %v, want %v", c.state, h.done, c.done)
			}
		})
		if n != 1 {
			t.Errorf("state %#x: got %d records, want 1", c.state, n)
		}
	}
}

// FuzzScan: whatever the bytes are, scan does not panic, what it finds is where it says and
// fits its sum, in order and without overlap, and a segment written from it is read back the same.
func FuzzScan(f *testing.F) {
	good, _ := segmentOf(5, "one", "two", "")
	f.Add(good)
	f.Add(good[:len(good)-3])
	f.Add(good[10:])
	f.Add([]byte{})
	f.Add(append(bytes.Clone(recordMagic), good...))
	f.Fuzz(func(t *testing.T, data []byte) {
		end := int64(0)
		var found []string
		d := scan(data, func(at int64, h header, payload []byte) {
			if at < end || h.length != len(payload) || !h.fits(payload) ||
				!bytes.Equal(payload, data[at+recordHeader:int(at)+recordHeader+h.length]) {
				t.Fatalf("a record at %d of %d that is none: %+v", at, len(data), h)
			}
			end = at + recordHeader + int64(h.length)
			found = append(found, string(payload))
		})
		if d.torn < 0 || d.torn > 1 || d.corrupt < 0 || len(found) == 0 && d == (damage{}) && len(data) > segmentHeader {
			t.Fatalf("%d bytes, no records, and %+v", len(data), d)
		}
		again, _ := segmentOf(6, found...)
		if got, d := payloads(again); len(got) != len(found) || d != (damage{}) {
			t.Fatalf("written again: got %d records and %+v, want %d", len(got), d, len(found))
		}
	})
}

// FuzzFolder: whatever a file in the folder of a process that ended holds, a spool starts, sends what
// can be sent, takes what is new, and leaves nothing behind.
func FuzzFolder(f *testing.F) {
	r, err := newRecord(others, transform(f.Context(), stubs("a", "b")))
	if err != nil {
		f.Fatal(err)
	}
	good, _ := segmentOf(5, string(r.data[recordHeader:]), "no protobuf")
	f.Add(good, "0000000000000001-other.segment")
	f.Add(good[:50], "0000000000000001-failed.segment")
	f.Add(good[8:], rewriting)
	f.Fuzz(func(t *testing.T, data []byte, name string) {
		dir := t.TempDir()
		path := filepath.Join(dir, "1-0123456789abcdef")
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if os.WriteFile(filepath.Join(path, filepath.Base(name)), data, 0o600) != nil {
			t.Skip("no name of a file")
		}
		d := new(destination)
		s, err := New(dir, d, quick(Options{}))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.ExportSpans(t.Context(), stubs("new")); err != nil {
			t.Error(err)
		}
		if err := s.Flush(t.Context()); err != nil {
			t.Error(err)
		}
		if !slices.Contains(d.names(), "new") {
			t.Errorf("taken: got %q", d.names())
		}
		shut(t, s)
		if got := s.Stats(); got.Spans != 0 || got.Bytes != 0 {
			t.Errorf("Stats: got %+v", got)
		}
	})
}
