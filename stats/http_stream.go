// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"bytes"
	"net/http"
	"time"
)

// stream sends an event with the summary of a window whenever it has changed, until
// the client goes, does not take what is sent, or has been served for long enough. An
// event holds the whole state, so that a client which missed some has lost nothing.
func (h *handler) stream(w http.ResponseWriter, r *request) {
	window := r.query.window(recently)
	if r.query.problem != nil {
		r.query.problem.write(w)
		return
	}
	select {
	case h.streams <- struct{}{}:
		defer func() { <-h.streams }()
	default:
		(&problem{Status: http.StatusServiceUnavailable, Detail: "as many streams are open as may be; try again later, or ask /api/v1/summary"}).write(w)
		return
	}
	header := w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Accel-Buffering", "no") // else a proxy keeps events back
	if r.Method == http.MethodHead {
		return
	}
	s := &stream{control: http.NewResponseController(w), to: w}
	defer s.done()
	if !s.send([]byte("retry: 3000\n\n")) {
		return
	}
	h.feed(s, r, window)
}

// feed sends the events.
func (h *handler) feed(s *stream, r *request, window Window) {
	tick := time.NewTicker(h.config.Refresh)
	defer tick.Stop()
	end := time.NewTimer(streamTime)
	defer end.Stop()
	tag, quiet := "", time.Duration(0)
	for {
		r.now = h.recorder.config.now()
		if now := h.stateTag(r); now != tag {
			event, p := h.event(r, window)
			if p == nil {
				tag, quiet = now, 0
				if !s.send(event) {
					return
				}
			}
		} else if quiet += h.config.Refresh; quiet >= silenceTime {
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
		if h.closed() {
			return
		}
	}
}

// event is a summary as an event. Its JSON is one line, with no line end but the last.
func (h *handler) event(r *request, window Window) ([]byte, *problem) {
	return h.compute(&resource{body: func(h *handler, _ *request) ([]byte, *problem) {
		data, err := encodeJSON(h.overview(window), "")
		if err != nil {
			return nil, &problem{Status: http.StatusInternalServerError}
		}
		return bytes.Join([][]byte{[]byte("event: summary\ndata: "), data, []byte("\n")}, nil), nil
	}}, r)
}

// stream is a client of a stream.
type stream struct {
	control *http.ResponseController
	to      http.ResponseWriter
}

// send reports whether the client took what was sent in time.
func (s *stream) send(b []byte) bool {
	// A writer that knows no deadlines is bounded by whoever made it.
	_ = s.control.SetWriteDeadline(time.Now().Add(eventTime))
	if _, err := s.to.Write(b); err != nil {
		return false
	}
	return s.control.Flush() == nil
}

// done removes the deadline, as the connection may serve others.
func (s *stream) done() { _ = s.control.SetWriteDeadline(time.Time{}) }

// closed reports whether the recorder was closed: then nothing more is to be told,
// and a server that shuts down waits for its streams.
func (h *handler) closed() bool {
	h.recorder.sealing.Lock()
	defer h.recorder.sealing.Unlock()
	return h.recorder.closed
}
