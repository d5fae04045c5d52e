// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"io"
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

	answers answers
	done    chan struct{} // closed when nothing more comes from the server

	mu      sync.Mutex
	less    sync.Cond       // pending has become shorter, or nothing is followed any more
	pending []*httpExchange // requests that were sent on and not answered, oldest first
	blind   bool            // answers are not followed any more
	handing bool            // the client's connection is somebody else's now
}

// The bounds of a link.
const (
	maxPending  = 64               // requests without an answer
	firstBuffer = 4 << 10          // bytes
	bodyBuffer  = 32 << 10         // bytes
	headTime    = 5 * time.Second  // for a client's first request to come
	dialTime    = 30 * time.Second // to reach the server
	lingerTime  = time.Second      // for the last bytes of a connection that ends
)

// run passes on until one end closes.
func (l *link) run() {
	defer l.forget(l)
	_ = l.client.SetReadDeadline(time.Now().Add(headTime))
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
	whole := len(rest) == int(q.length)
	body := l.begin(q)
	l.copyBody(body, rest, whole)
	_, err := l.server.Write(l.out)
	if whole || err != nil {
		return err
	}
	return l.passBody(body, q.length-int64(len(rest)))
}

// passBody passes on the rest of a request's body. The error is the server's.
func (l *link) passBody(body *stream, left int64) error {
	for left > 0 {
		_, err := l.read(bodyBuffer)
		piece := l.buffer[l.from:l.to]
		piece = piece[:min(int64(len(piece)), left)]
		left -= int64(len(piece))
		l.from += len(piece)
		l.copyBody(body, piece, left == 0 || err != nil) // complete before anybody can answer it
		if _, err := l.server.Write(piece); err != nil {
			return err
		}
		if err != nil {
			l.clientEnded(err)
			return nil
		}
	}
	return nil
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
	looked := 0
	for {
		if end := headEnd(l.buffer[l.from:l.to], looked); end > 0 {
			return end
		}
		looked = l.to - l.from
		if looked >= maxHead { // net/http says so
			return looked
		}
		if _, err := l.read(firstBuffer); err != nil {
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
	_ = l.client.SetReadDeadline(time.Time{})
	l.mu.Lock()
	l.server = server
	l.mu.Unlock()
	l.done = make(chan struct{})
	go l.passAnswers()
	return true
}

// begin notes a request, and gives the stream of its body; nil for one that is not looked at.
func (l *link) begin(q *requestHead) (body *stream) {
	l.mu.Lock()
	for len(l.pending) >= maxPending && !l.blind {
		l.less.Wait()
	}
	blind := l.blind
	l.mu.Unlock()
	if blind {
		return nil
	}
	x := l.exchange(q.method, q.session, q.query)
	if q.method == http.MethodPost && q.length > 0 && isJSON(q.contentType) {
		body = x.stream(fromClient, byEnd)
	}
	l.mu.Lock()
	l.pending = append(l.pending, x)
	l.mu.Unlock()
	return body
}

// clientEnded closes the server's connection as the client closed its own: a client that sends
// nothing more may still wait for an answer.
func (l *link) clientEnded(err error) {
	l.ended = true
	if l.server != nil {
		half, ok := l.server.(*net.TCPConn)
		if err != io.EOF || l.idle() || !ok || half.CloseWrite() != nil {
			_ = l.server.Close()
		}
		<-l.done
		_ = l.server.Close()
	}
	_ = l.client.Close()
}

// serverEnded gives the client what the server still sent before it would read no more.
func (l *link) serverEnded() {
	_ = l.server.SetReadDeadline(time.Now().Add(lingerTime))
	<-l.done
	_ = l.server.Close()
	_, _ = io.Copy(io.Discard, l.client) // else the client's end might lose it; passAnswers set a deadline
	_ = l.client.Close()
}

// idle reports whether nothing waits for an answer.
func (l *link) idle() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.pending) == 0
}

// cut closes both connections.
func (l *link) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.handing {
		return
	}
	_ = l.client.Close()
	if l.server != nil {
		_ = l.server.Close()
	}
}
