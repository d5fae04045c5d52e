// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tailsample_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/toolscope/toolscope/exporters/internal/tailsample"
)

// weight is how many spans a kept one stands for, as a backend reads it: 2^56 / (2^56 - th).
func weight(t *testing.T, s sdktrace.ReadOnlySpan) float64 {
	t.Helper()
	_, th, found := strings.Cut(s.SpanContext().TraceState().Get("ot"), "th:")
	n, err := strconv.ParseUint((th + strings.Repeat("0", 14))[:14], 16, 64)
	if !found || err != nil {
		t.Fatalf("%s: got tracestate %q, want one with th", s.Name(), s.SpanContext().TraceState())
	}
	return math.Exp2(56) / (math.Exp2(56) - float64(n))
}

// The same traces are kept by everybody with the ratio, and the weights add up.
func TestRatio(t *testing.T) {
	h := newHost(t, tailsample.Options{Ratio: 0.1})
	const n = 20_000
	for range n {
		h.call()
	}
	total := 0.0
	for _, s := range h.kept.Ended() {
		if c := s.SpanContext(); c.TraceState().String() != "ot=th:e666" || c.TraceID().String()[18:] < "e666" {
			t.Fatalf("got %s with %q, want what is not below th:e666", c.TraceID(), c.TraceState())
		}
		total += weight(t, s)
	}
	if total < 0.95*2*n || total > 1.05*2*n {
		t.Errorf("the %d spans kept stand for %.0f, want about %d", len(h.kept.Ended()), total, 2*n)
	}
	if got := h.Stats(); got.Sampled+got.LeftOut != n || got.Sampled != uint64(len(h.kept.Ended())/2) {
		t.Errorf("got %+v, want a decision for each of %d traces", got, n)
	}
}

// TestUnbiased: whatever becomes of the traces (some matter, early or late in their life,
// some are judged in pieces, some come back after their decision), the weights of what is
// kept add up to what there was, for each kind of span.
func TestUnbiased(t *testing.T) {
	h := newHost(t, tailsample.Options{Ratio: 0.2, MaxSpans: 3, MaxTraces: 50})
	random := rand.New(rand.NewPCG(7, 7))
	made := make(map[string]float64)
	child := func(ctx context.Context) {
		name := "fine"
		_, s := h.tracer.Start(ctx, name)
		if random.IntN(20) == 0 {
			name = "matters"
			s.SetName(name)
			s.SetAttributes(tailsample.KeepKey.Bool(true))
		}
		made[name]++
		s.End()
	}
	for range 8_000 {
		ctx, root := h.tracer.Start(context.Background(), "turn")
		for range random.IntN(8) {
			child(ctx)
		}
		if random.IntN(10) > 0 { // else it is forgotten, and has to make room in the end
			made["turn"]++
			root.End()
		}
		if random.IntN(3) == 0 {
			child(ctx)
		}
	}
	if err := h.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	kept := make(map[string]float64)
	for _, s := range h.kept.Ended() {
		kept[s.Name()] += weight(t, s)
	}
	for name, want := range made {
		if got := kept[name]; math.Abs(got-want) > 0.06*want {
			t.Errorf("%s: what is kept stands for %.0f, want about %.0f", name, got, want)
		}
	}
	if kept["matters"] != made["matters"] {
		t.Errorf("got %.0f that matter, want all %.0f", kept["matters"], made["matters"])
	}
}

func TestPerSecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, tailsample.Options{Ratio: 1, PerSecond: 5})
		const seconds, each = 300, 100
		for range seconds * each {
			h.call()
			time.Sleep(time.Second / each)
		}
		total := 0.0
		for _, s := range h.kept.Ended() {
			total += weight(t, s)
		}
		if got := float64(len(h.kept.Ended())) / 2 / seconds; got < 4 || got > 6.5 {
			t.Errorf("got %.1f traces a second, want about 5", got)
		}
		if want := 2.0 * seconds * each; total < 0.9*want || total > 1.1*want {
			t.Errorf("what is kept stands for %.0f, want about %.0f", total, want)
		}
		time.Sleep(time.Minute)
		h.kept.Reset()
		h.call()
		if len(h.kept.Ended()) != 2 {
			t.Error("after a quiet minute a trace was left out")
		}
	})
}

func TestRemoteParents(t *testing.T) {
	const low, high = 0x10 << 48, 0xf0 << 48 // randomness; the ratio of a half has the threshold 0x80 << 48
	for _, c := range []struct {
		name       string
		randomness uint64
		sampled    bool
		state      string
		follow     bool
		matters    bool
		want       string // tracestate of what is kept; "-" if nothing is
	}{
		{"sampled for certain, by the ratio here", high, true, "ot=th:0,vendor=1", false, false, "ot=th:8,vendor=1"},
		{"sampled for certain, left out here", low, true, "ot=th:0,vendor=1", false, false, "-"},
		{"sampled for certain, matters here", low, true, "ot=th:0,vendor=1", false, true, "ot=th:0,vendor=1"},
		{"sampled at less than here", high, true, "ot=th:e", false, false, "ot=th:e"},
		{"sampled at less than here, matters", high, true, "ot=th:e", false, true, "ot=th:e"},
		{"sampled, not known how", high, true, "vendor=1", false, false, "vendor=1"},
		{"sampled, not known how, left out here", low, true, "vendor=1", false, false, "-"},
		{"its own randomness", low, true, "ot=rv:ffffffffffffff;th:0", false, false, "ot=rv:ffffffffffffff;th:8"},
		{"a threshold that contradicts the flag", low, true, "ot=th:e", false, true, ""},
		{"followed", low, true, "ot=th:0,vendor=1", true, false, "ot=th:0,vendor=1"},
		{"not sampled", high, false, "vendor=1", false, false, "-"},
		{"not sampled, followed", high, false, "vendor=1", true, false, "-"},
		{"not sampled, matters here", high, false, "vendor=1", false, true, "ot=th:0,vendor=1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHost(t, tailsample.Options{Ratio: 0.5, FollowParent: c.follow})
			ctx, server := h.tracer.Start(remote(t, idOf(c.randomness), c.sampled, c.state), "tools/call")
			h.child(ctx, tailsample.KeepKey.Bool(c.matters))
			server.End()
			got := "-"
			for _, s := range h.kept.Ended() {
				got = s.SpanContext().TraceState().String()
				if !s.SpanContext().IsSampled() {
					t.Errorf("%s: is kept and does not say that it is sampled", s.Name())
				}
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if n := len(h.kept.Ended()); n != 0 && n != 2 {
				t.Errorf("got %d spans, want all or none", n)
			}
		})
	}
}

// What travels on was there before the decision, and the members of others go along.
func TestWhatTravels(t *testing.T) {
	h := newHost(t, tailsample.Options{Ratio: -1})
	_, s := h.tracer.Start(context.Background(), "turn")
	if c := s.SpanContext(); !c.IsSampled() || c.TraceState().String() != "ot=th:0" {
		t.Errorf("a root: got sampled %v with %q, want th:0", c.IsSampled(), c.TraceState())
	}
	_, s = h.tracer.Start(remote(t, idOf(1), false, "vendor=1,ot=k:v"), "tools/call")
	if c := s.SpanContext(); c.IsSampled() || !s.IsRecording() || c.TraceState().String() != "vendor=1,ot=k:v" {
		t.Errorf("below a parent that is not sampled: got sampled %v, recording %v, with %q", c.IsSampled(),
			s.IsRecording(), c.TraceState())
	}
}

// Without Head it is not known what the provider's sampler left out.
func TestAnotherHead(t *testing.T) {
	h := newHost(t, tailsample.Options{Ratio: 0.5}, sdktrace.WithSampler(sdktrace.AlwaysSample()))
	for range 100 {
		h.call()
	}
	n := len(h.kept.Ended())
	if n < 60 || n > 140 {
		t.Errorf("got %d of 200 spans, want about half", n)
	}
	for _, s := range h.kept.Ended() {
		if got := s.SpanContext().TraceState().String(); got != "" {
			t.Fatalf("got %q, want no threshold", got)
		}
	}
}
