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
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope/internal/keys"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/watch"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
)

// before starts a proxy before a server, and returns its URL.
func before(t *testing.T, w *watched, server http.Handler) string {
	t.Helper()
	s := httptest.NewServer(server)
	t.Cleanup(s.Close)
	target, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, w, target)
}

// serve has a proxy listen before a target, and returns its URL.
func serve(t *testing.T, w *watched, target *url.URL) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- w.proxy.Serve(ctx, l, target) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return "http://" + l.Addr().String()
}

// sdkServer is a server of the official SDK with a tool that echoes, and one that tells progress.
func sdkServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
	mcp.AddTool(
		s,
		&mcp.Tool{Name: "echo"},
		func(ctx context.Context, req *mcp.CallToolRequest, in map[string]any) (*mcp.CallToolResult, any, error) {
			if token := req.Params.GetProgressToken(); token != nil {
				for i := range 3 {
					_ = req.Session.NotifyProgress(
						ctx,
						&mcp.ProgressNotificationParams{ProgressToken: token, Progress: float64(i)},
					)
				}
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprint(in["text"])}}}, nil, nil
		},
	)
	return s
}

// transports are the ways to reach an SDK's server over HTTP.
var transports = map[string]struct {
	handler func(*mcp.Server) http.Handler
	dial    func(address string, c *http.Client) mcp.Transport
}{
	"streamable": {
		func(s *mcp.Server) http.Handler {
			return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil)
		},
		func(address string, c *http.Client) mcp.Transport {
			return &mcp.StreamableClientTransport{Endpoint: address, HTTPClient: c}
		},
	},
	"plain JSON": {
		func(s *mcp.Server) http.Handler {
			return mcp.NewStreamableHTTPHandler(
				func(*http.Request) *mcp.Server { return s },
				&mcp.StreamableHTTPOptions{JSONResponse: true},
			)
		},
		func(address string, c *http.Client) mcp.Transport {
			return &mcp.StreamableClientTransport{Endpoint: address, HTTPClient: c}
		},
	},
	"stateless": {
		func(s *mcp.Server) http.Handler {
			return mcp.NewStreamableHTTPHandler(
				func(*http.Request) *mcp.Server { return s },
				&mcp.StreamableHTTPOptions{Stateless: true},
			)
		},
		func(address string, c *http.Client) mcp.Transport {
			return &mcp.StreamableClientTransport{Endpoint: address, HTTPClient: c, DisableStandaloneSSE: true}
		},
	},
	"server-sent events": {
		func(s *mcp.Server) http.Handler {
			return mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return s }, nil)
		},
		func(address string, c *http.Client) mcp.Transport {
			return &mcp.SSEClientTransport{Endpoint: address, HTTPClient: c}
		},
	},
}

// authorized adds a secret to each request.
type authorized struct{ secret string }

func (a authorized) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+a.secret)
	return http.DefaultTransport.RoundTrip(r)
}

// An SDK's client and server work through the proxy, whatever the transport, watched only and
// governed; the secret of the client reaches the server and nothing else.
func TestSDKOverHTTP(t *testing.T) {
	for name, transport := range transports {
		for _, governed := range []bool{false, true} {
			if governed && name == "server-sent events" {
				continue // TestOlderTransportUnderPolicies
			}
			t.Run(fmt.Sprintf("%s governed %t", name, governed), func(t *testing.T) {
				const secret = "a-secret-of-the-client"
				var policies []middleware.Policy
				if governed {
					policies = append(policies, middleware.At(middleware.StagePermit, refuseBad))
				}
				w := newWatched(t, Options{}, policies...)
				unauthorized := 0
				server := transport.handler(sdkServer())
				address := before(t, w, http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
					if r.Header.Get("Authorization") != "Bearer "+secret {
						unauthorized++
					}
					server.ServeHTTP(out, r)
				}))
				ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
				defer cancel()
				progress := make(chan float64, 10)
				client := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "2"}, &mcp.ClientOptions{
					ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
						progress <- r.Params.Progress
					},
				})
				session, err := client.Connect(ctx, transport.dial(address, &http.Client{Transport: authorized{secret}}), nil)
				if err != nil {
					t.Fatal(err)
				}
				list, err := session.ListTools(ctx, nil)
				if err != nil || len(list.Tools) != 1 {
					t.Fatalf("got %v and %v", list, err)
				}
				params := &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"text": "hello"}}
				streams := name != "plain JSON" && name != "stateless"
				if streams {
					params.Meta = mcp.Meta{"progressToken": "p"}
				}
				res, err := session.CallTool(ctx, params)
				if err != nil || res.IsError || res.Content[0].(*mcp.TextContent).Text != "hello" {
					t.Fatalf("got %+v and %v", res, err)
				}
				if streams {
					for i := range 3 {
						if got := <-progress; got != float64(i) {
							t.Errorf("got progress %v, want %d", got, i)
						}
					}
				}
				if governed {
					res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"text": "bad"}})
					if err != nil || !res.IsError || !strings.Contains(res.Content[0].(*mcp.TextContent).Text, "not that") {
						t.Errorf("got %+v and %v, want it refused", res, err)
					}
				}
				if err := session.Close(); err != nil {
					t.Error(err)
				}
				if unauthorized > 0 {
					t.Errorf("%d requests came without the client's header", unauthorized)
				}
				w.settle()
				calls := 0
				for _, s := range w.spans.Ended() {
					if strings.Contains(fmt.Sprint(s.Attributes(), s.Events(), s.Status()), secret) {
						t.Errorf("the secret is on a span: %v", s.Attributes())
					}
					if s.Name() == "tools/call echo" {
						calls++
						if has(s, keys.Transport) != "tcp" ||
							has(s, keys.ErrorType) == "" != (has(s, "gen_ai.tool.call.result") == "hello") {
							t.Errorf("got %v", s.Attributes())
						}
					}
				}
				want := 1
				if governed {
					want = 2
				}
				if calls != want {
					t.Errorf("got %d calls, want %d", calls, want)
				}
				if n := w.report().Counts[string(watch.NoteUnanswered)]; n != 0 {
					t.Errorf("got %d calls that were not answered", n)
				}
			})
		}
	}
}

// The older transport answers in another request's stream, where policies do not reach: its calls
// are refused rather than passed on.
func TestOlderTransportUnderPolicies(t *testing.T) {
	w := newWatched(t, Options{}, middleware.At(middleware.StagePermit, refuseBad))
	transport := transports["server-sent events"]
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "c"}, nil).
		Connect(ctx, transport.dial(before(t, w, transport.handler(sdkServer())), nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if res, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "echo"}); err == nil || ctx.Err() != nil {
		t.Errorf("got %+v and %v, want it refused", res, err)
	}
}

// refuseBad refuses calls whose arguments say "bad".
func refuseBad(next toolkit.Handler) toolkit.Handler {
	return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		if strings.Contains(string(call.Arguments), "bad") {
			return middleware.Refuse(call, &toolkit.Error{Kind: toolkit.ErrPermissionDenied, Message: "not that"})
		}
		return next(ctx, call)
	}
}

// Headers, statuses and bodies that are none of the protocol's pass as they are.
func TestHTTPPassesWhatItDoesNotKnow(t *testing.T) {
	w := newWatched(t, Options{})
	address := before(t, w, http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		out.Header().Add("X-Odd", "1")
		out.Header().Add("X-Odd", "2")
		out.Header().Set("WWW-Authenticate", `Bearer resource_metadata="x"`)
		out.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(out, "%s %s %q %q %s", r.Method, r.URL, r.Header["X-Sent"], r.Header["User-Agent"], body)
	}))
	r, err := http.NewRequest(
		http.MethodPost,
		address+"/a%2Fb?c=d&e",
		strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`),
	)
	if err != nil {
		t.Fatal(err)
	}
	r.Header["X-Sent"] = []string{"1", "2"}
	r.Header.Set("User-Agent", "")
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	want := `POST /a%2Fb?c=d&e ["1" "2"] [] {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`
	if err != nil || string(body) != want || resp.StatusCode != http.StatusUnauthorized || len(resp.Header["X-Odd"]) != 2 ||
		resp.Header.Get("WWW-Authenticate") == "" {
		t.Errorf("got %v, %d, %v and %s, want %s", err, resp.StatusCode, resp.Header, body, want)
	}
	if s := w.span("tools/call x"); has(s, keys.ErrorType) != "http_401" {
		t.Errorf("got %v", s.Attributes())
	}
}

// Events pass when they come, not when the stream ends.
func TestHTTPFlushesAtOnce(t *testing.T) {
	w := newWatched(t, Options{})
	more := make(chan struct{})
	address := before(t, w, http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		out.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(out, "data: 1\n\n")
		_ = http.NewResponseController(out).Flush()
		<-more
		fmt.Fprint(out, "data: 2\n\n")
	}))
	resp, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewReader(resp.Body)
	if line, err := lines.ReadString('\n'); line != "data: 1\n" || err != nil {
		t.Fatalf("got %q and %v", line, err)
	}
	close(more)
	if rest, err := io.ReadAll(lines); string(rest) != "\ndata: 2\n\n" || err != nil {
		t.Errorf("got %q and %v", rest, err)
	}
}

func TestGuard(t *testing.T) {
	w := newWatched(t, Options{})
	address := before(t, w, http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {}))
	for _, tt := range []struct {
		host, origin, site string
		want               int
	}{
		{"", "", "", 200},
		{"localhost:1", "http://localhost:6274", "same-site", 200},
		{"", "", "cross-site", 403},
		{"evil.example", "", "", 421},
		{"localhost.evil.example", "", "", 421},
		{"", "https://evil.example", "", 403},
		{"", "null", "", 403},
		{"", "http://localhost|https://evil.example", "", 403},
		{"[::1]:80", "", "", 200},
	} {
		r, err := http.NewRequest(http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = tt.host
		if tt.origin != "" {
			r.Header["Origin"] = strings.Split(tt.origin, "|")
		}
		if tt.site != "" {
			r.Header.Set("Sec-Fetch-Site", tt.site)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != tt.want {
			t.Errorf("%+v: got %d", tt, resp.StatusCode)
		}
	}
}

// Some servers do not look at the content type of a request: a call in one that they may read is recorded.
func TestHTTPContentTypesOfCalls(t *testing.T) {
	w := newWatched(t, Options{})
	address := before(t, w, http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
	}))
	for i, contentType := range []string{"application/json; charset=utf-8", "", "text/plain", "Text/Plain;charset=UTF-8"} {
		r, err := http.NewRequest(http.MethodPost, address, strings.NewReader(callBody))
		if err != nil {
			t.Fatal(err)
		}
		r.Header["Content-Type"] = []string{contentType}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		w.settle()
		if n := len(w.spans.Started()); n != i+1 {
			t.Fatalf("Content-Type %q: got %d calls, want %d", contentType, n, i+1)
		}
	}
}

// A server that is not there is an answer, and no call without an end.
func TestHTTPServerThatIsNotThere(t *testing.T) {
	for _, governed := range []bool{false, true} {
		var policies []middleware.Policy
		if governed {
			policies = append(policies, middleware.At(middleware.StagePermit, refuseBad))
		}
		w := newWatched(t, Options{}, policies...)
		gone := httptest.NewServer(nil)
		gone.Close()
		target, _ := url.Parse(gone.URL)
		resp, err := http.Post(
			serve(t, w, target),
			"application/json",
			strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"}}`),
		)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusBadGateway {
			t.Errorf("got %d, want %d", resp.StatusCode, http.StatusBadGateway)
		}
		if s := w.span("tools/call x"); has(s, keys.ErrorType) != "http_502" {
			t.Errorf("got %v", s.Attributes())
		}
	}
}

// A call that asks for input in between is one call, of clients that have no session as well.
func TestRoundsOverHTTPAreOneCall(t *testing.T) {
	w := newWatched(t, Options{})
	address := before(t, w, http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		out.Header().Set("Content-Type", "application/json")
		if strings.Contains(string(body), "requestState") {
			_, _ = io.WriteString(out, `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"done"}]}}`)
			return
		}
		_, _ = io.WriteString(
			out,
			`{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","requestState":"s","inputRequests":{`+
				`"a":{"method":"elicitation/create"}}}}`,
		)
	}))
	for _, params := range []string{
		`"arguments":{"n":1}`, `"arguments":{"n":2}`, // of two clients
		`"arguments":{"n":2},"requestState":"s","inputResponses":{"a":{"action":"accept"}}`,
	} {
		resp, err := http.Post(
			address,
			"application/json",
			strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x",`+params+`}}`),
		)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	if s := w.span("tools/call x"); has(s, keys.Rounds) != "2" || has(s, "gen_ai.tool.call.arguments") != `{"n":2}` {
		t.Errorf("got %v, want two rounds of the second call", s.Attributes())
	}
	w.Tap.CallNow(func() { w.FindHung(time.Now().Add(2 * watch.MaxSuspension)) }) // the first one is never carried on
	w.settle()
	if n := len(w.spans.Ended()); n != 2 {
		t.Errorf("got %d calls that ended, want 2", n)
	}
}
