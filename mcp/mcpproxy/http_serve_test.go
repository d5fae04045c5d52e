// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/internal/keys"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/overhttp"
	"github.com/toolscope/toolscope/middleware"
)

// Requests in forms that two readers may read differently are refused or sent on in one form.
func TestHTTPRequestForms(t *testing.T) {
	w := newWatched(t, Options{})
	address := before(t, w, http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		fmt.Fprintf(out, "%s %s %s %v", r.Method, r.URL, body, err)
	}))
	for _, tt := range []struct {
		name, request string
		want          string // the answer has it
	}{
		{"chunks", "POST /a HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: " +
			"chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", "POST /a abc <nil>"},
		{"a permission to go on", "POST /b HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length:" +
			" 3\r\n\r\nabc", "POST /b abc <nil>"},
		{"an older version", "GET /c HTTP/1.0\r\nHost: localhost\r\n\r\n", "GET /c  <nil>"},
		{"newlines only", "GET /d HTTP/1.1\nHost: localhost\n\n", "GET /d  <nil>"},
		{"two hosts", "GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n", "HTTP/1.1 400"},
		{"no host", "GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 400"},
		{"another host", "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", "HTTP/1.1 421"},
		{"two lengths", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", "HTTP/1.1 400"},
		{"a length and chunks", "POST /e HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nTransfer-Encoding: " +
			"chunked\r\n\r\n0\r\n\r\n", "HTTP/1.1 "},
		{"a blank before a colon", "GET / HTTP/1.1\r\nHost: localhost\r\nX : 1\r\n\r\n", "HTTP/1.1 400"},
		{"a line that goes on", "GET /f HTTP/1.1\r\nHost: localhost\r\nX: 1\r\n 2\r\n\r\n", "HTTP/1.1 "},
		{"no HTTP", "\x16\x03\x01\x02\x00\n\n", "HTTP/1.1 400"},
		{
			"a very long head",
			"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("x", 2*overhttp.MaxHead) + "\r\n\r\n", "HTTP/1.1 431",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			_ = c.SetDeadline(deadline())
			go func() { _, _ = io.WriteString(c, tt.request) }()
			in := bufio.NewReader(c)
			resp, err := http.ReadResponse(in, nil)
			for err == nil && resp.StatusCode == http.StatusContinue { // the proxy's, and the server's
				resp, err = http.ReadResponse(in, nil)
			}
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
			if got := fmt.Sprintf("%s %s %s", resp.Proto, resp.Status, body); !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q in it", got, tt.want)
			}
		})
	}
}

// Policies that come while a connection is open hold for its next call.
func TestPoliciesReachOpenConnections(t *testing.T) {
	w := newWatched(t, Options{})
	calls := 0
	address := before(t, w, http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		calls++
		out.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(out, `{"jsonrpc":"2.0","id":1,"result":{"content":[]}}`)
	}))
	connections := 0
	client := &http.Client{
		Transport: &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			connections++
			return new(net.Dialer).DialContext(ctx, network, address)
		}},
	}
	defer client.CloseIdleConnections()
	for i, want := range []string{`"content":[]`, "not that"} {
		resp, err := client.Post(
			address,
			"application/json",
			strings.NewReader(strings.Replace(callBody, `"x"`, `"x","arguments":{"a":"bad"}`, 1)),
		)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || !strings.Contains(string(body), want) || calls != 1 || connections != 1 {
			t.Errorf("call %d: got %s and %v, %d calls and %d connections", i, body, err, calls, connections)
		}
		if err := w.Scope.Apply(
			toolscope.Settings{Policies: []middleware.Policy{middleware.At(middleware.StagePermit, refuseBad)}},
		); err != nil {
			t.Fatal(err)
		}
	}
}

// At the end idle connections close at once, and what runs may become complete.
func TestServeEnds(t *testing.T) {
	asked, answer := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			close(asked)
			<-answer
		}
		_, _ = io.WriteString(out, "done")
	}))
	defer server.Close()
	target, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	h := overhttp.New(newWatched(t, Options{}).Watcher, target)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(ctx, l, time.Minute) }()
	idle, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer idle.Close()
	_, _ = io.WriteString(idle, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
	in := bufio.NewReader(idle)
	if resp, err := http.ReadResponse(in, nil); err != nil || bodyOf(t, resp) != "done" {
		t.Fatal(err)
	}
	client := &http.Client{Transport: new(http.Transport)}
	got := make(chan error, 1)
	go func() {
		resp, err := client.Get("http://" + l.Addr().String() + "/slow")
		if err == nil {
			_, err = io.ReadAll(resp.Body)
			resp.Body.Close()
		}
		got <- err
	}()
	<-asked
	stop()
	_ = idle.SetReadDeadline(deadline())
	if _, err := in.ReadByte(); err != io.EOF {
		t.Errorf("an idle connection: got %v, want its end", err)
	}
	close(answer)
	if err := errors.Join(<-got, <-ended); err != nil {
		t.Error(err)
	}
	client.CloseIdleConnections()
	if _, err := net.Dial("tcp", l.Addr().String()); err == nil {
		t.Error("it still listens")
	}
}

// A target of https works as one of http does: streams pass at once, and calls are seen.
func TestHTTPSTarget(t *testing.T) {
	more := make(chan struct{})
	server := httptest.NewTLSServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		out.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(out, "data: {\"method\":\"m\"}\n\n")
		_ = http.NewResponseController(out).Flush()
		<-more
		fmt.Fprint(out, "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n")
	}))
	defer server.Close()
	target, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	w := newWatched(t, Options{})
	h := overhttp.New(w.Watcher, target)
	h.Transport.TLSClientConfig = server.Client().Transport.(*http.Transport).TLSClientConfig
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(ctx, l, time.Second) }()
	resp, err := http.Post("http://"+l.Addr().String(), "application/json", strings.NewReader(callBody))
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(resp.Body)
	if line, err := lines.ReadString('\n'); err != nil || !strings.Contains(line, `"m"`) {
		t.Errorf("got %q and %v, want the first event", line, err)
	}
	close(more)
	if rest, err := io.ReadAll(lines); err != nil || !strings.Contains(string(rest), "result") {
		t.Errorf("got %q and %v, want the second one", rest, err)
	}
	resp.Body.Close()
	if s := w.span("tools/call x"); has(s, keys.ErrorType) != "" {
		t.Errorf("got %v", s.Attributes())
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
