// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolscope/toolscope/internal/keys"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/overhttp"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/watch"
)

// request reads a request that the proxy sends on; a body only if it is complete.
func (s *scripted) request(server net.Conn) *http.Request {
	s.t.Helper()
	r, err := http.ReadRequest(bufio.NewReader(server))
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

// begun is a call that has reached the server.
func begun(t *testing.T, header string) (s *scripted, client, server *net.TCPConn) {
	t.Helper()
	s = script(t)
	client = s.connect()
	s.send(client, postOf(header, callBody), true)
	server = s.accept()
	if body, err := io.ReadAll(s.request(server).Body); err != nil || string(body) != callBody {
		t.Fatalf("got %q and %v, want %q", body, err, callBody)
	}
	return s, client, server
}

// Calls end when one of the two connections does.
func TestHTTPEndsOfConnections(t *testing.T) {
	const half = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n" +
		`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"half`
	for name, header := range map[string]string{"no session": "", "a session": "Mcp-Session-Id: s\r\n"} {
		ended := func(s *scripted, kind string, torn uint64) {
			s.t.Helper()
			s.eventually("the call's end", func() bool { return len(s.spans.Ended()) == 1 })
			if call := s.span("tools/call x"); has(call, keys.ErrorType) != kind {
				s.t.Errorf("got %v, want %q", call.Attributes(), kind)
			}
			if c := s.report().Counts; c[string(watch.NoteTornFrame)] != torn || c[string(watch.NoteStrayOutput)] != 0 {
				s.t.Errorf("got %v, want %d torn frames", c, torn)
			}
		}
		t.Run("client is gone, "+name, func(t *testing.T) {
			s, client, server := begun(t, header)
			client.Close()
			if n, err := server.Read(make([]byte, 1)); err == nil {
				t.Errorf("got %d bytes, want the end", n)
			}
			ended(s, "unanswered", 0)
		})
		t.Run("client is reset, "+name, func(t *testing.T) {
			s, client, server := begun(t, header)
			_ = client.SetLinger(0)
			client.Close()
			if n, err := server.Read(make([]byte, 1)); err == nil {
				t.Errorf("got %d bytes, want the end", n)
			}
			ended(s, "unanswered", 0)
		})
		t.Run("server dies before it answers, "+name, func(t *testing.T) {
			s, client, server := begun(t, header)
			server.Close()
			resp, err := http.ReadResponse(bufio.NewReader(client), nil)
			if err != nil || resp.StatusCode != http.StatusBadGateway {
				t.Errorf("got %+v and %v, want 502", resp, err)
			}
			ended(s, "http_502", 0)
		})
		t.Run("server dies within an answer, "+name, func(t *testing.T) {
			s, client, server := begun(t, header)
			s.send(server, half, true)
			server.Close()
			resp, err := http.ReadResponse(bufio.NewReader(client), nil)
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(resp.Body)
			if err == nil || !strings.HasSuffix(half, string(text)) || len(text) == 0 {
				t.Errorf("got %q and %v, want the half and an error", text, err)
			}
			ended(s, "unanswered", 1)
		})
		t.Run("server refuses before the request is complete, "+name, func(t *testing.T) {
			s := script(t)
			client := s.connect()
			body := strings.Replace(callBody, `"x"`, `"x","arguments":{"a":"`+strings.Repeat("a", 2*overhttp.SmallBody)+`"}`, 1)
			text := postOf(header, body)
			s.send(client, text[:len(text)-20], true)
			server := s.accept()
			s.request(server)
			s.send(server, "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n", true)
			resp, err := http.ReadResponse(bufio.NewReader(client), nil)
			if err != nil || resp.StatusCode != http.StatusUnauthorized {
				t.Fatalf("got %+v and %v, want 401", resp, err)
			}
			client.Close()
			s.allEnded(0) // what was no whole message began no call
		})
	}
}

// A server answers before the request is complete. The rest of the request ends it, and the connection takes the next one.
func TestHTTPRestOfRequest(t *testing.T) {
	s := script(t)
	for i, kind := range []string{"application/json", "text/plain"} {
		for range 10 {
			client := s.connect()
			text := strings.Replace(postOf("", strings.Repeat(" ", 2*overhttp.SmallBody)+callBody), "application/json", kind, 1)
			s.send(client, text[:len(text)-20], true)
			server := s.accept()
			s.request(server)
			s.send(server, "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n", true)
			in := bufio.NewReader(client)
			resp, err := http.ReadResponse(in, nil)
			if err != nil || resp.StatusCode != http.StatusUnauthorized {
				t.Fatalf("got %+v and %v, want 401", resp, err)
			}
			s.send(client, text[len(text)-20:], true)
			s.send(client, "GET /next HTTP/1.1\r\nHost: localhost\r\n\r\n", true)
			next := s.accept()
			s.request(next)
			s.send(next, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 4\r\n\r\nnext", true)
			if resp, err = http.ReadResponse(in, nil); err != nil || bodyOf(t, resp) != "next" {
				t.Fatalf("body %d: got %+v and %v, want the answer to the next request", i, resp, err)
			}
			client.Close()
			server.Close()
		}
	}
	s.allEnded(-1)
}

// The client sends a part of a body and closes: a short one is not sent on, a long one is torn for the server, too.
func TestHTTPTornRequest(t *testing.T) {
	for name, body := range map[string]string{"short": callBody, "long": strings.Repeat(" ", 2*overhttp.SmallBody) + callBody} {
		t.Run(name, func(t *testing.T) {
			s := script(t)
			client := s.connect()
			text := postOf("", body)
			s.send(client, text[:len(text)-20], true)
			if name == "long" {
				server := s.accept()
				r := s.request(server)
				client.Close()
				if got, err := io.ReadAll(r.Body); err == nil {
					t.Errorf("got %d bytes, want a body that is torn", len(got))
				}
				server.Close()
			}
			client.Close()
			s.eventually("a torn frame", func() bool { return s.report().Counts[string(watch.NoteTornFrame)] == 1 })
			s.allEnded(0)
			if c := s.report().Counts; c[string(watch.NoteStrayInput)] != 0 {
				t.Errorf("got %v, want a torn frame", c)
			}
		})
	}
}

// Trailers pass, and so do preliminary answers.
func TestHTTPTrailersPass(t *testing.T) {
	s := script(t)
	client := s.connect()
	s.send(client, "GET /a%2Fb?c=d;e&%zz HTTP/1.1\r\nHost: localhost\r\nTE: trailers\r\n\r\n", true)
	server := s.accept()
	if r := s.request(server); r.RequestURI != "/a%2Fb?c=d;e&%zz" {
		t.Errorf("got %q", r.RequestURI)
	}
	s.send(server, "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"+
		"Content-Type: text/event-stream\r\nTrailer: X-T\r\n\r\n5;ext=1\r\ndata:\r\n011\r\n {\"method\":"+
		"\"m\"}\n\n\r\n0\r\nX-T: 1\r\n\r\n", true)
	in := bufio.NewReader(client)
	resp, err := http.ReadResponse(in, nil)
	if err != nil || resp.StatusCode != http.StatusEarlyHints {
		t.Fatalf("got %+v and %v", resp, err)
	}
	if resp, err = http.ReadResponse(in, nil); err != nil {
		t.Fatal(err)
	}
	if body := bodyOf(t, resp); body != "data: {\"method\":\"m\"}\n\n" || resp.Trailer.Get("X-T") != "1" {
		t.Errorf("got %q and %v", body, resp.Trailer)
	}
}

// stalling is a listener of whose connections Write waits for release, as that of TCP does for who
// does not read.
type stalling struct {
	net.Listener
	writes  chan struct{} // notified of a Write that waits
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

// stall is a proxy whose client does not read, and whose server has sent an answer. The context of
// Serve is over at stop.
func stall(t *testing.T, patience time.Duration, request, answer string) (
	s *scripted, client *net.TCPConn, by *stalling, stop func(), ended chan error,
) {
	s, l := scriptWith(t)
	by = &stalling{l, make(chan struct{}, 1), make(chan struct{})}
	h := overhttp.New(s.Watcher, &url.URL{Scheme: "http", Host: s.listener.Addr().String()})
	ctx, stop := context.WithCancel(t.Context())
	ended = make(chan error, 1)
	go func() { ended <- h.Serve(ctx, by, patience) }()
	client = s.connect()
	s.send(client, request, true)
	server := s.accept()
	s.request(server)
	s.send(server, answer, true)
	<-by.writes
	return s, client, by, stop, ended
}

// An answer that is read and not yet written is written before Serve returns.
func TestServeEndsAfterAnswerIsWritten(t *testing.T) {
	s, client, by, stop, ended := stall(
		t,
		time.Minute,
		"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
	)
	stop()
	s.eventually("the listener's end", func() bool {
		c, err := net.Dial("tcp", s.address)
		if err == nil {
			c.Close()
		}
		return err != nil
	})
	select {
	case err := <-ended:
		t.Errorf("got the end of Serve and %v before the answer", err)
	default:
	}
	close(by.release)
	resp, err := http.ReadResponse(bufio.NewReader(client), nil)
	if err != nil || bodyOf(t, resp) != "hello" {
		t.Errorf("got %+v and %v", resp, err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// A client that does not read does not keep Serve, whatever it sent.
func TestServeEndsWithoutReader(t *testing.T) {
	get := "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
	for name, next := range map[string]string{"nothing more": "", "another request": get} {
		t.Run(name, func(t *testing.T) {
			_, _, _, stop, ended := stall(t, time.Millisecond, get+next, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")
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

// A large body passes whole in both directions, and the part that the proxy inspects is bounded.
func TestHTTPLargeBodies(t *testing.T) {
	const size = 40 << 20
	w := newWatched(t, Options{})
	address := before(t, w, http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		out.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/length" {
			out.Header().Set("Content-Length", fmt.Sprint(r.ContentLength))
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		_, _ = out.Write(body)
	}))
	text := `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + strings.Repeat("x", size) + `"}]}}`
	for _, path := range []string{"/length", "/chunks"} {
		resp, err := http.Post(address+path, "application/json", strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || string(got) != text {
			t.Errorf("%s: got %d bytes and %v, want %d", path, len(got), err, len(text))
		}
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
		if err := newWatched(t, Options{}).proxy.Serve(ctx, l, &url.URL{Scheme: "http", Host: "127.0.0.1:1"}); err != nil {
			t.Error(err)
		}
	}
}
