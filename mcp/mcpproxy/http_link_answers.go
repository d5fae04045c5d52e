// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"net/http"
	"slices"
	"time"
)

// passAnswers passes on what the server sends until it closes, and closes the client's side as well.
func (l *link) passAnswers() {
	defer close(l.done)
	small := make([]byte, bodyBuffer)
	var large *buffer // in the place of small while much comes
	for {
		b := small
		if large != nil {
			b = large.room()
		}
		n, err := l.server.Read(b)
		at, within := time.Now(), l.answers.within(n)
		if n > 0 && !within && !l.answers.feed(b[:n], at) {
			l.lose()
		}
		if n > 0 {
			if _, failed := l.client.Write(b[:n]); failed != nil {
				_ = l.client.Close()
				_ = l.server.Close()
				break
			}
			l.written()
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
func (l *link) keep(b []byte, large *buffer, at time.Time) *buffer {
	l.answers.passed(len(b))
	switch {
	case large == nil:
		l.w.tap.put(l.answers.stream, at, b)
		if len(b) == bodyBuffer {
			return newBuffer(wideRead)
		}
	case len(b) < bodyBuffer/2:
		l.w.tap.put(l.answers.stream, at, b)
		large.release()
		return nil
	default:
		large.data = b
		return l.w.tap.give(l.answers.stream, at, large, wideRead)
	}
	return large
}

// answered takes note of the head of an answer: see [answers].
func (l *link) answered(a *answerHead) (body *stream, has, ok bool) {
	x := l.next()
	if x == nil {
		return nil, false, false
	}
	body = l.httpProxy.answered(x, a.status, a.session, a.contentType, a.encoding)
	return body, x.method != http.MethodHead && a.status != http.StatusNoContent && a.status != http.StatusNotModified, true
}

// next is the oldest exchange without a complete answer, nil for none.
func (l *link) next() *httpExchange {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.complete >= len(l.pending) {
		return nil
	}
	return l.pending[l.complete]
}

// completed takes note that an answer has been read, before anybody can know of it.
func (l *link) completed() {
	l.over(l.next())
	l.complete++
}

// written takes note that the client has been sent all that was read.
func (l *link) written() {
	if l.complete == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pending = slices.Delete(l.pending, 0, l.complete)
	l.complete = 0
	l.wake()
}

// giveUp follows no answers any more, and returns the requests that have none.
func (l *link) giveUp() (pending []*httpExchange) {
	pending = l.pending[l.complete:]
	l.pending, l.complete, l.blind = nil, 0, true
	l.wake()
	return pending
}

// lose gives up following the answers, which pass all the same. Of what they are nothing is told: it may be
// of a head.
func (l *link) lose() {
	l.mu.Lock()
	blind := l.blind
	pending := l.giveUp()
	l.mu.Unlock()
	if !blind {
		l.w.notes.add(note{kind: noteStrayOutput, text: "an answer of HTTP that cannot be followed"})
	}
	l.unanswered(pending)
}

// unanswered ends requests that nobody sees answered.
func (l *link) unanswered(pending []*httpExchange) {
	for _, x := range pending {
		if !x.streams { // else the answer may come in another stream
			l.httpProxy.ended(x, errUnanswered)
		}
		l.over(x)
	}
	l.w.tap.signal()
}

// lastAnswer takes note of the end of the server's side.
func (l *link) lastAnswer() {
	l.answers.close(time.Now())
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unanswered(l.giveUp())
	l.last = true
	if l.handing {
		return
	}
	if !closeWrite(l.client) {
		_ = l.client.Close()
	}
	_ = l.client.SetReadDeadline(time.Now().Add(lingerTime)) // for the client to close its own
}
