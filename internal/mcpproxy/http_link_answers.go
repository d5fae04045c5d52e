// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"net"
	"net/http"
	"time"
)

// passAnswers passes on what the server sends until it closes, and closes the client's side as well.
func (l *link) passAnswers() {
	defer close(l.done)
	small := make([]byte, bodyBuffer)
	var large *[]byte // in the place of small while much comes
	for {
		b := small
		if large != nil {
			b = (*large)[:maxRead]
		}
		n, err := l.server.Read(b)
		at, within := time.Now(), l.answers.within(n)
		if n > 0 && !within && !l.answers.feed(b[:n], at) {
			l.lose(b[:n])
		}
		if n > 0 {
			if _, failed := l.client.Write(b[:n]); failed != nil {
				_ = l.client.Close()
				_ = l.server.Close()
				break
			}
		}
		if within {
			large = l.keep(b[:n], large, at)
		}
		l.w.tap.signal()
		if err != nil {
			break
		}
	}
	l.lastAnswer()
}

// keep gives the tap what was passed on within a body, and returns the buffer to read into next:
// a large one itself changes hands.
func (l *link) keep(b []byte, large *[]byte, at time.Time) *[]byte {
	l.answers.passed(len(b))
	switch {
	case large == nil:
		l.w.tap.put(l.answers.stream, at, b)
		if len(b) == bodyBuffer {
			return newBuffer()
		}
	case len(b) < bodyBuffer/2:
		l.w.tap.put(l.answers.stream, at, b)
		recycle(large)
		return nil
	default:
		*large = b
		return l.w.tap.give(l.answers.stream, at, large)
	}
	return large
}

// answered takes note of the head of an answer: see [answers].
func (l *link) answered(a *answerHead) (body *stream, has, ok bool) {
	l.mu.Lock()
	if len(l.pending) == 0 {
		l.mu.Unlock()
		return nil, false, false
	}
	x := l.pending[0]
	l.mu.Unlock()
	body = l.httpProxy.answered(x, a.status, a.session, a.contentType, a.encoding)
	return body, x.method != http.MethodHead && a.status != http.StatusNoContent && a.status != http.StatusNotModified, true
}

// complete takes note of the end of an answer.
func (l *link) complete() {
	l.mu.Lock()
	x := l.pending[0]
	l.pending = append(l.pending[:0], l.pending[1:]...)
	l.less.Broadcast()
	l.mu.Unlock()
	l.sessions.over(x.session)
}

// lose gives up following the answers, which pass all the same.
func (l *link) lose(piece []byte) {
	l.mu.Lock()
	pending, blind := l.pending, l.blind
	l.pending, l.blind = nil, true
	l.less.Broadcast()
	l.mu.Unlock()
	if !blind {
		l.w.notes.add(note{kind: noteStrayOutput, text: string(piece[:min(len(piece), maxNoteText)])})
	}
	l.unanswered(pending)
}

// unanswered ends requests that nobody sees answered.
func (l *link) unanswered(pending []*httpExchange) {
	for _, x := range pending {
		if !x.streams { // else the answer may come in another stream
			l.httpProxy.ended(x, errUnanswered)
		}
		l.sessions.over(x.session)
	}
	l.w.tap.signal()
}

// lastAnswer takes note of the end of the server's side.
func (l *link) lastAnswer() {
	l.answers.close(time.Now())
	l.mu.Lock()
	pending, handing := l.pending, l.handing
	l.pending, l.blind = nil, true
	l.less.Broadcast()
	l.mu.Unlock()
	l.unanswered(pending)
	if handing {
		return
	}
	if half, ok := l.client.(*net.TCPConn); !ok || half.CloseWrite() != nil {
		_ = l.client.Close()
	}
	_ = l.client.SetReadDeadline(time.Now().Add(lingerTime)) // for the client to close its own
}

// handOver gives the client's connection to net/http, with what came and was not sent on, once all
// requests before are answered.
func (l *link) handOver() {
	l.mu.Lock()
	for len(l.pending) > 0 && !l.blind {
		l.less.Wait()
	}
	blind := l.blind
	l.handing = !blind
	l.mu.Unlock()
	if l.server != nil {
		_ = l.server.Close()
		<-l.done
	}
	if blind {
		_ = l.client.Close()
		return
	}
	_ = l.client.SetReadDeadline(time.Time{})
	l.give(&unread{Conn: l.client, rest: l.buffer[l.from:l.to]})
}

// unread is a connection of which something was read already.
type unread struct {
	net.Conn
	rest []byte
}

func (u *unread) Read(b []byte) (int, error) {
	if len(u.rest) == 0 {
		return u.Conn.Read(b)
	}
	n := copy(b, u.rest)
	u.rest = u.rest[n:]
	return n, nil
}
