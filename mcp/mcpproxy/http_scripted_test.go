// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"
)

// scripted is a server of which a test plays the other end.
type scripted struct {
	*watched
	listener net.Listener
	address  string // of the proxy before it
}

func script(t *testing.T) *scripted {
	t.Helper()
	return scriptOptions(t, Options{})
}

func scriptOptions(t *testing.T, options Options) *scripted {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	w := newWatched(t, options)
	address := serve(t, w, &url.URL{Scheme: "http", Host: l.Addr().String()})
	return &scripted{w, l, strings.TrimPrefix(address, "http://")}
}

// deadline is when a test that hangs gives up.
func deadline() time.Time { return time.Now().Add(20 * time.Second) }

// connect makes a connection to the proxy.
func (s *scripted) connect() *net.TCPConn {
	s.t.Helper()
	c, err := net.Dial("tcp", s.address)
	if err != nil {
		s.t.Fatal(err)
	}
	_ = c.SetDeadline(deadline())
	s.t.Cleanup(func() { c.Close() })
	return c.(*net.TCPConn)
}

// accept takes the connection that the proxy makes.
func (s *scripted) accept() *net.TCPConn {
	s.t.Helper()
	_ = s.listener.(*net.TCPListener).SetDeadline(deadline())
	c, err := s.listener.Accept()
	if err != nil {
		s.t.Fatal(err)
	}
	_ = c.SetDeadline(deadline())
	s.t.Cleanup(func() { c.Close() })
	return c.(*net.TCPConn)
}

// send writes a text in one piece, or a byte at a time.
func (s *scripted) send(to net.Conn, text string, whole bool) {
	s.t.Helper()
	pieces := []string{text}
	if !whole {
		pieces = strings.Split(text, "")
	}
	for _, piece := range pieces {
		if _, err := io.WriteString(to, piece); err != nil {
			s.t.Fatal(err)
		}
	}
}

const callBody = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`

// postOf is a request with a body of JSON.
func postOf(header, body string) string {
	return fmt.Sprintf(
		"POST / HTTP/1.1\r\nHost: localhost\r\n%sContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		header,
		len(body),
		body,
	)
}

// eventually waits until something holds.
func (s *scripted) eventually(what string, holds func() bool) {
	s.t.Helper()
	for end := deadline(); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatalf("%s: not within the time; %v", what, s.report().Counts)
		}
	}
}

// allEnded waits until every call has ended, and each session that was a request's only. Below 0 is any number of calls.
func (s *scripted) allEnded(calls int) {
	s.t.Helper()
	s.eventually("the end of all", func() bool {
		sessions := make(chan int, 1)
		s.Tap.CallNow(func() {
			n := 0
			for x := range s.Watcher.Sessions {
				n += len(x.Open)
				if x.Named.Load().Protocol == "" {
					n++
				}
			}
			sessions <- n
		})
		begun := len(s.spans.Started())
		return <-sessions == 0 && (calls < 0 || begun == calls) && len(s.spans.Ended()) == begun
	})
}

// scriptWith is a server of which a test plays the other end, and a listener for the proxy before it.
func scriptWith(t *testing.T) (*scripted, net.Listener) {
	var listeners [2]net.Listener
	for i := range listeners {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		listeners[i] = l
	}
	return &scripted{newWatched(t, Options{}), listeners[0], listeners[1].Addr().String()}, listeners[1]
}
