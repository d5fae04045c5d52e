// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"fmt"
	"io"
	"net"
	"net/http"
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
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	w := watch(t, Options{})
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

// want reads as many bytes as a text has, which they must be.
func (s *scripted) want(from net.Conn, text string) {
	s.t.Helper()
	got := make([]byte, len(text))
	if n, err := io.ReadFull(from, got); err != nil || string(got) != text {
		s.t.Fatalf("got %q and %v, want %q", got[:n], err, text)
	}
}

const callBody = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`

// exchanges are requests of one connection and what a server may answer.
var exchanges = []struct{ name, request, answer string }{
	{"a call", fmt.Sprintf("POST /mcp HTTP/1.1\r\nhOST: HERE\r\nX-b: 2\r\nx-A:1\r\nX-b:  3 \r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(callBody), callBody),
		"HTTP/1.1 200 Fine\r\nx-LOWER: 1\r\nX-B: 2\r\nx-lower: 3\r\nContent-Type: application/json\r\nContent-Length: 36\r\n\r\n" + `{"jsonrpc":"2.0","id":1,"result":{}}`},
	{"chunks and trailers", "GET /a%2Fb?c=d&e HTTP/1.1\r\nHost: HERE\r\nTE: trailers\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\nContent-Type: text/event-stream\r\nTrailer: X-T\r\n\r\n5;ext=1\r\ndata:\r\n011\r\n {\"method\":\"m\"}\n\n\r\n0\r\nX-T: 1\r\n\r\n"},
	{"preliminary answers", "GET / HTTP/1.1\r\nHost: HERE\r\n\r\n", "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 102 \r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"},
	{"no body to HEAD", "HEAD / HTTP/1.1\r\nHost: HERE\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"},
	{"no content", "DELETE / HTTP/1.1\r\nHost: HERE\r\n\r\n", "HTTP/1.1 204 No Content\r\n\r\n"},
	{"not modified", "GET / HTTP/1.1\r\nHost: HERE\r\nIf-None-Match: x\r\n\r\n", "HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n"},
	{"a body that is none of ours", "PUT / HTTP/1.1\r\nHost: HERE\r\nContent-Length: 11\r\n\r\n\x00\r\n\r\nGET / ", "HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\nHTTP/1.1 "},
	{"no coding of the transfer", "GET / HTTP/1.1\r\nHost: HERE\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: Identity\r\nContent-Length: 2\r\n\r\nok"},
	{"an end with the connection", "GET / HTTP/1.1\r\nHost: HERE\r\nConnection: close\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\nthe end"},
}

// Requests arrive as they were sent but for the server's name, and answers as they were written: in
// one piece or many, each after the other or all at once.
func TestHTTPBytesPass(t *testing.T) {
	for _, tt := range []struct {
		name            string
		whole, pipeline bool
	}{{"whole", true, false}, {"bytes", false, false}, {"pipeline", true, true}} {
		t.Run(tt.name, func(t *testing.T) {
			s := script(t)
			client := s.connect()
			var server *net.TCPConn
			if tt.pipeline {
				for _, x := range exchanges {
					s.send(client, strings.Replace(x.request, "HERE", "localhost", 1), true)
				}
			}
			for _, x := range exchanges {
				if !tt.pipeline {
					s.send(client, strings.Replace(x.request, "HERE", "localhost:1", 1), tt.whole)
				}
				if server == nil {
					server = s.accept()
				}
				s.want(server, strings.Replace(x.request, "HERE", s.listener.Addr().String(), 1))
				s.send(server, x.answer, tt.whole)
				s.want(client, x.answer)
			}
			server.Close()
			if n, err := client.Read(make([]byte, 1)); err != io.EOF {
				t.Errorf("got %d bytes and %v, want the end", n, err)
			}
			if call := s.span("tools/call x"); has(call, keyErrorType) != "" {
				t.Errorf("got %v", call.Attributes())
			}
			if r := s.report(); r.Counts[string(noteStrayOutput)] != 0 || r.Counts[string(noteUnanswered)] != 0 {
				t.Errorf("got %v, want every answer followed", r.Counts)
			}
		})
	}
}

// An answer may come before the request is complete, and what no rule foresees passes as well.
func TestHTTPOddAnswersPass(t *testing.T) {
	s := script(t)
	client := s.connect()
	s.send(client, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\nabc", true)
	server := s.accept()
	s.want(server, fmt.Sprintf("POST / HTTP/1.1\r\nHost: %s\r\nContent-Length: 100000\r\n\r\nabc", s.listener.Addr()))
	early := "HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno"
	s.send(server, early, true)
	s.want(client, early)
	rest := strings.Repeat("x", 100000-3)
	s.send(client, rest, true)
	s.want(server, rest)
	for _, odd := range []string{"HTTP/1.1 408 Request Timeout\r\n\r\n", "\x00\x01 no HTTP at all\n\n"} { // nobody asked
		s.send(server, odd, true)
		s.want(client, odd)
	}
	next := "GET /next HTTP/1.1\r\nHost: %s\r\n\r\n"
	s.send(client, fmt.Sprintf(next, "localhost"), true)
	s.want(server, fmt.Sprintf(next, s.listener.Addr()))
	if r := s.report(); r.Counts[string(noteStrayOutput)] != 1 {
		t.Errorf("got %v, want it told once", r.Counts)
	}
}

// Each end learns of the other's as it would without a proxy.
func TestHTTPEndsPass(t *testing.T) {
	request := fmt.Sprintf("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(callBody), callBody)
	begin := func(t *testing.T) (s *scripted, client, server *net.TCPConn) {
		s = script(t)
		client = s.connect()
		s.send(client, request, true)
		server = s.accept()
		s.want(server, strings.Replace(request, "localhost", s.listener.Addr().String(), 1))
		return s, client, server
	}
	unanswered := func(s *scripted) {
		s.t.Helper()
		for end := deadline(); s.report().Counts[string(noteUnanswered)] != 1; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				s.t.Fatalf("got %v, want a call without an answer", s.report().Counts)
			}
		}
		if call := s.span("tools/call x"); has(call, keyErrorType) != "unanswered" {
			s.t.Errorf("got %v", call.Attributes())
		}
	}
	t.Run("client is gone", func(t *testing.T) {
		s, client, server := begin(t)
		client.Close()
		if n, err := server.Read(make([]byte, 1)); err == nil {
			t.Errorf("got %d bytes, want the end", n)
		}
		server.Close()
		unanswered(s)
	})
	t.Run("client sends no more", func(t *testing.T) {
		s, client, server := begin(t)
		_ = client.CloseWrite()
		if n, err := server.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("got %d bytes and %v, want the end", n, err)
		}
		answer := "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
		s.send(server, answer, true)
		s.want(client, answer)
	})
	t.Run("client is reset", func(t *testing.T) {
		s, client, server := begin(t)
		_ = client.SetLinger(0)
		client.Close()
		if n, err := server.Read(make([]byte, 1)); err == nil {
			t.Errorf("got %d bytes, want the end", n)
		}
		unanswered(s)
	})
	t.Run("server dies before it answers", func(t *testing.T) {
		s, client, server := begin(t)
		server.Close()
		if n, err := client.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("got %d bytes and %v, want the end", n, err)
		}
		unanswered(s)
	})
	t.Run("server dies within an answer", func(t *testing.T) {
		s, client, server := begin(t)
		half := "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{"
		s.send(server, half, true)
		server.Close()
		if got, err := io.ReadAll(client); string(got) != half || err != nil {
			t.Errorf("got %q and %v", got, err)
		}
		unanswered(s)
	})
	t.Run("server closes an idle connection", func(t *testing.T) {
		s, client, server := begin(t)
		answer := "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
		s.send(server, answer, true)
		s.want(client, answer)
		server.Close()
		if n, err := client.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("got %d bytes and %v, want the end", n, err)
		}
	})
	t.Run("client goes within a request", func(t *testing.T) {
		s := script(t)
		client := s.connect()
		s.send(client, "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nabc", true)
		server := s.accept()
		client.Close()
		if got, err := io.ReadAll(server); err != nil || !strings.HasSuffix(string(got), "\r\n\r\nabc") {
			t.Errorf("got %q and %v", got, err)
		}
	})
}

// A large body passes whole in both directions, and what is looked at is bounded.
func TestHTTPLargeBodies(t *testing.T) {
	const size = 40 << 20
	w := watch(t, Options{})
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
