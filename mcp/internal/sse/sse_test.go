// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package sse_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/mcp/internal/sse"
)

// cut is what a stream is cut into that comes in pieces of a length, and the data of each event that has some.
func cut(stream []byte, piece, most int) (all []byte, data []string) {
	e := sse.Events{Most: most}
	var long []byte
	for rest := range slices.Chunk(stream, piece) {
		e.Add(rest)
		for event, ok := e.Next(); ok; event, ok = e.Next() {
			all = append(all, event.Raw...)
			long = append(long, event.Data()...)
			if event.Ends && len(long) > 0 {
				data = append(data, string(long))
			}
			if event.Ends {
				long = nil
			}
		}
	}
	rest := e.Rest()
	return append(all, rest.Raw...), data
}

// FuzzEvents: however a stream of events comes, all of it is there, and the data is the same.
func FuzzEvents(f *testing.F) {
	for _, stream := range []string{"data: 1\n\ndata: 2\n\n", "data: 1\r\n\r\ndata: 2\r\r", "data:1\rdata:" +
		"2\n\r\n\n: x\n\n", "\xef\xbb\xbfdata: 1\n\ndata", ": a long comment\ndata: 123456789012345678901234567890\n\ndata: 2\n\n"} {
		f.Add([]byte(stream), uint8(1), uint8(0))
		f.Add([]byte(stream), uint8(3), uint8(9))
	}
	f.Fuzz(func(t *testing.T, stream []byte, piece, most uint8) {
		whole, want := cut(stream, len(stream)+1, 0)
		pieces, got := cut(stream, int(piece)+1, 0)
		if !bytes.Equal(whole, stream) || !bytes.Equal(pieces, stream) {
			t.Errorf("%q in pieces of %d: got %q and %q", stream, piece, whole, pieces)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q in pieces of %d: got %q, want %q", stream, piece, got, want)
		}
		pieces, got = cut(stream, int(piece)+1, int(most))
		if !bytes.Equal(pieces, stream) {
			t.Errorf("%q in pieces of %d, at most %d: got %q", stream, piece, most, pieces)
		}
		for i := range want { // a piece does not say whether it ended with a line
			want[i] = strings.ReplaceAll(want[i], "\n", "")
		}
		for i := range got {
			got[i] = strings.ReplaceAll(got[i], "\n", "")
		}
		want = slices.DeleteFunc(want, func(s string) bool { return s == "" })
		got = slices.DeleteFunc(got, func(s string) bool { return s == "" })
		if !slices.Equal(got, want) {
			t.Errorf("%q in pieces of %d, at most %d: got %q, want %q", stream, piece, most, got, want)
		}
	})
}

// A long event comes in pieces, and takes no more memory than that; the next one is whole.
func TestLongEvents(t *testing.T) {
	e := sse.Events{Most: 100}
	var sizes, long int
	for range 1000 {
		e.Add([]byte("data: " + strings.Repeat("x", 50) + "\n"))
		for event, ok := e.Next(); ok; event, ok = e.Next() {
			if sizes += len(event.Data()); !event.Long || event.Ends || len(event.Raw) > 200 {
				t.Fatalf("got %+v", event)
			}
			long++
		}
	}
	e.Add([]byte("\ndata: y\n\n"))
	if event, ok := e.Next(); !ok || !event.Long || event.Begins || !event.Ends {
		t.Errorf("got %+v, %v, want the long event's end", event, ok)
	}
	if event, ok := e.Next(); !ok || event.Long || !event.Begins || string(event.Data()) != "y" {
		t.Errorf("got %+v, %v, want a whole event", event, ok)
	}
	if long < 100 || sizes < 40_000 {
		t.Errorf("got %d pieces with %d bytes", long, sizes)
	}
}

// What follows missing bytes belongs to no event, up to the next empty line.
func TestLostBytes(t *testing.T) {
	var e sse.Events
	e.Add([]byte("data: 1\ndata: "))
	e.Lose()
	e.Add([]byte("2}\ndata: 3\n\ndata: 4\n\n"))
	if event, ok := e.Next(); !ok || event.Begins || !event.Ends {
		t.Errorf("got %+v, %v", event, ok)
	}
	if event, ok := e.Next(); !ok || !event.Begins || string(event.Data()) != "4" {
		t.Errorf("got %+v, %v", event, ok)
	}
}
