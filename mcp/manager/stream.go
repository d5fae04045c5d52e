// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"bytes"
	"errors"
	"io"

	"github.com/toolscope/toolscope/mcp/internal/sse"
)

// eventSlack is what an event has beside its message, in bytes.
const eventSlack = 4 << 10

// A document is a JSON body. One that is too large reads as the error that answers its
// request instead.
type document struct {
	from  io.Reader
	limit int
	text  *bytes.Reader // once it was read
	err   error
}

func (d *document) Read(p []byte) (int, error) {
	if d.text == nil {
		var text []byte
		text, d.err = d.load()
		d.text = bytes.NewReader(text)
	}
	if d.text.Len() == 0 && d.err != nil {
		return 0, d.err
	}
	return d.text.Read(p)
}

func (d *document) load() ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(d.from, int64(d.limit)+1))
	if err != nil || len(text) <= d.limit {
		return text, err
	}
	e := new(envelope)
	e.feed(text)
	text = nil
	part := make([]byte, 64<<10)
	for {
		n, err := d.from.Read(part)
		e.feed(part[:n])
		if errors.Is(err, io.EOF) {
			return e.instead(d.limit), nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// A stream is a body of server-sent events. Instead of one that is too large it has
// one with the error that answers the request, or none.
type stream struct {
	from   io.Reader
	limit  int
	events sse.Events
	chunk  []byte
	ready  []byte    // whole events, and comments, for the reader
	large  *envelope // of an event that is too large
	err    error
}

func newStream(from io.Reader, limit int) *stream {
	return &stream{from: from, limit: limit, events: sse.Events{Most: limit + eventSlack}, chunk: make([]byte, 64<<10)}
}

func (s *stream) Read(p []byte) (int, error) {
	for len(s.ready) == 0 {
		if event, ok := s.events.Next(); ok {
			s.takeEvent(&event)
			continue
		}
		if s.err != nil {
			return 0, s.err
		}
		s.more()
	}
	n := copy(p, s.ready)
	s.ready = s.ready[n:]
	return n, nil
}

// more reads what comes.
func (s *stream) more() {
	n, err := s.from.Read(s.chunk)
	s.events.Add(s.chunk[:n])
	if s.err = err; err == nil {
		return
	}
	for event, ok := s.events.Next(); ok; event, ok = s.events.Next() {
		s.takeEvent(&event)
	}
	if rest := s.events.Rest(); s.large == nil { // what was sent of an event in the end
		s.ready = append(s.ready, rest.Raw...)
	}
}

// takeEvent takes an event, or a piece of one that is too large.
func (s *stream) takeEvent(event *sse.Event) {
	if !event.Long {
		s.ready = append(s.ready, event.Raw...)
		return
	}
	if event.Begins {
		s.large = new(envelope)
	}
	s.large.feed(event.Data())
	if !event.Ends {
		return
	}
	if instead := s.large.instead(s.limit); instead != nil {
		s.ready = append(append(append(s.ready, "data: "...), instead...), "\n\n"...)
	}
	s.large = nil
}
