// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	crand "crypto/rand"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

// Whatever snapshots of which processes arrive, in whatever order intervals are sealed: what is counted is
// the sum of the last ones.
func TestOriginsAddUp(t *testing.T) {
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) { originsAddUp(t, rand.New(rand.NewPCG(seed, 33))) })
	}
}

// originsAddUp runs in a synctest bubble.
func originsAddUp(t *testing.T, random *rand.Rand) {
	fleet := newRecorder(t)
	processes := make([]*Recorder, 5)
	origins := make([]*Origin, len(processes))
	for i := range processes {
		processes[i], origins[i] = newRecorder(t), fleet.NewOrigin()
	}
	tools := []*toolkit.Definition{{Name: "search"}, {Name: "read", Cost: 0.25}, {Name: "write"}}
	for range 200 {
		p := random.IntN(len(processes))
		switch random.IntN(4) {
		case 0:
			origins[p].Count(processes[p].Snapshot(Window{}))
		case 1:
			time.Sleep(time.Duration(random.IntN(7)) * time.Second) // in the bubble
		default:
			e := call(tools[random.IntN(len(tools))], time.Duration(random.IntN(1e9)), sampled(byte(random.IntN(9))))
			switch random.IntN(5) {
			case 0:
				failing("timeout", fmt.Sprintf("no answer after %d s", random.IntN(9)))(e)
			case 1:
				with(toolkit.OutcomeCacheHit)(e)
				e.Disposition.Tags = []toolkit.Tag{{Key: "cache", Value: "hit"}}
			}
			record(processes[p], e)
		}
	}
	var last []*Snapshot
	for i, o := range origins {
		last = append(last, processes[i].Snapshot(Window{}))
		o.Count(last[i])
		o.Count(last[i]) // twice is once
	}
	want, got := Merge(last...), fleet.Snapshot(Window{})
	if len(got.Tools) != len(want.Tools) || got.OtherErrors != want.OtherErrors {
		t.Fatalf("got %d tools and %d other errors, want %d and %d", len(got.Tools), got.OtherErrors, len(want.Tools), want.OtherErrors)
	}
	for i := range want.Tools {
		g, w := got.Tools[i], want.Tools[i]
		if g.Tool != w.Tool || g.Counters != w.Counters || g.Cost != w.Cost || !slices.Equal(g.ErrorTypes, w.ErrorTypes) ||
			!slices.Equal(g.Policies, w.Policies) {
			t.Errorf("%s: got %+v %v %v, want %+v %v %v", w.Tool, g.Counters, g.ErrorTypes, g.Policies, w.Counters,
				w.ErrorTypes, w.Policies)
		}
		for column, h := range w.Histograms.columns() {
			if !g.Histograms.columns()[column].raw().Equal(h.raw()) {
				t.Errorf("%s: histogram %d: got %d values, want %d", w.Tool, column, g.Histograms.columns()[column].Count(), h.Count())
			}
		}
	}
	if len(got.Errors) != len(want.Errors) {
		t.Fatalf("got %d error groups, want %d", len(got.Errors), len(want.Errors))
	}
	for i, w := range want.Errors {
		at := slices.IndexFunc(got.Errors, func(g ErrorGroup) bool { return g.ID == w.ID })
		if at < 0 || got.Errors[at].Count != w.Count {
			t.Errorf("group %d: got %+v, want %+v", i, got.Errors, w)
		}
	}
}

// Calls of an origin count when they arrive, and run until it is closed.
func TestOriginInWindows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fleet, process := newRecorder(t), newRecorder(t)
		tool := &toolkit.Definition{Name: "search"}
		record(process, call(tool, time.Second))
		process.Begin(t.Context(), toolkit.Call{}, &toolkit.CallInfo{Tool: tool})
		time.Sleep(time.Hour)
		o := fleet.NewOrigin()
		o.Count(process.Snapshot(Window{}))
		s := fleet.Summary(Window{Last: time.Minute}).Overall
		if s.Executed != 1 || s.InFlight != 1 || fleet.InFlight() != 1 {
			t.Errorf("got %d calls and %d running, want one of both", s.Executed, s.InFlight)
		}
		o.Close()
		time.Sleep(10 * time.Minute)
		if s = fleet.Summary(Window{Last: time.Minute}).Overall; s.Executed != 0 || s.InFlight != 0 {
			t.Errorf("later: got %d calls and %d running, want none", s.Executed, s.InFlight)
		}
		if s = fleet.Summary(Window{}).Overall; s.Executed != 1 {
			t.Errorf("total: got %d calls, want 1", s.Executed)
		}
	})
}

// Origins keep the recorder's bounds, and its redactor.
func TestOriginIsBoundedAndRedacted(t *testing.T) {
	fleet := newRecorder(t, Options{MaxTools: 4})
	secret := "ghp_" + strings.ReplaceAll(crand.Text()+crand.Text(), "=", "")[:36]
	s := &Snapshot{Version: SnapshotVersion, Processes: 1}
	for i := range 100 {
		s.Tools = append(s.Tools, ToolSnapshot{
			Tool: fmt.Sprintf("tool%02d", i), Counters: Counters{BytesIn: 1},
			ErrorTypes: []TypeCount{{fmt.Sprintf("type_%d", i), 1}}, Policies: []PolicyCount{{PolicyTag{"k", fmt.Sprint(i)}, 1}},
		})
	}
	s.Tools[0].Tool = secret
	s.Errors = []ErrorGroup{{ID: "0123456789abcdef", Tool: "tool01", Type: "t", Message: "token " + secret,
		Example: secret, Count: 1}}
	fleet.NewOrigin().Count(s)
	got := fleet.Snapshot(Window{})
	var bytes, policies, types uint64
	for i := range got.Tools {
		bytes += got.Tools[i].BytesIn
		types += got.Tools[i].Errors()
		for _, p := range got.Tools[i].Policies {
			policies += p.Count
		}
	}
	if len(got.Tools) != 5 || bytes != 100 || policies != 100 || types != 100 {
		t.Errorf("got %d tools, %d bytes, %d facts, %d errors, want 5 tools and 100 of all", len(got.Tools), bytes, policies, types)
	}
	if text := fmt.Sprintf("%+v", got); strings.Contains(text, secret) {
		t.Errorf("got the secret in %s", text)
	}
}
