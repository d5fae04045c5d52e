// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"errors"
	"io"
	"net"
	"os"
	"time"
)

// await waits until at most n requests have no answer, or none is followed any more. What the client
// sends meanwhile is read, as much as a head may be long, to learn of its end: the error is that it
// is gone. One that sends no more may still wait for answers.
func (l *link) await(n int) error {
	ended := false
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.pending) > n && !l.blind {
		if ended || l.to-l.from >= maxHead {
			l.less.Wait()
			continue
		}
		l.waiting = true
		l.mu.Unlock()
		_, err := l.read(firstBuffer)
		l.mu.Lock()
		if !l.waiting && !l.last { // wake's
			_ = l.client.SetReadDeadline(time.Time{})
		}
		l.waiting = false
		switch {
		case err == io.EOF:
			if ended = true; n == 0 { // no request goes this way any more
				closeWrite(l.server)
			}
		case err != nil && !isTimeout(err):
			return err
		}
	}
	return nil
}

// wake has await look again; the caller holds the lock.
func (l *link) wake() {
	l.less.Broadcast()
	if l.waiting {
		l.waiting = false
		_ = l.client.SetReadDeadline(time.Unix(1, 0))
	}
}

// readBy bounds how long the client may take to send; the zero time does not. What the server's end
// set stays.
func (l *link) readBy(end time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.last {
		_ = l.client.SetReadDeadline(end)
	}
}

// clientEnded closes the server's connection as the client closed its own: a client that sends
// nothing more may still wait for an answer.
func (l *link) clientEnded(err error) {
	l.ended = true
	if l.server != nil {
		if err != io.EOF || !l.answering() || !closeWrite(l.server) {
			_ = l.server.Close()
		}
		<-l.done
		_ = l.server.Close()
	}
	_ = l.client.Close()
}

// serverEnded gives the client what the server still sent before it would read no more. What the
// client sends is dropped: it may have to send all before it reads, and its end might be lost else.
func (l *link) serverEnded() {
	_ = l.server.SetReadDeadline(time.Now().Add(lingerTime))
	_ = l.client.SetWriteDeadline(time.Now().Add(stuckTime))
	_, _ = io.Copy(io.Discard, l.client) // lastAnswer bounds it
	<-l.done
	_ = l.server.Close()
	_ = l.client.Close()
}

// answering reports whether an answer is to come, or may be: where answers are not followed, that is
// until the server ends.
func (l *link) answering() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.pending) > 0 || l.blind && !l.last
}

// handOver gives the client's connection to net/http, with what came and was not sent on, once all
// requests before are answered.
func (l *link) handOver() {
	if err := l.await(0); err != nil {
		l.clientEnded(err)
		return
	}
	l.mu.Lock()
	l.handing = !l.blind
	l.mu.Unlock()
	if !l.handing { // nobody knows what is answered
		l.serverEnded()
		return
	}
	if l.server != nil {
		_ = l.server.Close()
		<-l.done
	}
	l.mu.Lock()
	_ = l.client.SetReadDeadline(time.Time{})
	l.given = true
	l.mu.Unlock()
	l.give(&unread{Conn: l.client, rest: l.buffer[l.from:l.to]})
}

// cut closes both connections, but for one that is net/http's.
func (l *link) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.given {
		return
	}
	_ = l.client.Close()
	if l.server != nil {
		_ = l.server.Close()
	}
}

// closeWrite sends the end of what is written to a connection; false if it cannot.
func closeWrite(c net.Conn) bool {
	half, ok := c.(interface{ CloseWrite() error })
	return ok && half.CloseWrite() == nil
}

// isTimeout reports whether an error is that a deadline has passed.
func isTimeout(err error) bool { return errors.Is(err, os.ErrDeadlineExceeded) }

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

// CloseWrite lets net/http end an answer to a request that it does not read to its end.
func (u *unread) CloseWrite() error {
	if !closeWrite(u.Conn) {
		return errors.ErrUnsupported
	}
	return nil
}
