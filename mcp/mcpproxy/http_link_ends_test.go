// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// postOf is a request with a body of JSON.
func postOf(header, body string) string {
	return fmt.Sprintf("POST / HTTP/1.1\r\nHost: localhost\r\n%sContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", header, len(body), body)
}

// asked takes the connection that the proxy makes for a request, and the request.
func (s *scripted) asked(request string) *net.TCPConn {
	s.t.Helper()
	server := s.accept()
	s.wantRequest(server, request)
	return server
}

// wantRequest reads what was sent to localhost.
func (s *scripted) wantRequest(server net.Conn, request string) {
	s.t.Helper()
	s.want(server, strings.ReplaceAll(request, "localhost", s.listener.Addr().String()))
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

// allEnded waits until every call has ended, and each session that was a request's only.
func (s *scripted) allEnded(calls int) {
	s.t.Helper()
	s.eventually("the end of all", func() bool {
		sessions := make(chan int, 1)
		s.tap.do(func() {
			n := 0
			for x := range s.Watcher.sessions {
				n += len(x.open)
				if x.named.Load().protocol == "" {
					n++
				}
			}
			sessions <- n
		})
		return <-sessions == 0 && len(s.spans.Started()) == calls && len(s.spans.Ended()) == calls
	})
}

// A call ends even if the server refused it before its body was complete.
func TestHTTPEarlyRefusalEndsCall(t *testing.T) {
	for name, header := range map[string]string{"no session": "", "a session": "Mcp-Session-Id: s\r\n"} {
		t.Run(name, func(t *testing.T) {
			s := script(t)
			client := s.connect()
			request := postOf(header, callBody)
			half := len(request) - 20
			s.send(client, request[:half], true)
			server := s.asked(request[:half])
			refusal := "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n"
			s.send(server, refusal, true)
			s.want(client, refusal)
			s.settle()
			s.send(client, request[half:], true)
			s.want(server, request[half:])
			s.allEnded(1)
			if call := s.span("tools/call x"); has(call, keyErrorType) != "http_401" {
				t.Errorf("got %v", call.Attributes())
			}
		})
	}
}

// A body that its client or server did not let come to its end ends what belongs to it.
func TestHTTPTornBodies(t *testing.T) {
	answer := `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"half`
	t.Run("answer", func(t *testing.T) {
		s := script(t)
		client := s.connect()
		s.send(client, postOf("", callBody), true)
		server := s.asked(postOf("", callBody))
		s.send(server, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n"+answer, true)
		server.Close()
		if _, err := io.ReadAll(client); err != nil {
			t.Error(err)
		}
		s.allEnded(1)
		if c := s.report().Counts; c[string(noteTornFrame)] != 1 || c[string(noteUnanswered)] != 1 || c[string(noteStrayOutput)] != 0 {
			t.Errorf("got %v, want a torn frame and a call without an answer", c)
		}
	})
	t.Run("request", func(t *testing.T) {
		s := script(t)
		client := s.connect()
		request := postOf("", callBody)
		s.send(client, request[:len(request)-20], true)
		server := s.accept()
		client.Close()
		if _, err := io.ReadAll(server); err != nil {
			t.Error(err)
		}
		server.Close()
		s.allEnded(0)
		if c := s.report().Counts; c[string(noteTornFrame)] != 1 || c[string(noteStrayInput)] != 0 {
			t.Errorf("got %v, want a torn frame", c)
		}
	})
}

// A call that is noted while the server's connection ends is one without an answer, or is not seen:
// nothing of it stays.
func TestHTTPServerEndsAsCallBegins(t *testing.T) {
	s, l := scriptWith(t)
	f := newFront(s.Watcher, &url.URL{Scheme: "http", Host: s.listener.Addr().String()})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- f.run(ctx, l) }()
	client := s.connect()
	ask, answer := "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
	s.send(client, ask, true)
	server := s.asked(ask)
	s.send(server, answer, true)
	s.want(client, answer)
	looking, look := make(chan struct{}), make(chan struct{})
	s.tap.do(func() { close(looking); <-look }) // to ask for the session waits
	<-looking
	s.send(client, postOf("Mcp-Session-Id: new\r\n", callBody), true)
	server.Close()
	if n, err := client.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("got %d bytes and %v, want the end", n, err)
	}
	close(look)
	client.Close()
	s.eventually("the link's end", func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return len(f.links) == 0
	})
	s.settle()
	if began, ended := len(s.spans.Started()), len(s.spans.Ended()); began != ended {
		t.Errorf("%d calls began and %d ended", began, ended)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// A client that is reset while its requests wait for others is noticed by the server.
func TestHTTPResetWhileWaiting(t *testing.T) {
	get := "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
	for _, tt := range []struct{ name, before, waits string }{
		{"for net/http", get, "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"},
		{"for room", strings.Repeat(get, maxPending), get},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := script(t)
			client := s.connect()
			s.send(client, tt.before, true)
			server := s.asked(tt.before)
			s.send(client, tt.waits, true)
			_ = client.SetLinger(0)
			client.Close()
			if n, err := server.Read(make([]byte, 1)); n > 0 || isTimeout(err) {
				t.Errorf("got %d bytes and %v, want the end", n, err)
			}
		})
	}
}

// What waits for answers goes on once they came, with all that was sent meanwhile.
func TestHTTPWaitingGoesOn(t *testing.T) {
	s := script(t)
	client := s.connect()
	get, answer := "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
	const all = 3 * maxPending
	s.send(client, strings.Repeat(get, all), true)
	s.send(client, "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n", true)
	server := s.accept()
	for range all {
		s.wantRequest(server, get)
		s.send(server, answer, true)
		s.want(client, answer)
	}
	s.send(client, "2\r\nhi\r\n0\r\n\r\n", true)
	_ = client.CloseWrite()
	other := s.accept() // net/http's
	if text, err := io.ReadAll(io.LimitReader(other, int64(len("POST / HTTP/1.1")))); err != nil || string(text) != "POST / HTTP/1.1" {
		t.Errorf("got %q and %v", text, err)
	}
}

// Where answers are not followed a client that sends no more gets its answer all the same.
func TestHTTPBlindHalfClose(t *testing.T) {
	s := script(t)
	client := s.connect()
	get := "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
	s.send(client, get, true)
	server := s.asked(get)
	odd := "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 408 Request Timeout\r\n\r\n"
	s.send(server, odd, true)
	s.want(client, odd)
	s.send(client, get, true)
	_ = client.CloseWrite()
	if _, err := io.ReadAll(server); err != nil {
		t.Error(err)
	}
	answer := "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
	s.send(server, answer, true)
	s.want(client, answer)
}

// A head that cannot be read is passed on, and nothing of it recorded.
func TestHTTPUnreadableHeadIsNotRecorded(t *testing.T) {
	s := script(t)
	client := s.connect()
	get := "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
	s.send(client, get, true)
	server := s.asked(get)
	odd := "HTTP/1.1 200 OK\r\nSet-Cookie: sid=somebody\r\nTransfer-Encoding: gzip\r\nContent-Length: 0\r\n\r\n"
	s.send(server, odd, true)
	s.want(client, odd)
	r := s.report()
	if r.Counts[string(noteStrayOutput)] != 1 || strings.Contains(fmt.Sprint(r), "somebody") {
		t.Errorf("got %+v, want that it is told, and nothing of it", r.Observations)
	}
}

// Answers that a client has to put up with are followed.
func TestHTTPLenientAnswers(t *testing.T) {
	const res = `{"jsonrpc":"2.0","id":1,"result":{}}`
	for name, head := range map[string]string{
		"LF":               "HTTP/1.1 200 OK\nContent-Type: application/json\nContent-Length: 36\n\n",
		"CRLF before":      "\r\nHTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 36\r\n\r\n",
		"a folded line":    "HTTP/1.1 200 OK\r\nX-A: 1\r\n 2\r\nContent-Type:\r\n\tapplication/json\r\nContent-Length: 36\r\n\r\n",
		"a length twice":   "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 36, 36\r\n\r\n",
		"two equal fields": "HTTP/1.1 200 OK\r\nContent-Length: 36\r\nContent-Type: application/json\r\nContent-Length: 36\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			s := script(t)
			client := s.connect()
			both := strings.Repeat(postOf("", callBody), 2)
			s.send(client, both, true)
			server := s.asked(both)
			for range 2 {
				s.send(server, head+res, true)
				s.want(client, head+res)
			}
			s.allEnded(2)
			for _, call := range s.spans.Ended() {
				if has(call, keyErrorType) != "" {
					t.Errorf("got %v", call.Attributes())
				}
			}
		})
	}
}

// stalling is a listener of whose connections Write waits for release, as that of TCP does for who
// does not read.
type stalling struct {
	net.Listener
	writes  chan struct{} // told of a Write that waits
	release chan struct{}
}

func (l *stalling) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &stalled{Conn: c, by: l, closed: make(chan struct{})}, nil
}

type stalled struct {
	net.Conn
	by     *stalling
	once   sync.Once
	closed chan struct{}
}

func (c *stalled) Write(b []byte) (int, error) {
	select {
	case c.by.writes <- struct{}{}:
	default:
	}
	select {
	case <-c.by.release:
		return c.Conn.Write(b)
	case <-c.closed:
		return 0, net.ErrClosed
	}
}

func (c *stalled) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Conn.Close()
}

func (c *stalled) CloseWrite() error { return c.Conn.(*net.TCPConn).CloseWrite() }

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
	return &scripted{watch(t, Options{}), listeners[0], listeners[1].Addr().String()}, listeners[1]
}

// stall is a proxy whose client does not read, and whose server has sent an answer. The context of
// Serve is over at stop.
func stall(t *testing.T, patience time.Duration, request, answer string) (s *scripted, client, server *net.TCPConn, by *stalling, stop func(), ended chan error) {
	s, l := scriptWith(t)
	by = &stalling{l, make(chan struct{}, 1), make(chan struct{})}
	f := newFront(s.Watcher, &url.URL{Scheme: "http", Host: s.listener.Addr().String()})
	f.patience = patience
	ctx, stop := context.WithCancel(t.Context())
	ended = make(chan error, 1)
	go func() { ended <- f.run(ctx, by) }()
	client = s.connect()
	s.send(client, request, true)
	head, _, _ := strings.Cut(request, "\r\n\r\n")
	server = s.asked(head)
	s.send(server, answer, true)
	<-by.writes
	return s, client, server, by, stop, ended
}

// An answer that is read and not yet written is no reason to take a link for idle.
func TestServeEndsAfterAnswerIsWritten(t *testing.T) {
	answer := "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
	s, client, _, by, stop, ended := stall(t, time.Minute, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", answer)
	stop()
	s.eventually("the listener's end", func() bool {
		c, err := net.Dial("tcp", s.address)
		if err == nil {
			c.Close()
		}
		return err != nil
	})
	time.Sleep(50 * time.Millisecond) // for what would close the link
	close(by.release)
	s.want(client, answer)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// A client that does not read does not keep Serve, whatever it sent.
func TestServeEndsWithoutReader(t *testing.T) {
	get := "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
	for name, next := range map[string]string{"nothing more": "", "one for net/http": "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"} {
		t.Run(name, func(t *testing.T) {
			_, _, _, _, stop, ended := stall(t, time.Millisecond, get+next, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
			stop()
			select {
			case err := <-ended:
				if err != nil {
					t.Error(err)
				}
			case <-time.After(time.Until(deadline())):
				t.Error("Serve does not return")
			}
		})
	}
}

// A client that sends all before it reads may do so, even if the server refuses it and is gone.
func TestHTTPRefusedUpload(t *testing.T) {
	const size = 64 << 20
	request := fmt.Sprintf("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n", size)
	_, client, server, by, stop, ended := stall(t, time.Minute, request, "HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno")
	_ = server.SetLinger(0)
	server.Close()
	if _, err := client.Write(make([]byte, size)); err != nil {
		t.Error(err)
	}
	_ = client.CloseWrite()
	close(by.release)
	if text, err := io.ReadAll(client); err != nil || !strings.HasSuffix(string(text), "\r\n\r\nno") {
		t.Errorf("got %q and %v, want the answer", text, err)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// Serving may end as it begins.
func TestServeCancelled(t *testing.T) {
	for range 20 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		go stop()
		if err := watch(t, Options{}).Serve(ctx, l, &url.URL{Scheme: "http", Host: "127.0.0.1:1"}); err != nil {
			t.Error(err)
		}
	}
}

// A head that has begun is to come to its end in time, but while an answer is to come; a connection may
// be idle for as long as the server likes.
func TestHTTPSlowHead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFront(watch(t, Options{}).Watcher, &url.URL{Scheme: "http", Host: "server"})
		client, near := net.Pipe()
		far, server := net.Pipe()
		l := f.newLink(near)
		l.server, l.done = far, make(chan struct{})
		go l.passAnswers()
		go func() {
			for l.request() {
				continue
			}
		}()
		s := &scripted{watched: &watched{t: t}}
		get, answer := "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
		asked := strings.Replace(get, "localhost", "server", 1)
		time.Sleep(time.Hour)
		s.send(client, get, true)
		s.want(server, asked)
		s.send(client, get[:9], true)
		time.Sleep(time.Hour + headTime/2) // the server takes its time, and answers between two looks at the clock
		s.send(server, answer, true)
		s.want(client, answer)
		s.send(client, get[9:], true)
		s.want(server, asked)
		s.send(server, answer, true)
		s.want(client, answer)
		time.Sleep(time.Hour)
		began := time.Now()
		s.send(client, get[:9], true)
		if n, err := client.Read(make([]byte, 1)); err != io.EOF || time.Since(began) != headTime {
			t.Errorf("got %d bytes and %v after %v, want the end after %v", n, err, time.Since(began), headTime)
		}
		<-l.done
	})
}

// What is left of a long body is no request, also where an int has 32 bits.
func TestHTTPLongLength(t *testing.T) {
	s := script(t)
	client := s.connect()
	head := fmt.Sprintf("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\nabc", int64(1)<<32+3)
	s.send(client, head, true)
	server := s.asked(head)
	rest := "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
	s.send(client, rest, true)
	s.want(server, rest)
}
