// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package web_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/web"
)

func TestCrawl(t *testing.T) {
	var running, most atomic.Int32
	var mu sync.Mutex
	var order []string
	s := start(t, func(w http.ResponseWriter, r *http.Request) {
		most.Store(max(most.Load(), running.Add(1)))
		defer running.Add(-1)
		mu.Lock()
		order = append(order, r.URL.Path)
		mu.Unlock()
		time.Sleep(time.Millisecond) // so that requests at the same time would meet
		if r.URL.Path == "/missing" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprintf(w, "<p>this is %s", r.URL.Path)
	})
	other := serve(t, "text/html", "<p>the other host")
	tools := toolset(t, web.Options{})
	res := call(t.Context(), t, tools, "web_crawl",
		object{"urls": []string{s.URL + "/a", other, s.URL + "/missing", "ftp://x", s.URL + "/a", s.URL + "/b"},
			"format": "text"})
	if res.Fault != nil {
		t.Fatal(res.Output)
	}
	last := -1
	for _, want := range []string{
		"=== 1 of 6: " + s.URL + "/a\nURL: ", "this is /a", "=== 2 of 6: " + other, "the other host", "=== 3 of 6: ",
		"Failed: tool error: ", "answered 404 Not Found",
		"=== 4 of 6: ftp://x\nFailed: invalid arguments: urls[3]: got scheme \"ftp\"", "=== 5 of 6",
		"the same address as urls[0]", "=== 6 of 6", "this is /b",
	} {
		at := strings.Index(res.Output, want)
		if at <= last {
			t.Errorf("%q: missing or out of order in\n%s", want, res.Output)
		}
		last = at
	}
	if most.Load() != 1 || strings.Join(order, " ") != "/a /missing /b" {
		t.Errorf("got %d requests at a time and %v, want one host's pages one by one, each once", most.Load(), order)
	}
}

func TestCrawlRefuses(t *testing.T) {
	tools := toolset(t, web.Options{})
	many := make([]string, 11)
	for i := range many {
		many[i] = fmt.Sprintf("http://127.0.0.1:1/%d", i)
	}
	for name, args := range map[string]object{"none": {"urls": []string{}}, "left out": {}, "eleven": {"urls": many},
		"format": {"urls": many[:1], "format": "pdf"}} {
		if res := call(t.Context(), t, tools, "web_crawl", args); !errors.Is(res.Fault, toolkit.ErrInvalidArguments) {
			t.Errorf("%s: got %s", name, res.Output)
		}
	}
	res := call(t.Context(), t, tools, "web_crawl", object{"urls": []string{"http://10.0.0.1", "http://192.168.0.1"}})
	if !errors.Is(res.Fault, toolkit.ErrPermissionDenied) || !strings.Contains(res.Output, "no page could be read") ||
		!strings.Contains(res.Output, "=== 2 of 2") {
		t.Errorf("all refused: got %s", res.Output)
	}
}

// TestCrawlShares checks that the pages of one answer share its limit.
func TestCrawlShares(t *testing.T) {
	at := serve(t, "text/plain", strings.Repeat("x", 5000))
	res := call(t.Context(), t, toolset(t, web.Options{MaxText: 1000}), "web_crawl",
		object{"urls": []string{at + "/1", at + "/2"}})
	if n := strings.Count(res.Output, "x"); n > 1010 || strings.Count(res.Output, "bytes 0 to 500 of 5000") != 2 {
		t.Errorf("got %d bytes:\n%s", n, res.Output)
	}
}

func TestGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := web.NewGate(time.Second)
		began := time.Now()
		var at [3]time.Duration
		var group sync.WaitGroup
		for i := range at {
			group.Go(func() {
				leave, err := g.Enter(t.Context(), "a")
				if err != nil {
					t.Error(err)
					return
				}
				at[i] = time.Since(began)
				time.Sleep(100 * time.Millisecond)
				leave()
			})
		}
		leave, err := g.Enter(t.Context(), "b")
		if err != nil || time.Since(began) != 0 {
			t.Errorf("another host: waited %v, %v", time.Since(began), err)
		}
		leave()
		group.Wait()
		for _, want := range []time.Duration{0, 1100 * time.Millisecond, 2200 * time.Millisecond} {
			if at[0] != want && at[1] != want && at[2] != want {
				t.Errorf("got turns at %v, want one at %v", at, want)
			}
		}
		time.Sleep(time.Minute)
		leave, err = g.Enter(t.Context(), "c")
		if err != nil || g.Hosts() != 1 {
			t.Errorf("got %d hosts known, %v, want the one in use", g.Hosts(), err)
		}
		// Waiting ends with the context, for a slot and for the pause.
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := g.Enter(ctx, "c"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("taken: got %v", err)
		}
		leave()
		ctx, cancel = context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := g.Enter(ctx, "c"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("pause: got %v", err)
		}
		if leave, err = g.Enter(t.Context(), "c"); err != nil {
			t.Errorf("afterwards: got %v", err)
		}
		leave()
	})
}
