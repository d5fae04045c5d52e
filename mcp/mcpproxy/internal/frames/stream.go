// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package frames

import (
	"bytes"
	"time"

	"github.com/toolscope/toolscope/mcp/internal/skim"
	"github.com/toolscope/toolscope/mcp/internal/sse"
)

// MaxFrame is how long a frame may be to be looked at as a whole, in bytes; maxList is the same for a server's whose
// tools are accepted or pinned. Of a longer one a few members are found by a [skimmer].
const (
	MaxFrame = 1 << 20
	MaxList  = 8 << 20
)

// A Frame is one message, or what stands in the place of one.
type Frame struct {
	Data []byte // without the newline; nil if it was too long. It is not kept.
	Size int64
	At   time.Time     // when its last byte passed
	Skim *skim.Skimmer // what was found in one that was too long
	Torn bool          // its end never came
}

// Framing cuts a stream into frames.
type Framing uint8

const (
	ByLine  Framing = iota // one on each line
	ByEvent                // the data of server-sent events
	ByEnd                  // the whole is one
)

// A Stream is what one side sends, cut into frames that onFrame is called with. All but gap
// belongs to the goroutine that looks.
type Stream struct {
	Framing Framing
	OnFrame func(f Frame)
	OnLoss  func()             // a frame was lost, since bytes were dropped; nil works
	OnEnd   func(at time.Time) // the stream came to its end; nil works
	gap     bool               // bytes were dropped; the tap's, under its lock
	Torn    bool               // it ended before all of it came
	Most    int                // how long a frame may be to be kept; 0 is maxFrame

	skipping bool // up to the frame's end: its beginning was lost
	partial  []byte
	size     int64
	skim     *skim.Skimmer
	events   sse.Events
	closed   bool
}

// feed reads on.
func (s *Stream) feed(data []byte, at time.Time, gap bool) {
	if gap {
		s.drop()
	}
	switch s.Framing {
	case ByEnd:
		s.keep(data)
		return
	case ByEvent:
		s.feedEvents(data, at)
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
func (s *Stream) keep(data []byte) {
	if s.skipping || len(data) == 0 {
		return
	}
	s.size += int64(len(data))
	switch {
	case s.skim != nil:
		s.skim.Feed(data)
	case len(s.partial)+len(data) <= s.kept():
		s.partial = append(s.partial, data...)
	default:
		s.skim = new(skim.Skimmer)
		s.skim.Feed(s.partial)
		s.skim.Feed(data)
		s.partial = nil
	}
}

// kept is how long a frame may be to be kept.
func (s *Stream) kept() int { return max(s.Most, MaxFrame) }

// line ends a line with its last bytes.
func (s *Stream) line(last []byte, at time.Time) {
	switch {
	case s.skipping:
		s.skipping = false
	case s.size == 0 && len(last) <= s.kept():
		s.whole(Frame{Data: last, Size: int64(len(last)), At: at})
	default:
		s.keep(last)
		s.whole(s.held(at))
	}
	s.forget()
}

// held is the frame that was kept.
func (s *Stream) held(at time.Time) Frame {
	f := Frame{Data: s.partial, Size: s.size, At: at, Skim: s.skim}
	if s.skim != nil {
		s.skim.Feed([]byte{'\n'}) // a number at the very end
	}
	return f
}

// forget makes room for the next frame; a large buffer is given back.
func (s *Stream) forget() {
	if s.partial = s.partial[:0]; cap(s.partial) > 256<<10 {
		s.partial = nil
	}
	s.size, s.skim = 0, nil
}

// whole hands a frame on.
func (s *Stream) whole(f Frame) {
	if f.Skim == nil {
		f.Data = bytes.TrimSuffix(f.Data, []byte{'\r'})
	}
	s.OnFrame(f)
}

// eventSlack is how much an event may have besides its data, in bytes, to be kept.
const eventSlack = 4 << 10

// feedEvents reads on in a stream of events.
func (s *Stream) feedEvents(data []byte, at time.Time) {
	s.events.Most = s.kept() + eventSlack
	s.events.Add(data)
	for event, ok := s.events.Next(); ok; event, ok = s.events.Next() {
		s.event(&event, at)
	}
}

// event hands on an event's data; that of a long event is inspected piece by piece.
func (s *Stream) event(event *sse.Event, at time.Time) {
	data := event.Data()
	switch {
	case !event.Long && len(data) <= s.kept():
		if len(data) > 0 {
			s.OnFrame(Frame{Data: data, Size: int64(len(data)), At: at})
		}
		return
	case event.Begins:
		s.skim = new(skim.Skimmer)
	case s.skim == nil: // the end of an event whose beginning was lost
		return
	}
	s.size += int64(len(data))
	s.skim.Feed(data)
	if event.Ends {
		s.OnFrame(s.held(at))
		s.forget()
	}
}

// drop forgets the frame that bytes were dropped of.
func (s *Stream) drop() {
	s.skipping = s.Framing == ByLine
	s.events.Lose()
	s.forget()
	s.frameLost()
}

func (s *Stream) frameLost() {
	if s.OnLoss != nil {
		s.OnLoss()
	}
}

// finish ends the stream. What has no end yet is a frame that was torn, but where the whole
// is one.
func (s *Stream) finish(at time.Time, gap bool) {
	if s.closed {
		return
	}
	s.closed = true
	if gap {
		s.drop()
	}
	switch rest := s.events.Rest(); {
	case s.Framing != ByEvent && s.size > 0:
		f := s.held(at)
		f.Torn = s.Framing != ByEnd || s.Torn
		s.OnFrame(f)
	case s.skim != nil:
		s.OnFrame(Frame{Size: s.size, At: at, Skim: s.skim, Torn: true})
	case rest.Begins && len(rest.Data()) > 0:
		s.OnFrame(Frame{Data: rest.Data(), Size: int64(len(rest.Data())), At: at, Torn: true})
	}
	s.forget()
	s.events = sse.Events{}
	if s.OnEnd != nil {
		s.OnEnd(at)
	}
}
