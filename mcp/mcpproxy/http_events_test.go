// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"bytes"
	"slices"
	"testing"

	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/frames"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/mirror"
)

// cut is what a stream is cut into that comes in pieces of a length, and the data of each event that has some.
func cut(stream []byte, piece int) (all []byte, data []string) {
	var e frames.Events
	for rest := range slices.Chunk(stream, piece) {
		e.Held = append(e.Held, rest...)
		for event := e.Next(); event != nil; event = e.Next() {
			all = append(all, event...)
			if d := frames.EventData(event); len(d) > 0 {
				data = append(data, string(d))
			}
		}
	}
	return append(all, e.TakeRest()...), data
}

// FuzzEvents: however a stream of events comes, all of it is there, and the data is the same.
func FuzzEvents(f *testing.F) {
	for _, stream := range []string{"data: 1\n\ndata: 2\n\n", "data: 1\r\n\r\ndata: 2\r\r", "data:1\rdata:" +
		"2\n\r\n\n: x\n\n", "\xef\xbb\xbfdata: 1\n\ndata"} {
		f.Add([]byte(stream), uint8(1))
	}
	f.Fuzz(func(t *testing.T, stream []byte, piece uint8) {
		whole, want := cut(stream, len(stream)+1)
		pieces, got := cut(stream, int(piece)+1)
		if !bytes.Equal(whole, stream) || !bytes.Equal(pieces, stream) {
			t.Errorf("%q in pieces of %d: got %q and %q", stream, piece, whole, pieces)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q in pieces of %d: got %q, want %q", stream, piece, got, want)
		}
	})
}

// FuzzEncoded: what a header repeats is read as it was, and stands in letters that headers have.
func FuzzEncoded(f *testing.F) {
	for _, text := range []string{"", "a", " a", "é", "=?base64?", "=?base64?YQ==?=", "a\x00"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		value := mirror.Encoded(text)
		if !mirror.DecodesTo(value, text) || mirror.DecodesTo(value, text+"x") ||
			bytes.ContainsFunc([]byte(value), mirror.UnsafeInHeader) {
			t.Errorf("%q: got %q", text, value)
		}
	})
}
