// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"testing"
	"testing/synctest"
	"time"
)

// replica is a server that has the one tool, with a history of calls.
func replica(name string, priority int, connected bool, calls, errors int, latency time.Duration) *tool {
	t := &tool{name: "t"}
	s := fake(name, priority, t)
	if connected {
		s.conn = &connection{server: name}
	}
	now := time.Now()
	for i := range calls {
		v := well
		if i < errors {
			v = sick
		}
		s.meter.begin()
		s.meter.end(now.Add(-latency), now, v)
	}
	return t
}

func TestChoose(t *testing.T) {
	ms := time.Millisecond
	for _, c := range []struct {
		name string
		a, b *tool
		want string
	}{
		{"the connected one", replica("a", 9, false, 0, 0, 0), replica("b", 0, true, 100, 90, time.Second), "b"},
		{"the more successful one by over 5 points", replica("a", 9, true, 100, 6, ms),
			replica("b", 0, true, 100, 0, time.Second), "b"},
		{"5 points are no difference", replica("a", 0, true, 100, 5, ms), replica("b", 0, true, 100, 0, time.Second), "a"},
		{"the one of higher priority", replica("a", 1, true, 100, 3, time.Second), replica("b", 0, true, 100, 0, ms), "a"},
		{"the faster one", replica("a", 0, true, 100, 3, 2*ms), replica("b", 0, true, 100, 4, ms), "b"},
		{"the first of equals", replica("a", 0, true, 0, 0, 0), replica("b", 0, true, 0, 0, 0), "a"},
		{"one without calls before one with a latency", replica("a", 0, true, 1, 0, ms), replica("b", 0, true, 0, 0, 0), "b"},
		{"one without calls has a rate of 1", replica("a", 0, true, 10, 1, ms), replica("b", 0, true, 0, 0, 0), "b"},
		{"none", replica("a", 0, false, 0, 0, 0), replica("b", 0, false, 0, 0, 0), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := &entry{tools: []*tool{c.a, c.b}}
			got := ""
			if _, conn := e.choose(nil); conn != nil {
				got = conn.server
				other, _ := e.choose([]*connection{conn})
				if other != nil && other.server.conf.Name == got {
					t.Error("a connection that was asked is chosen again")
				}
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestABadServerIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := replica("a", 0, true, 10, 10, time.Millisecond), replica("b", 0, true, 1, 0, time.Millisecond)
		e := &entry{tools: []*tool{a, b}}
		chosen := func() string { _, c := e.choose(nil); return c.server }
		if got := chosen(); got != "b" {
			t.Fatalf("got %s, want b", got)
		}
		for range 12 {
			time.Sleep(slotTime)
			b.server.meter.begin()
			b.server.meter.end(time.Now().Add(-time.Millisecond), time.Now(), well)
		}
		if got := chosen(); got != "a" {
			t.Errorf("got %s, want the one that had no calls for five minutes", got)
		}
	})
}

func TestLatencyIsAMovingAverage(t *testing.T) {
	var m meter
	start := time.Unix(1000, 0)
	for i, took := range []time.Duration{100, 200, 100} {
		m.begin()
		m.end(start, start.Add(took*time.Millisecond), well)
		want := []time.Duration{100 * time.Millisecond, 110 * time.Millisecond, 109 * time.Millisecond}[i]
		if _, got := m.standing(start.Add(time.Second)); got != want {
			t.Errorf("after %d calls: got %v, want %v", i+1, got, want)
		}
	}
	m.begin()
	m.end(start, start.Add(time.Hour), unsaid) // cancelled: it says nothing
	if m.latency != 109*time.Millisecond || m.calls != 4 || m.errors != 0 {
		t.Errorf("got %v, %d calls, %d errors", m.latency, m.calls, m.errors)
	}
}

func TestBackoff(t *testing.T) {
	for failures, want := range []time.Duration{500, 1000, 2000, 4000, 8000, 16000, 30000, 30000} {
		want *= time.Millisecond
		for range 100 {
			if d := backoff(500*time.Millisecond, 30*time.Second, failures); d > want || d < want/2 {
				t.Fatalf("after %d failures: got %v, want %v to %v", failures, d, want/2, want)
			}
		}
	}
	if d := backoff(time.Second, time.Minute, 1_000_000); d < 30*time.Second || d > time.Minute {
		t.Errorf("got %v, want up to a minute", d)
	}
}
