// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package frames

import "bytes"

// Events cuts a stream of server-sent events into them.
type Events struct {
	Held   []byte // what has not been cut
	line   int    // where its last line begins
	looked int    // how much of it was looked at
}

// Next is the next event with the empty line that ends it, whichever of the three ends its lines have; nil if it is not
// complete.
func (e *Events) Next() []byte {
	for {
		i := bytes.IndexAny(e.Held[e.looked:], "\r\n")
		if i < 0 {
			e.looked = len(e.Held)
			return nil
		}
		end := e.looked + i
		next := end + 1
		if e.Held[end] == '\r' && next < len(e.Held) && e.Held[next] == '\n' {
			next++
		}
		switch {
		case end == e.line: // it is empty. A newline that still comes ends an empty line of its own
			event := e.Held[:next]
			e.Held, e.line, e.looked = e.Held[next:], 0, 0
			return event
		case e.Held[end] == '\r' && next == len(e.Held): // a newline may follow
			e.looked = end
			return nil
		}
		e.line, e.looked = next, next
	}
}

// TakeRest is all that has not been cut.
func (e *Events) TakeRest() []byte {
	rest := e.Held
	*e = Events{}
	return rest
}

// byteOrderMark may stand before a stream's first event.
var byteOrderMark = []byte("\xef\xbb\xbf")

// EventData is an event's data; of several lines joined by newlines.
func EventData(event []byte) []byte {
	event = bytes.TrimPrefix(event, byteOrderMark)
	var data [][]byte
	for len(event) > 0 {
		line := event
		if i := bytes.IndexAny(event, "\r\n"); i >= 0 {
			line, event = event[:i], event[i+1:]
		} else {
			event = nil
		}
		if value, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			data = append(data, bytes.TrimPrefix(value, []byte{' '}))
		}
	}
	return bytes.Join(data, []byte{'\n'})
}
