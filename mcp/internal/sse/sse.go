// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package sse

import "bytes"

// Events cuts a stream into its events. The zero value is ready, and keeps events of any length.
type Events struct {
	// Most is how long an event may be to come as a whole; a longer one comes in pieces. 0 is any length.
	Most int

	buffer []byte
	from   int    // where in it begins what has not been cut
	line   int    // where its last line begins; -1 if that was cut already
	looked int    // up to where it was looked at
	long   bool   // pieces of the event were cut
	within within // the line that was cut
}

// within says what a piece of an event begins within.
type within uint8

const (
	nothing within = iota
	dataLine
	otherLine
)

// An Event is one, or a piece of a long one. It holds until the next Add.
type Event struct {
	Raw          []byte // with the empty line at its end
	Begins, Ends bool   // it has the event's beginning, and its end
	Long         bool   // the event is longer than Most
	within       within
}

const dataField = "data:"

// byteOrderMark may stand before a stream's first event.
var byteOrderMark = []byte("\xef\xbb\xbf")

// minLine is how much of a line is cut at least, so that it says what the line is.
const minLine = 3 + len(dataField)

// maxSpare is how large an empty buffer may be to be kept, in bytes.
const maxSpare = 256 << 10

// Add adds what came of the stream.
func (e *Events) Add(data []byte) {
	if e.from > 0 {
		left := copy(e.buffer, e.buffer[e.from:])
		e.buffer = e.buffer[:left]
		e.line, e.looked = max(-1, e.line-e.from), e.looked-e.from
		e.from = 0
		if left == 0 && cap(e.buffer) > maxSpare {
			e.buffer = nil
		}
	}
	e.buffer = append(e.buffer, data...)
}

// Next is the next event; false if it is not complete. Each of the three ends of lines ends one.
func (e *Events) Next() (Event, bool) {
	for {
		i := lineEnd(e.buffer[e.looked:])
		if i < 0 {
			e.looked = len(e.buffer)
			return e.piece()
		}
		end := e.looked + i
		next := end + 1
		if e.buffer[end] == '\r' && next < len(e.buffer) && e.buffer[next] == '\n' {
			next++
		}
		switch {
		case end == e.line: // it is empty. A newline that still comes ends an empty line of its own
			return e.cut(next, true), true
		case e.buffer[end] == '\r' && next == len(e.buffer): // a newline may follow
			e.looked = end
			return e.piece()
		}
		e.line, e.looked = next, next
	}
}

// piece is a piece of an event that is long already; false for another one.
func (e *Events) piece() (Event, bool) {
	if e.Most == 0 || len(e.buffer)-e.from <= e.Most {
		return Event{}, false
	}
	end := e.looked
	if e.line >= 0 && end-e.line < minLine {
		end = e.line
	}
	if end <= e.from {
		return Event{}, false
	}
	return e.cut(end, false), true
}

// cut cuts an event, or a piece of it.
func (e *Events) cut(end int, ends bool) Event {
	event := Event{
		Raw: e.buffer[e.from:end:end], Begins: !e.long, Ends: ends, within: e.within,
		Long: e.long || !ends || e.Most > 0 && end-e.from > e.Most,
	}
	e.long = !ends
	switch {
	case ends, e.line == end:
		e.within, e.line = nothing, end
	case e.line >= 0:
		e.within = otherLine
		if bytes.HasPrefix(bytes.TrimPrefix(e.buffer[e.line:end], byteOrderMark), []byte(dataField)) {
			e.within = dataLine
		}
		e.line = -1
	}
	e.from, e.looked = end, max(e.looked, end)
	return event
}

// Lose records that bytes of the stream are missing. What follows up to the end of an event is the end of a long one.
func (e *Events) Lose() {
	*e = Events{Most: e.Most, line: -1, long: true, within: otherLine}
}

// Rest is what has not been cut, a piece of an event whose end has not come.
func (e *Events) Rest() Event {
	return e.cut(len(e.buffer), false)
}

// Data is the event's data; of several lines joined by newlines. That of one line is part of Raw.
func (e *Event) Data() []byte {
	rest, in := e.Raw, e.within
	if e.Begins {
		rest = bytes.TrimPrefix(rest, byteOrderMark)
	}
	var data []byte
	some := false
	for len(rest) > 0 {
		line := rest
		if i := lineEnd(rest); i >= 0 {
			line, rest = rest[:i], rest[i+1:]
		} else {
			rest = nil
		}
		value, isData := line, in == dataLine
		if in == nothing {
			value, isData = bytes.CutPrefix(line, []byte(dataField))
			value = bytes.TrimPrefix(value, []byte{' '})
		}
		in = nothing
		switch {
		case !isData:
		case !some:
			data, some = value[:len(value):len(value)], true
		default:
			data = append(append(data, '\n'), value...)
		}
	}
	return data
}

// lineEnd is where the first line ends; -1 if it does not. It looks at some bytes at a time: either end may be far away.
func lineEnd(text []byte) int {
	const step = 4 << 10
	for at := 0; at < len(text); at += step {
		part := text[at:min(len(text), at+step)]
		if i := bytes.IndexByte(part, '\n'); i >= 0 {
			part = part[:i]
			if j := bytes.IndexByte(part, '\r'); j >= 0 {
				return at + j
			}
			return at + i
		}
		if j := bytes.IndexByte(part, '\r'); j >= 0 {
			return at + j
		}
	}
	return -1
}
