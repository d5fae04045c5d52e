// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats_test

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/stats/statshttp"
	"github.com/toolscope/toolscope/toolkit"
)

// startReaders serves the recorder to readers who ask for everything over and over, and to
// clients of the stream that read nothing. The function returned ends it.
func startReaders(t *testing.T, r *stats.Recorder, served *atomic.Uint64, length time.Duration) (stop func()) {
	t.Helper()
	h, err := statshttp.NewHandler(r, statshttp.Options{Refresh: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	var open atomic.Int64 // streams
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/v1/stream" {
			open.Add(1)
			defer open.Add(-1)
		}
		h.ServeHTTP(w, r)
	}))
	server.Listener = smallBuffers{server.Listener}
	server.Start()
	paths := everyPath(t, server.URL)
	var streams []net.Conn
	for range loadStreams {
		streams = append(streams, openStream(t, server.Listener.Addr().String()))
	}
	done := make(chan struct{})
	var all sync.WaitGroup
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: loadReaders}}
	for i := range loadReaders {
		all.Go(func() {
			for n := i; ; n++ {
				select {
				case <-done:
					return
				default:
					askOnce(t, client, server.URL+paths[n%len(paths)], served)
				}
			}
		})
	}
	return func() {
		close(done)
		all.Wait()
		if length >= 20*time.Second { // longer than an event waits for its client
			dropped(t, r, &open)
		}
		for _, c := range streams {
			_ = c.Close()
		}
		client.CloseIdleConnections()
		server.Close()
	}
}

// dropped waits until no stream is open, for clients that read nothing. On a slow machine
// they may not have been sent enough yet to feel it, so there is something new all
// the while.
func dropped(t *testing.T, r *stats.Recorder, open *atomic.Int64) {
	t.Helper()
	tool := &toolkit.Definition{Name: "search"}
	for deadline := time.Now().Add(3 * time.Minute); open.Load() > 0; time.Sleep(50 * time.Millisecond) {
		recordOne(r, tool, 0)
		if time.Now().After(deadline) {
			t.Errorf("%d streams are open whose clients read nothing, want them dropped", open.Load())
			return
		}
	}
}

// everyPath lists all resources but the stream, as /openapi.json tells them.
func everyPath(t *testing.T, server string) []string {
	t.Helper()
	answer, err := http.Get(server + "/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var definition struct{ Paths map[string]any }
	if err := json.NewDecoder(answer.Body).Decode(&definition); err != nil {
		t.Fatal(err)
	}
	const trace = "0af7651916cd43dd8448eb211c80319c" // of no call
	var paths []string
	for path := range definition.Paths {
		if path != "/api/v1/stream" {
			paths = append(paths, strings.NewReplacer("{name}", "search", "traces/{id}", "traces/"+trace, "{id}", "1").Replace(path))
		}
	}
	if len(paths) < 15 {
		t.Fatalf("got %q, want all resources", paths)
	}
	slices.Sort(paths)
	return paths
}

func askOnce(t *testing.T, client *http.Client, url string, served *atomic.Uint64) {
	answer, err := client.Get(url)
	if err != nil {
		t.Errorf("%s: %v", url, err)
		return
	}
	defer answer.Body.Close()
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		t.Errorf("%s: %v", url, err)
	}
	// The tool may not have been called yet, a call may have left the ring, a turn may
	// not come in time.
	if s := answer.StatusCode; s != 200 && s != 503 && s != 404 {
		t.Errorf("%s: got %d", url, s)
	}
	served.Add(1)
}

// openStream asks for the stream, and then reads nothing.
func openStream(t *testing.T, address string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	_ = c.(*net.TCPConn).SetReadBuffer(4 << 10)
	if _, err := io.WriteString(c, "GET /api/v1/stream HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	return c
}

// smallBuffers makes what a client does not read felt at once.
type smallBuffers struct{ net.Listener }

func (l smallBuffers) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetWriteBuffer(8 << 10)
	}
	return c, err
}
