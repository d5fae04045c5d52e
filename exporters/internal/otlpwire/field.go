// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package otlpwire

import "google.golang.org/protobuf/encoding/protowire"

// begin adds a message field whose length is not known yet, and says where its content
// begins.
func begin(b []byte, field protowire.Number) ([]byte, int) {
	b = append(protowire.AppendTag(b, field, protowire.BytesType), 0)
	return b, len(b)
}

// end writes the length of the message whose content begins at a place: in the byte that begin
// left for it if it is short, as most are, else the content moves.
func end(b []byte, at int) []byte {
	n := len(b) - at
	if n < 1<<7 {
		b[at-1] = byte(n)
		return b
	}
	more := protowire.SizeVarint(uint64(n)) - 1
	var room [9]byte
	b = append(b, room[:more]...)
	copy(b[at+more:], b[at:at+n])
	protowire.AppendVarint(b[:at-1], uint64(n))
	return b
}

// appendText adds a text that is not "".
func appendText(b []byte, field protowire.Number, s string) []byte {
	if s == "" {
		return b
	}
	return protowire.AppendString(protowire.AppendTag(b, field, protowire.BytesType), s)
}

func appendBytes(b []byte, field protowire.Number, p []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), p)
}

// appendNumber adds a number that is not 0.
func appendNumber(b []byte, field protowire.Number, n uint64) []byte {
	if n == 0 {
		return b
	}
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), n)
}
