// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/oauth2"

	"github.com/toolscope/toolscope/mcp/manager"
)

// handler serves a role over streamable HTTP. Sessions that were not ended end with the test.
func handler(t *testing.T, role string) http.Handler {
	s := newServer(role)
	t.Cleanup(func() { endSessions(s) })
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil)
}

func httpServer(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

func TestHeadersGoToTheServerAlone(t *testing.T) {
	secret := "Bearer " + strings.Repeat("hush", 3)
	var strayed atomic.Int32
	other := httpServer(t, func(w http.ResponseWriter, r *http.Request) {
		strayed.Add(1)
		w.WriteHeader(http.StatusNotFound)
	})
	good := handler(t, "a")
	var with, without atomic.Int32
	url := httpServer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") == secret && r.Header.Get("X-Tenant") == "ada" {
			with.Add(1)
		} else {
			without.Add(1)
		}
		good.ServeHTTP(w, r)
	})
	headers := map[string]string{"authorization": secret, "X-Tenant": "ada"}
	redirects := httpServer(t,
		func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other, http.StatusTemporaryRedirect) })
	elsewhere := httpServer(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write([]byte("event: endpoint\ndata: " + other + "/messages\n\n"))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	m := prepare(t, manager.Options{Servers: []manager.Server{
		{Name: "good", URL: url, Headers: headers},
		{Name: "redirects", URL: redirects, Headers: headers},
		{Name: "elsewhere", URL: elsewhere, SSE: true, Headers: headers},
	}})
	err := m.Start(context.Background())
	wantCall(t, m, "good__echo", "x", "a: x")
	if with.Load() == 0 || without.Load() != 0 {
		t.Errorf("%d requests had the headers and %d had not, want all to have them", with.Load(), without.Load())
	}
	for _, name := range []string{"redirects", "elsewhere"} {
		if err == nil || !strings.Contains(err.Error(), name) ||
			!strings.Contains(status(t, m, name).LastError, "another origin") {
			t.Errorf("got %v and %+v, want a refusal", err, status(t, m, name))
		}
	}
	if n := strayed.Load(); n != 0 {
		t.Errorf("%d requests went to another origin", n)
	}
}

// A call that found no server at the other end was not sent, so that another server may run it.
func TestACallThatWasNotSentGoesElsewhere(t *testing.T) {
	a := httptest.NewServer(handler(t, "a"))
	a.Config.SetKeepAlivesEnabled(false) // what is sent by a connection that just ended may have been read
	m := open(t, manager.Options{SharedNames: true, Servers: []manager.Server{
		{Name: "a", URL: a.URL, Priority: 1}, web(t, "b", "b", false),
	}, PingInterval: -1})
	wantCall(t, m, "change", "1", "changed")
	if st := status(t, m, "a"); st.Calls != 1 {
		t.Fatalf("got %+v, want the first server to have been asked", st)
	}
	a.CloseClientConnections()
	a.Close()
	// Not idempotent: it runs on the other one only because the first was not reached.
	wantCall(t, m, "change", "2", "changed")
	eventually(t, "the first server is seen to be gone", func() bool { return status(t, m, "a").State != manager.Connected })
}

func TestAnHTTPServerThatIsStartedAnew(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	first := &http.Server{Handler: handler(t, "a")}
	go first.Serve(l) //nolint:errcheck // it is closed
	m := open(t, manager.Options{
		Servers: []manager.Server{{Name: "a", URL: "http://" + l.Addr().String(), ProtocolVersion: "2025-11-25"}}})
	wantCall(t, m, "a__echo", "1", "a: 1")
	first.Close()
	again, err := net.Listen("tcp", l.Addr().String())
	if err != nil {
		t.Skipf("the port was taken by another: %v", err)
	}
	second := &http.Server{Handler: handler(t, "b")}
	go second.Serve(again) //nolint:errcheck // it is closed
	defer second.Close()
	// Its session is gone, which the first call or the broken stream tells.
	eventually(t, "the new one answers", func() bool {
		got, err := call(t, m, "a__echo", "2")
		return err == nil && got == "b: 2"
	})
	if st := status(t, m, "a"); st.Connects < 2 {
		t.Errorf("got %+v, want a reconnect", st)
	}
}

// Servers that accept a request and never answer it.
func TestAnHTTPServerThatHangs(t *testing.T) {
	good := handler(t, "a")
	hang := func(which func(*http.Request) bool) string {
		return httpServer(t, func(w http.ResponseWriter, r *http.Request) {
			if which(r) {
				_, _ = io.Copy(io.Discard, r.Body) // else the end of the connection is not seen
				<-r.Context().Done()
				return
			}
			good.ServeHTTP(w, r)
		})
	}
	all := hang(func(*http.Request) bool { return true })
	stream := hang(func(r *http.Request) bool { return r.Method == http.MethodGet })
	began := time.Now()
	m := prepare(t, manager.Options{Servers: []manager.Server{
		{Name: "all", URL: all, StartTimeout: 200 * time.Millisecond},
		{Name: "old", URL: all, SSE: true, StartTimeout: 200 * time.Millisecond},
		{Name: "stream", URL: stream, ProtocolVersion: "2025-11-25", StartTimeout: 200 * time.Millisecond},
	}})
	err := m.Start(context.Background())
	for _, name := range []string{"all", "old", "stream"} {
		if st := status(t, m, name); err == nil || !strings.Contains(err.Error(), name) ||
			!strings.Contains(st.LastError, "it was not ready within its start timeout") {
			t.Errorf("got %v, want %s to be too late", err, name)
		}
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("took %v", took)
	}
	// With time enough the server without a stream of its own messages is good.
	if err := m.Add(manager.Server{Name: "patient", URL: stream, ProtocolVersion: "2025-11-25"}); err != nil {
		t.Fatal(err)
	}
	wantCall(t, m, "patient__echo", "x", "a: x")
}

type tokens struct{ authorized atomic.Int32 }

func (o *tokens) TokenSource(context.Context) (oauth2.TokenSource, error) {
	if o.authorized.Load() == 0 {
		return nil, nil
	}
	return oauth2.StaticTokenSource(&oauth2.Token{AccessToken: "let-me-in"}), nil
}

func (o *tokens) Authorize(_ context.Context, _ *http.Request, res *http.Response) error {
	res.Body.Close()
	if o.authorized.Add(1) > 1 {
		return errors.New("twice")
	}
	return nil
}

func TestOAuthIsTheSDKs(t *testing.T) {
	good := handler(t, "a")
	url := httpServer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer let-me-in" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		good.ServeHTTP(w, r)
	})
	o := new(tokens)
	m := open(t, manager.Options{Servers: []manager.Server{{Name: "a", URL: url, OAuth: o}}})
	wantCall(t, m, "a__echo", "x", "a: x")
	if o.authorized.Load() != 1 {
		t.Errorf("authorized %d times, want once", o.authorized.Load())
	}
}

func TestServersAreAddedAndRemoved(t *testing.T) {
	a, b := web(t, "a", "a", false), web(t, "b", "b", false) // they end after the manager
	m := prepare(t, manager.Options{})
	if err := m.Add(a); err != nil {
		t.Fatal(err)
	}
	if err := m.Start(context.Background()); err != nil {
		t.Fatal(err)
	}
	wantCall(t, m, "a__echo", "x", "a: x")
	if err := m.Add(b); err != nil {
		t.Fatal(err)
	}
	wantCall(t, m, "b__echo", "x", "b: x")
	if err := m.Add(b); err == nil || !strings.Contains(err.Error(), "another server") {
		t.Errorf("got %v, want a refusal of the same name", err)
	}
	if err := m.Add(manager.Server{Name: "off", Command: "x", Disabled: true}); err != nil ||
		status(t, m, "off").State != manager.Disconnected {
		t.Errorf("got %v, want a server that is known and not started", err)
	}
	if err := m.Remove("a"); err != nil || m.Lookup("a__echo") != nil || m.Session("a") != nil {
		t.Errorf("got %v, want the server and its tools gone", err)
	}
	if err := m.Remove("a"); err == nil {
		t.Error("got no error for a server that is not there")
	}
	if m.Session("b") == nil {
		t.Error("got no session")
	}
	if err := m.Session("b").Ping(context.Background(), nil); err != nil {
		t.Error(err)
	}
}

// A URL may hold a key, and an error goes to the model.
func TestErrorsDoNotTellTheURL(t *testing.T) {
	hush := strings.Repeat("hush", 3)
	a := httptest.NewServer(handler(t, "a"))
	a.Config.SetKeepAlivesEnabled(false)
	m := prepare(t, manager.Options{CallWait: -1, Servers: []manager.Server{
		{Name: "a", URL: a.URL + "/" + hush + "?key=" + hush},
		{Name: "old", URL: "http://127.0.0.1:1/" + hush, SSE: true},
	}})
	err := m.Start(context.Background())
	if err == nil || !strings.Contains(err.Error(), "http://127.0.0.1:1") {
		t.Errorf("got %v, want the origin of the one that is not there", err)
	}
	a.CloseClientConnections()
	a.Close()
	_, failed := call(t, m, "a__echo", "")
	if failed == nil || !strings.Contains(failed.Error(), a.URL) {
		t.Errorf("got %v, want the origin", failed)
	}
	for _, text := range []string{err.Error(), failed.Error(), status(t, m, "a").LastError, status(t, m, "old").LastError} {
		if strings.Contains(text, hush) {
			t.Errorf("got %s, want no path and no query", text)
		}
	}
}
