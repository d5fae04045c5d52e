// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"net"
	"net/http"
	"sync"
	"time"
)

// A link is a connection of a client and one to the server that belongs to it. Bytes pass in both
// directions as they come, but for the name of the server in each request, so that all that
// HTTP/1.1 has is as without a proxy: order and case of headers, chunks, trailers, preliminary
// answers, answers that come before the request is complete, and the end of either connection. A
// goroutine for each direction follows where requests and answers begin.
//
// What needs more than to be passed on goes to net/http, with the connection, for good: see
// [link.handOver].
type link struct {
	*front
	client net.Conn
	server net.Conn // nil until there is a request

	buffer []byte // what came of the client, from..to not yet sent on
	from   int
	to     int
	out    []byte

	ended bool // there is nothing more to pass on

	answers  answers
	complete int           // how many of pending have an answer that was read, and is not yet written
	done     chan struct{} // closed when nothing more comes from the server

	mu      sync.Mutex
	less    sync.Cond       // pending has become shorter, or nothing is followed any more
	pending []*httpExchange // requests that were sent on and whose answers are not written, oldest first
	waiting bool            // for less, while what the client sends is read; until wake
	blind   bool            // answers are not followed any more
	last    bool            // nothing more comes from the server
	handing bool            // the client's connection is to be net/http's
	given   bool            // it is
}

// The bounds of a link.
const (
	maxPending  = 64               // requests without an answer
	firstBuffer = 4 << 10          // bytes
	bodyBuffer  = 32 << 10         // bytes
	headTime    = 5 * time.Second  // for a client's first head, and for the rest of one that has begun
	dialTime    = 30 * time.Second // to reach the server
	lingerTime  = time.Second      // for the last bytes of a connection that ends
	stuckTime   = 30 * time.Second // for a client to read what came of a server that is gone
)

func (f *front) newLink(client net.Conn) *link {
	l := &link{front: f, client: client}
	l.less.L = &l.mu
	l.answers = answers{tap: f.w.tap, begin: l.answered, end: l.completed}
	return l
}

// run passes on until one end closes. One that is idle closes when the server closes its end: how long
// connections are kept is the server's to say.
func (l *link) run() {
	defer l.forget(l)
	l.readBy(time.Now().Add(headTime))
	for l.request() {
		continue
	}
}

// request passes on a request; false if that was the connection's end, or this link's.
func (l *link) request() bool {
	end := l.readHead()
	if end == 0 {
		return false
	}
	q, ok := parseRequest(l.buffer[l.from : l.from+end])
	if !ok || !l.straight(&q) || !l.dial() {
		l.handOver()
		return false
	}
	if err := l.await(maxPending - 1); err != nil {
		l.clientEnded(err)
		return false
	}
	n := int(min(int64(l.to-l.from-end), q.length))
	head, rest := l.buffer[l.from:l.from+end], l.buffer[l.from+end:l.from+end+n]
	l.out = append(l.out[:0], head[:q.hostFrom]...)
	l.out = append(l.out, l.host...)
	l.out = append(l.out, head[q.hostFrom+len(q.host):]...)
	l.out = append(l.out, rest...)
	l.from += end + n
	err := l.send(&q, rest)
	if err != nil {
		l.serverEnded()
	}
	return err == nil && !l.ended
}

// send sends out, which is a request and what came so far of its body, and the rest. The
// error is the server's.
func (l *link) send(q *requestHead, rest []byte) error {
	left := q.length - int64(len(rest))
	body := l.begin(q)
	l.copyBody(body, rest, left == 0)
	_, err := l.server.Write(l.out)
	for err == nil && left > 0 {
		_, gone := l.read(bodyBuffer)
		piece := l.buffer[l.from:l.to]
		piece = piece[:min(int64(len(piece)), left)]
		left -= int64(len(piece))
		l.from += len(piece)
		l.copyBody(body, piece, left == 0) // complete before anybody can answer it
		if _, err = l.server.Write(piece); err == nil && gone != nil {
			l.tornBody(body, left)
			l.clientEnded(gone)
			return nil
		}
	}
	l.tornBody(body, left)
	return err
}

// tornBody tells the tap that what is left of a request's body does not come.
func (l *link) tornBody(body *stream, left int64) {
	if body != nil && left > 0 {
		l.w.tap.finish(body, time.Now(), true)
	}
}

// copyBody gives the tap a copy of a part of a request's body.
func (l *link) copyBody(body *stream, data []byte, last bool) {
	if body == nil {
		return
	}
	if len(data) > 0 {
		l.w.tap.put(body, time.Now(), data)
	}
	if last {
		l.w.tap.end(body, time.Now())
	}
}

// readHead reads until a head is complete, and returns how long it is; 0 if none comes any more.
func (l *link) readHead() int {
	looked, slow := 0, false
	for {
		end := headEnd(l.buffer[l.from:l.to], looked)
		looked = l.to - l.from
		if end == 0 && looked >= maxHead { // net/http says so
			end = looked
		}
		if end > 0 {
			if slow {
				l.readBy(time.Time{})
			}
			return end
		}
		if looked > 0 && !slow && l.server != nil { // else what run set holds
			slow = true
			l.readBy(time.Now().Add(headTime))
		}
		_, err := l.read(firstBuffer)
		if isTimeout(err) && l.answering() { // the client may go on once it has read that
			l.readBy(time.Now().Add(headTime))
			continue
		}
		if err != nil {
			l.clientEnded(err)
			return 0
		}
	}
}

// read reads what the client sends, into a buffer that is made larger by least bytes where it has room
// for less than half of that.
func (l *link) read(least int) (n int, err error) {
	if l.from == l.to {
		l.from, l.to = 0, 0
	}
	if len(l.buffer)-l.to < least/2 {
		room := l.buffer
		if need := l.to - l.from + least; len(room) < need {
			room = make([]byte, max(need, 2*len(room)))
		}
		l.from, l.to = 0, copy(room, l.buffer[l.from:l.to])
		l.buffer = room
	}
	n, err = l.client.Read(l.buffer[l.to:])
	l.to += n
	return n, err
}

// dial connects to the server for the first request.
func (l *link) dial() bool {
	if l.server != nil {
		return true
	}
	server, err := l.dialer.DialContext(l.dialing, "tcp", l.address)
	if err != nil { // net/http answers for it
		return false
	}
	l.readBy(time.Time{})
	l.mu.Lock()
	l.server = server
	l.mu.Unlock()
	l.done = make(chan struct{})
	go l.passAnswers()
	return true
}

// begin notes a request, and gives the stream of its body; nil for one that is not looked at.
func (l *link) begin(q *requestHead) (body *stream) {
	if l.isBlind() {
		return nil
	}
	x := l.exchange(q.method, q.session, q.query) // may take a while
	if q.method == http.MethodPost && q.length > 0 && isJSON(q.contentType) {
		body = l.stream(x, fromClient, byEnd)
	}
	l.mu.Lock()
	blind := l.blind
	if !blind {
		l.pending = append(l.pending, x)
	}
	l.mu.Unlock()
	if blind {
		l.unanswered([]*httpExchange{x})
	}
	return body
}

// isBlind reports whether answers are not followed any more.
func (l *link) isBlind() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.blind
}
