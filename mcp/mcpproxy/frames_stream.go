// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"bytes"
	"time"
)

// maxFrame is how long a frame may be to be looked at as a whole, in bytes; maxList is the same for a server's whose
// tools are accepted or pinned. Of a longer one a few members are found by a [skimmer].
const (
	maxFrame = 1 << 20
	maxList  = 8 << 20
)

// A frame is one message, or what stands in the place of one.
type frame struct {
	data []byte // without the newline; nil if it was too long. It is not kept.
	size int64
	at   time.Time // when its last byte passed
	skim *skimmer  // what was found in one that was too long
	torn bool      // its end never came
}

// framing cuts a stream into frames.
type framing uint8

const (
	byLine  framing = iota // one on each line
	byEvent                // the data of server-sent events
	byEnd                  // the whole is one
)

// A stream is what one side sends, cut into frames that onFrame is called with. All but gap
// belongs to the goroutine that looks.
type stream struct {
	framing framing
	onFrame func(f frame)
	onLoss  func()             // a frame was lost, since bytes were dropped; nil works
	onEnd   func(at time.Time) // the stream came to its end; nil works
	gap     bool               // bytes were dropped; the tap's, under its lock
	torn    bool               // it ended before all of it came
	most    int                // how long a frame may be to be kept; 0 is maxFrame

	skipping bool // up to the frame's end: its beginning was lost
	partial  []byte
	size     int64
	skim     *skimmer
	event    []byte // the data of the event so far
	closed   bool
}

// feed reads on.
func (s *stream) feed(data []byte, at time.Time, gap bool) {
	if gap {
		s.drop()
	}
	if s.framing == byEnd {
		s.keep(data)
		return
	}
	for {
		end := bytes.IndexByte(data, '\n')
		if end < 0 {
			s.keep(data)
			return
		}
		s.line(data[:end], at)
		data = data[end+1:]
	}
}

// keep keeps the beginning of a frame.
func (s *stream) keep(data []byte) {
	if s.skipping || len(data) == 0 {
		return
	}
	s.size += int64(len(data))
	switch {
	case s.skim != nil:
		s.skim.feed(data)
	case len(s.partial)+len(data) <= s.kept():
		s.partial = append(s.partial, data...)
	default:
		s.skim = newSkimmer()
		s.skim.feed(s.partial)
		s.skim.feed(data)
		s.partial = nil
	}
}

// kept is how long a frame may be to be kept.
func (s *stream) kept() int { return max(s.most, maxFrame) }

// line ends a line with its last bytes.
func (s *stream) line(last []byte, at time.Time) {
	switch {
	case s.skipping:
		s.skipping = false
	case s.size == 0 && len(last) <= s.kept():
		s.whole(frame{data: last, size: int64(len(last)), at: at})
	default:
		s.keep(last)
		s.whole(s.held(at))
	}
	s.forget()
}

// held is the frame that was kept.
func (s *stream) held(at time.Time) frame {
	f := frame{data: s.partial, size: s.size, at: at, skim: s.skim}
	if s.skim != nil {
		s.skim.feed([]byte{'\n'}) // a number at the very end
	}
	return f
}

// forget makes room for the next frame; a large buffer is given back.
func (s *stream) forget() {
	if s.partial = s.partial[:0]; cap(s.partial) > 256<<10 {
		s.partial = nil
	}
	s.size, s.skim = 0, nil
}

// whole hands a frame on, or adds a line to the event.
func (s *stream) whole(f frame) {
	if s.framing == byEvent {
		s.eventLine(f)
		return
	}
	if f.skim == nil {
		f.data = bytes.TrimSuffix(f.data, []byte{'\r'})
	}
	s.onFrame(f)
}

// eventLine reads a line of server-sent events. The data of an event that is spread over
// several lines is joined by newlines, which are blanks in JSON.
func (s *stream) eventLine(f frame) {
	if f.skim != nil { // "data: " before the JSON does not trouble it
		s.onFrame(f)
		s.event = s.event[:0]
		return
	}
	line := bytes.TrimSuffix(f.data, []byte{'\r'})
	if len(line) == 0 {
		if len(s.event) > 0 {
			s.onFrame(frame{data: s.event, size: int64(len(s.event)), at: f.at})
		}
		s.event = s.event[:0]
		return
	}
	value, ok := bytes.CutPrefix(line, []byte("data:"))
	if !ok {
		return
	}
	if len(s.event)+len(value) > s.kept() {
		s.event = s.event[:0]
		s.frameLost()
		return
	}
	if len(s.event) > 0 {
		s.event = append(s.event, '\n')
	}
	s.event = append(s.event, bytes.TrimPrefix(value, []byte{' '})...)
}

// drop forgets the frame that bytes were dropped of.
func (s *stream) drop() {
	s.skipping = s.framing != byEnd
	s.event = s.event[:0]
	s.forget()
	s.frameLost()
}

func (s *stream) frameLost() {
	if s.onLoss != nil {
		s.onLoss()
	}
}

// finish ends the stream. What has no end yet is a frame that was torn, but where the whole
// is one.
func (s *stream) finish(at time.Time, gap bool) {
	if s.closed {
		return
	}
	s.closed = true
	if gap {
		s.drop()
	}
	if s.size > 0 {
		f := s.held(at)
		f.torn = s.framing != byEnd || s.torn
		if s.framing == byEvent {
			f = frame{data: s.event, size: int64(len(s.event)), at: at, torn: true}
		}
		if f.size > 0 {
			s.onFrame(f)
		}
	}
	s.forget()
	s.event = nil
	if s.onEnd != nil {
		s.onEnd(at)
	}
}
