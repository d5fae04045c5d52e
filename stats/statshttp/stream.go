// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package statshttp

import (
	"bytes"
	"net/http"
	"time"

	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/stats/statshttp/internal/answer"
	"github.com/toolscope/toolscope/stats/statshttp/internal/api"
)

// The bounds of live streams.
const (
	maxStreams  = 32               // open at the same time
	eventTime   = 5 * time.Second  // for a client to read an event
	streamTime  = 15 * time.Minute // of one stream; clients reconnect by themselves
	silenceTime = 15 * time.Second // without an event, then a comment keeps the connection alive
)

// stream sends an event with the summary of a window whenever it has changed, until the client disconnects, does not read
// what is sent, or the stream has been open for streamTime. An event has the whole state, so that a client that missed
// events has lost nothing.
func (h *handler) stream(w http.ResponseWriter, r *api.Request) {
	select {
	case h.streams <- struct{}{}:
		defer func() { <-h.streams }()
	default:
		(&answer.Problem{Status: http.StatusServiceUnavailable,
			Detail: "as many streams are open as may be; try again later, or ask /api/v1/summary"}).Write(w)
		return
	}
	header := w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Accel-Buffering", "no") // or a proxy would buffer events
	if r.Method == http.MethodHead {
		return
	}
	s := &stream{control: http.NewResponseController(w), to: w}
	defer s.done()
	if !s.send([]byte("retry: 3000\n\n")) {
		return
	}
	h.feed(s, r)
}

// feed sends the events.
func (h *handler) feed(s *stream, r *api.Request) {
	tick := time.NewTicker(h.options.Refresh)
	defer tick.Stop()
	end := time.NewTimer(streamTime)
	defer end.Stop()
	tag, quiet := "", time.Duration(0)
	for {
		r.Now = h.source.Recorder.Now()
		if now := h.stateTag(r); now != tag {
			event, p := h.event(r)
			if p == nil {
				tag, quiet = now, 0
				if !s.send(event) {
					return
				}
			}
		} else if quiet += h.options.Refresh; quiet >= silenceTime {
			quiet = 0
			if !s.send([]byte(": nothing new\n\n")) {
				return
			}
		}
		select {
		case <-tick.C:
		case <-end.C:
			return
		case <-r.Context().Done():
			return
		}
		if h.source.Recorder.Closed() { // a server that shuts down waits for its streams
			return
		}
	}
}

// event is a summary as an event. Its JSON is one line, with no line end but the last.
func (h *handler) event(r *api.Request) ([]byte, *answer.Problem) {
	return h.compute(r, func(h *handler, r *api.Request) ([]byte, *answer.Problem) {
		data, err := display.EncodeJSON(h.source.Overview(r.Window), "")
		if err != nil {
			return nil, answer.Internal("")
		}
		return bytes.Join([][]byte{[]byte("event: summary\ndata: "), data, []byte("\n")}, nil), nil
	})
}

// stream is a client of a stream.
type stream struct {
	control *http.ResponseController
	to      http.ResponseWriter
}

// send reports whether the client read what was sent in time.
func (s *stream) send(b []byte) bool {
	// A writer without deadlines has none.
	_ = s.control.SetWriteDeadline(time.Now().Add(eventTime))
	if _, err := s.to.Write(b); err != nil {
		return false
	}
	return s.control.Flush() == nil
}

// done removes the deadline, as the connection may serve others.
func (s *stream) done() { _ = s.control.SetWriteDeadline(time.Time{}) }
