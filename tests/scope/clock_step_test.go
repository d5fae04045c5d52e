// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope_test

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/exporters/statsprom"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/stats/statshttp"
	"github.com/toolscope/toolscope/toolkit"
)

// wallClock is a system clock that can be set. Its times have the monotonic reading of time.Now.
type wallClock struct {
	t  testing.TB
	by time.Duration // how far the wall clock is ahead of that of time.Now; whole seconds
}

// now is time.Now as it is after the system clock was set. Package time has no function that
// changes the wall clock's reading alone, so the seconds are changed in place.
func (c *wallClock) now() time.Time {
	now := time.Now()
	set := now
	*(*uint64)(unsafe.Pointer(&set)) += uint64(c.by/time.Second) << 30
	if set.Sub(now) != 0 || set.Round(0).Sub(now.Round(0)) != c.by {
		c.t.Fatalf("got %v of %v, want only the wall clock's reading changed by %v", set, now, c.by)
	}
	return set
}

// An observer with the clock gives calls their times, as a tracer does.
func (c *wallClock) Begin(ctx context.Context, _ toolkit.Call, f *toolkit.CallInfo) context.Context {
	f.Start = c.now()
	return ctx
}
func (c *wallClock) Wants(context.Context) bool          { return false }
func (c *wallClock) End(context.Context, *toolkit.Ended) {}

// steppedScope is a scope whose clock can be set.
func steppedScope(t testing.TB, clock *wallClock) *toolscope.Scope {
	t.Helper()
	scope, err := toolscope.New(toolscope.Options{
		NoTracing: true,
		NoMetrics: true,
		Observers: []toolkit.Observer{clock},
		Stats:     stats.Options{Clock: clock.now},
		HTTP:      statshttp.Options{Metrics: statsprom.NewHandler},
	})
	if err != nil {
		t.Fatal(err)
	}
	return scope
}

// askScope is the body of an answer to a request that arrives on loopback.
func askScope(t testing.TB, scope *toolscope.Scope, target string) []byte {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, target, nil)
	r.Host = "localhost"
	address := net.Addr(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, address))
	w := httptest.NewRecorder()
	scope.HTTPHandler().ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		t.Fatalf("%s: got %d %s", target, w.Code, w.Body)
	}
	return w.Body.Bytes()
}

// counted is how many calls the HTTP API tells of in a window.
func counted(t testing.TB, scope *toolscope.Scope, window string) uint64 {
	t.Helper()
	var got struct {
		Overall struct{ Calls uint64 }
	}
	if err := json.Unmarshal(askScope(t, scope, "/api/v1/summary?window="+window), &got); err != nil {
		t.Fatal(err)
	}
	return got.Overall.Calls
}

// scraped is the value of toolscope_calls_total for executed calls of the tool; 0 if there is none.
func scraped(t testing.TB, scope *toolscope.Scope) uint64 {
	t.Helper()
	for line := range strings.Lines(string(askScope(t, scope, "/metrics"))) {
		value, ok := strings.CutPrefix(line, `toolscope_calls_total{outcome="executed",tool="read"} `)
		if !ok {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil {
			t.Fatal(err)
		}
		return uint64(n)
	}
	return 0
}

// TestCountersDoNotDependOnTheWallClock: calls through a scope while the system clock is set
// forwards and backwards: what Prometheus scrapes and the total of the HTTP API are the number
// of calls at each moment, and windows are of the calls that ended within them.
func TestCountersDoNotDependOnTheWallClock(t *testing.T) {
	steps := map[string][]time.Duration{
		"back 72h":             {-72 * time.Hour},
		"forward 72h, back":    {72 * time.Hour, -72 * time.Hour},
		"back 72h, forward":    {-72 * time.Hour, 72 * time.Hour},
		"back 2s four times":   {-2 * time.Second, -2 * time.Second, -2 * time.Second, -2 * time.Second},
		"to 1970 and from it":  {-30 * 365 * 24 * time.Hour, 30 * 365 * 24 * time.Hour},
		"back 10m three times": {-10 * time.Minute, -10 * time.Minute, -10 * time.Minute},
	}
	var random []time.Duration
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	for range 50 {
		hours := []int64{1, 100}[r.IntN(2)]
		random = append(random, time.Duration(r.Int64N(2*hours*3600)-hours*3600)*time.Second)
	}
	steps["random"] = random
	for name, list := range steps {
		t.Run(name, func(t *testing.T) {
			countThroughSteps(t, list, r)
			if t.Failed() {
				t.Logf("the seed was %d", seed)
			}
		})
	}
}

func countThroughSteps(t *testing.T, steps []time.Duration, r *rand.Rand) {
	clock := &wallClock{t: t}
	scope := steppedScope(t, clock)
	registry := new(toolkit.Registry)
	handle := func(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{Output: "x"}, nil }
	read := toolkit.ToolFunc(toolkit.Definition{Name: "read"}, handle)
	if err := registry.Register(read); err != nil {
		t.Fatal(err)
	}
	execute := scope.WrapRegistry(registry)
	// The end of each call on a clock that follows the wall clock forwards only.
	var ends []time.Duration
	var forward time.Duration
	origin := time.Now()
	at := func() time.Duration { return time.Since(origin) + forward }
	check := func(when string) {
		t.Helper()
		total := uint64(len(ends))
		if got, metric := counted(t, scope, "total"), scraped(t, scope); got != total || metric != total {
			t.Errorf("%s: got a total of %d and %d scraped, want the %d calls made", when, got, metric, total)
		}
		for _, w := range []struct {
			name        string
			last, width time.Duration // what a window may cover beyond its length
		}{
			{"1m", time.Minute, 10 * time.Second},
			{"15m", 15 * time.Minute, time.Minute},
			{"1h", time.Hour, time.Minute},
		} {
			now, least, most := at(), uint64(0), uint64(0)
			for _, end := range ends {
				if now-end < w.last-time.Second {
					least++
				}
				if now-end <= w.last+w.width {
					most++
				}
			}
			if got := counted(t, scope, w.name); got < least || got > most {
				t.Errorf("%s: window %s: got %d calls, want %d to %d", when, w.name, got, least, most)
			}
		}
	}
	work := func() {
		for range 1 + r.IntN(60) {
			if res, err := execute(t.Context(), toolkit.Call{Name: "read"}); err != nil || res.Output != "x" {
				t.Fatalf("got %+v, %v", res, err)
			}
			ends = append(ends, at())
		}
	}
	work()
	check("before any step")
	for _, by := range steps {
		clock.by += by
		forward += max(0, by)
		if r.IntN(2) == 0 { // else the calls come before any reader
			check("after a step of " + by.String())
		}
		work()
		check("after calls after a step of " + by.String())
	}
}
