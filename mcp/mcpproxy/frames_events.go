// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import "bytes"

// events cuts a stream of server-sent events into them.
type events struct {
	held   []byte // what has not been cut
	line   int    // where its last line begins
	looked int    // how much of it was looked at
}

// next is the next event with the empty line that ends it, whichever of the three ends its lines have; nil if it is not
// complete.
func (e *events) next() []byte {
	for {
		i := bytes.IndexAny(e.held[e.looked:], "\r\n")
		if i < 0 {
			e.looked = len(e.held)
			return nil
		}
		end := e.looked + i
		next := end + 1
		if e.held[end] == '\r' && next < len(e.held) && e.held[next] == '\n' {
			next++
		}
		switch {
		case end == e.line: // it is empty. A newline that still comes ends an empty line of its own
			event := e.held[:next]
			e.held, e.line, e.looked = e.held[next:], 0, 0
			return event
		case e.held[end] == '\r' && next == len(e.held): // a newline may follow
			e.looked = end
			return nil
		}
		e.line, e.looked = next, next
	}
}

// takeRest is all that has not been cut.
func (e *events) takeRest() []byte {
	rest := e.held
	*e = events{}
	return rest
}

// byteOrderMark may stand before a stream's first event.
var byteOrderMark = []byte("\xef\xbb\xbf")

// eventData is an event's data; of several lines joined by newlines.
func eventData(event []byte) []byte {
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
