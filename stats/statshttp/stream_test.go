// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package statshttp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/stats/statshttp/internal/api"
	"github.com/toolscope/toolscope/toolkit"
)

// client takes what is streamed to it, until it fails.
type client struct {
	mu     sync.Mutex
	header http.Header
	status int
	text   strings.Builder
	failed bool
}

func (c *client) Header() http.Header                { return c.header }
func (c *client) WriteHeader(status int)             { c.status = status }
func (c *client) SetWriteDeadline(_ time.Time) error { return nil }
func (c *client) FlushError() error                  { return nil }
func (c *client) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed {
		return 0, errors.New("the client takes no more")
	}
	return c.text.Write(b)
}

func (c *client) fail() {
	c.mu.Lock()
	c.failed = true
	c.mu.Unlock()
}

// events are the data of the events so far.
func (c *client) events() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var list []string
	for event := range strings.SplitSeq(c.text.String(), "\n\n") {
		if data, ok := strings.CutPrefix(event, "event: summary\ndata: "); ok {
			list = append(list, data)
		}
	}
	return list
}

// listen opens a stream and returns the client and what ends it and waits for that.
func listen(h http.Handler, target string) (*client, func()) {
	c := &client{header: make(http.Header)}
	r := httptest.NewRequest(http.MethodGet, target, nil)
	r.Host = "localhost"
	ctx, cancel := context.WithCancel(contextAt(r, "127.0.0.1"))
	done := make(chan struct{})
	go func() {
		h.ServeHTTP(c, r.WithContext(ctx))
		close(done)
	}()
	return c, func() { cancel(); <-done }
}

func TestStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder(t)
		tool := &toolkit.Definition{Name: "search"}
		h := handlerOf(t, r, Options{Refresh: time.Second})
		c, end := listen(h, "/api/v1/stream?window=1m")
		synctest.Wait()
		if got := c.events(); len(got) != 1 || c.header.Get("Content-Type") != "text/event-stream" ||
			c.header.Get("Cache-Control") != "no-store" {
			t.Fatalf("got %d events and %v, want the present state at once", len(got), c.header)
		}
		record(r, call(tool, time.Millisecond, failing("tool_error", "a\nb\u2028")))
		time.Sleep(time.Second + time.Millisecond)
		var s api.Overview
		got := c.events()
		if err := json.Unmarshal([]byte(got[len(got)-1]), &s); err != nil || s.Overall.Calls != 1 || s.Window != "1m" || len(got) != 2 {
			t.Errorf("after a call: got %d events, the last %.200s (%v)", len(got), got[len(got)-1], err)
		}
		if strings.ContainsAny(got[1], "\n\r\u2028") {
			t.Error("an event's data holds a line end")
		}
		// The window moves on by ten seconds; nothing is sent in between.
		time.Sleep(5 * time.Second)
		quiet := len(c.events())
		if quiet > 3 {
			t.Errorf("got %d events, want none while nothing happens", quiet)
		}
		end()
	})
}

func TestStreamSaysThatItLives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := time.Now()
		r := newRecorder(t, stats.Options{Clock: func() time.Time { return clock }}) // stands still
		c, end := listen(handlerOf(t, r), "/api/v1/stream")
		time.Sleep(40 * time.Second)
		end()
		if n := strings.Count(c.text.String(), ": nothing new\n\n"); n != 2 || len(c.events()) != 1 {
			t.Errorf("got %d signs of life and %d events in 40 s, want 2 and 1", n, len(c.events()))
		}
	})
}

// A client that does not take what is sent is dropped; so is each after its time, and all
// when the recorder is closed.
func TestStreamsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, err := stats.New(stats.Options{})
		if err != nil {
			t.Fatal(err)
		}
		h := handlerOf(t, r).(*handler)
		open := func() int { synctest.Wait(); return len(h.streams) }
		slow, _ := listen(h, "/api/v1/stream")
		good, _ := listen(h, "/api/v1/stream")
		if open() != 2 {
			t.Fatalf("got %d streams, want 2", open())
		}
		slow.fail()
		record(r, call(nil, time.Millisecond))
		time.Sleep(3 * time.Second)
		if open() != 1 {
			t.Errorf("after one client failed: got %d streams, want 1", open())
		}
		time.Sleep(streamTime)
		if open() != 0 || len(good.events()) < 10 {
			t.Errorf("after %v: got %d streams and %d events", streamTime, open(), len(good.events()))
		}
		_, _ = listen(h, "/api/v1/stream")
		if err := r.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * time.Second)
		if open() != 0 {
			t.Errorf("after Close: got %d streams, want 0", open())
		}
	})
}

func TestStreamsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := handlerOf(t, newRecorder(t)).(*handler)
		var ends []func()
		for range cap(h.streams) {
			_, end := listen(h, "/api/v1/stream")
			ends = append(ends, end)
		}
		synctest.Wait()
		w := ask(h, "/api/v1/stream")
		asProblem(t, w, http.StatusServiceUnavailable)
		if w.Header().Get("Retry-After") == "" {
			t.Error("got no Retry-After")
		}
		for _, end := range ends {
			end()
		}
		if len(h.streams) != 0 {
			t.Errorf("got %d streams after all ended", len(h.streams))
		}
	})
}

// Through a real server, with a reader that reads nothing for a while.
func TestStreamOverTheNetwork(t *testing.T) {
	r := newRecorder(t)
	server := httptest.NewServer(handlerOf(t, r, Options{Refresh: 100 * time.Millisecond}))
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"/api/v1/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	record(r, call(nil, time.Millisecond))
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "data: ") && strings.Contains(lines.Text(), `"calls":1,`) {
			return
		}
	}
	t.Errorf("the stream ended before it reported the call (%v)", lines.Err())
}

// While all turns are taken an answer waits, and then says that it is busy.
func TestBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := handlerOf(t, newRecorder(t)).(*handler)
		for range cap(h.turns) {
			h.turns <- struct{}{}
		}
		begun := time.Now()
		asProblem(t, ask(h, "/api/v1/summary"), http.StatusServiceUnavailable)
		if waited := time.Since(begun); waited != turnTime {
			t.Errorf("waited %v, want %v", waited, turnTime)
		}
		<-h.turns
		if w := ask(h, "/api/v1/summary"); w.Code != http.StatusOK {
			t.Errorf("got %d when there was a turn", w.Code)
		}
	})
}
