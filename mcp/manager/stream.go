// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"bufio"
	"bytes"
	"errors"
	"io"
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
	from  *bufio.Reader
	limit int
	ready []byte    // whole events, and comments, for the reader
	event []byte    // the one that is being read
	large *envelope // of an event that is too large
	start bool      // the next piece begins a line
	data  bool      // the line is one of data
	err   error
}

func newStream(from io.Reader, limit int) *stream {
	return &stream{from: bufio.NewReaderSize(from, 64<<10), limit: limit, start: true}
}

func (s *stream) Read(p []byte) (int, error) {
	for len(s.ready) == 0 {
		if s.err != nil {
			return 0, s.err
		}
		s.more()
	}
	n := copy(p, s.ready)
	s.ready = s.ready[n:]
	return n, nil
}

// more reads a line, or a piece of a long one.
func (s *stream) more() {
	part, err := s.from.ReadSlice('\n')
	if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
		s.err = err
		if s.large == nil { // what was sent of an event in the end
			s.ready = append(s.event, part...)
		}
		s.event = nil
		return
	}
	blank := s.start && len(bytes.TrimRight(part, "\r\n")) == 0
	content := part
	if s.start {
		content, s.data = bytes.CutPrefix(part, []byte("data:"))
	}
	s.start = err == nil
	switch {
	case s.large != nil && blank:
		if instead := s.large.instead(s.limit); instead != nil {
			s.ready = append(append([]byte("data: "), instead...), "\n\n"...)
		}
		s.large = nil
	case s.large != nil:
		if s.data {
			s.large.feed(content)
		}
	case len(s.event)+len(part) > s.limit+eventSlack:
		s.grow(content)
	default:
		s.event = append(s.event, part...)
		if blank {
			s.ready, s.event = s.event, nil
		}
	}
}

// grow begins to pass over an event: what was kept of it goes into the envelope.
func (s *stream) grow(content []byte) {
	s.large = new(envelope)
	for line := range bytes.SplitAfterSeq(s.event, []byte("\n")) {
		if text, isData := bytes.CutPrefix(line, []byte("data:")); isData {
			s.large.feed(text)
		}
	}
	s.event = nil
	if s.data {
		s.large.feed(content)
	}
}
