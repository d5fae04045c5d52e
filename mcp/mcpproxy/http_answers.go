// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"bytes"
	"slices"
	"strconv"
	"time"
)

// answers follows the bytes that a server sends over a connection: where the answers begin and end,
// and what their bodies are. It changes none. What it cannot follow passes all the same, with all that
// comes behind it: an answer that nobody asked for, another protocol, a Transfer-Encoding other than
// chunked, lengths that differ, and heads that parseAnswer does not read.
type answers struct {
	tap *tap
	// begin is given each head that is not a preliminary one, and returns the stream to give the
	// body to, nil for none, and whether there is a body. ok is false if nobody asked.
	begin func(a *answerHead) (body *stream, has, ok bool)
	end   func() // an answer is complete

	part   answerPart
	held   []byte // of a head or a line whose end has not come
	left   int64  // bytes of the body, or of its chunk
	stream *stream
}

// answerPart is where in an answer the next byte stands.
type answerPart uint8

const (
	inHead    answerPart = iota
	inBody               // of a known length
	inSize               // the line before a chunk
	inChunk              // a chunk's data
	inChunkCR            // the line end behind a chunk
	inTrailer            // behind the last chunk
	inRest               // a body that ends with the connection
	inUnknown            // what cannot be followed
)

// maxSizeLine is how long a line before a chunk, or a trailer's, may be, in bytes.
const maxSizeLine = 16 << 10

// within reports whether the next n bytes are all of a body, and not its last ones.
func (a *answers) within(n int) bool {
	return a.stream != nil && (a.part == inRest || (a.part == inBody || a.part == inChunk) && int64(n) < a.left)
}

// passed takes note of n bytes that are within a body.
func (a *answers) passed(n int) {
	if a.part != inRest {
		a.left -= int64(n)
	}
}

// feed reads on. It is false once what comes cannot be followed.
func (a *answers) feed(data []byte, at time.Time) bool {
	for len(data) > 0 && a.part != inUnknown {
		switch a.part {
		case inHead:
			data = a.head(data, at)
		case inBody, inChunk:
			n := int(min(int64(len(data)), a.left))
			a.body(data[:n], at)
			data = data[n:]
			if a.left -= int64(n); a.left > 0 {
				continue
			}
			if a.part == inBody {
				a.over(at)
			} else {
				a.part = inChunkCR
			}
		case inRest:
			a.body(data, at)
			data = nil
		default:
			data = a.line(data, at)
		}
	}
	return a.part != inUnknown
}

// hold adds to what is held up to the end of a line or a head, of which n bytes are data's; it
// returns all of it, nil if the end has not come.
func (a *answers) hold(data []byte, n, most int) []byte {
	whole := n > 0
	if !whole {
		n = len(data)
	}
	if len(a.held)+n > most {
		a.part = inUnknown
		return nil
	}
	if whole && len(a.held) == 0 {
		return data[:n]
	}
	a.held = append(a.held, data[:n]...)
	if !whole {
		return nil
	}
	all := a.held
	a.held = a.held[:0]
	return all
}

// head reads a head, or a part of one, and returns what follows.
func (a *answers) head(data []byte, at time.Time) []byte {
	if len(a.held) == 0 { // some end a body with a line end that it has not (RFC 9112, 2.2)
		if data = bytes.TrimLeft(data, "\r\n"); len(data) == 0 {
			return nil
		}
	}
	n := headEnd(data, 0)
	if before := min(3, len(a.held)); before > 0 { // its end may have begun there
		n = max(0, headEnd(slices.Concat(a.held[len(a.held)-before:], data), 0)-before)
	}
	text := a.hold(data, n, maxHead)
	if text == nil {
		return nil
	}
	data = data[n:]
	h, ok := parseAnswer(text)
	switch {
	case !ok || h.status == 101:
		a.part = inUnknown
		return nil
	case h.status < 200: // the answer is still to come
		return data
	}
	body, has, ok := a.begin(&h)
	if !ok {
		a.part = inUnknown
		return nil
	}
	a.stream = body
	switch {
	case !has || !h.chunked && h.length == 0:
		a.over(at)
	case h.chunked:
		a.part = inSize
	case h.length > 0:
		a.part, a.left = inBody, h.length
	default:
		a.part = inRest
	}
	return data
}

// line reads a line between a chunked body's data, or a part of one, and returns what follows.
func (a *answers) line(data []byte, at time.Time) []byte {
	n := bytes.IndexByte(data, '\n') + 1
	line := a.hold(data, n, maxSizeLine)
	if line == nil {
		return nil
	}
	data = data[n:]
	line = bytes.TrimRight(line, "\r\n")
	switch {
	case a.part == inChunkCR && len(line) == 0:
		a.part = inSize
	case a.part == inChunkCR:
		a.part = inUnknown
	case a.part == inTrailer && len(line) == 0:
		a.over(at)
	case a.part == inSize:
		digits, _, _ := bytes.Cut(line, []byte(";"))
		size, err := strconv.ParseUint(string(bytes.TrimSpace(digits)), 16, 63)
		switch {
		case err != nil:
			a.part = inUnknown
		case size == 0:
			a.part = inTrailer
		default:
			a.part, a.left = inChunk, int64(size)
		}
	}
	return data
}

// body gives the tap a copy.
func (a *answers) body(data []byte, at time.Time) {
	for len(data) > 0 && a.stream != nil {
		n := min(len(data), 2*smallBuffer)
		a.tap.put(a.stream, at, data[:n])
		data = data[n:]
	}
}

// over ends an answer.
func (a *answers) over(at time.Time) {
	a.endBody(at, false)
	a.part = inHead
	a.end()
}

func (a *answers) endBody(at time.Time, torn bool) {
	if a.stream != nil {
		a.tap.finish(a.stream, at, torn)
		a.stream = nil
	}
}

// close takes note of the connection's end.
func (a *answers) close(at time.Time) {
	if a.part == inRest {
		a.over(at)
	}
	a.endBody(at, true)
	a.part = inUnknown
}
