// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tailsample

import (
	"math"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/trace"
)

// The specification's table at four digits.
func TestThresholds(t *testing.T) {
	for _, c := range []struct {
		oneIn float64
		want  string
	}{
		{1, "0"}, {2, "8"}, {3, "aaab"}, {4, "c"}, {5, "cccd"}, {8, "e"}, {10, "e666"}, {16, "f"}, {100, "fd70a"},
		{1000, "ffbe77"},
		{10_000, "fff9724"}, {100_000, "ffff583a"}, {1_000_000, "ffffef39"},
	} {
		got := thresholdOf(1 / c.oneIn)
		if got.String() != c.want {
			t.Errorf("1 in %v: got %s, want %s", c.oneIn, got, c.want)
		}
		if n, ok := hex56(c.want); !ok || threshold(n) != got {
			t.Errorf("%s: read back as %x, %v, want %x", c.want, n, ok, uint64(got))
		}
	}
	for probability, want := range map[float64]threshold{0: never, -1: never, math.NaN(): never, 2: always} {
		if got := thresholdOf(probability); got != want {
			t.Errorf("%v: got %x, want %x", probability, uint64(got), uint64(want))
		}
	}
	for _, p := range []float64{math.SmallestNonzeroFloat64, 1e-300, 1e-17, 0x1p-56, 1 - 0x1p-53} {
		if got := thresholdOf(p); got >= never {
			t.Errorf("%v: got %x, want a threshold", p, uint64(got))
		}
	}
}

func TestWithThreshold(t *testing.T) {
	full := "a=" + strings.Repeat("x", 100)
	for _, c := range []struct {
		name, state string
		threshold   threshold
		known       bool
		want        string
	}{
		{"none before", "", always, true, "ot=th:0"},
		{"others stay", "vendor=1,other=2", thresholdOf(0.5), true, "ot=th:8,vendor=1,other=2"},
		{"fields stay", "vendor=1,ot=rv:0123456789abcd;th:0;k:v", thresholdOf(0.1), true,
			"ot=rv:0123456789abcd;k:v;th:e666,vendor=1"},
		{"the same", "vendor=1,ot=th:8", thresholdOf(0.5), true, "vendor=1,ot=th:8"},
		{"removed", "vendor=1,ot=th:8", 0, false, "vendor=1"},
		{"only th removed", "vendor=1,ot=th:8;k:v", 0, false, "ot=k:v,vendor=1"},
		{"nothing to remove", "vendor=1", 0, false, "vendor=1"},
		{"no room", "ot=k:" + strings.Repeat("v", 248) + ";th:8", thresholdOf(0.1), true, "ot=k:" + strings.Repeat("v", 248)},
		{"long others", full, always, true, "ot=th:0," + full},
	} {
		t.Run(c.name, func(t *testing.T) {
			state, err := trace.ParseTraceState(c.state)
			if err != nil {
				t.Fatal(err)
			}
			if got := withThreshold(state, c.threshold, c.known).String(); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if state.String() != c.state {
				t.Errorf("the state given was changed to %q", state)
			}
		})
	}
}

func TestSamplingOf(t *testing.T) {
	id := trace.TraceID{8: 0xff, 9: 0x80, 15: 1}
	for _, c := range []struct {
		state string
		want  sampling
	}{
		{"", sampling{randomness: 0x80000000000001}},
		{"ot=th:c", sampling{threshold: 0xc0 << 48, known: true, randomness: 0x80000000000001}},
		{"ot=rv:00000000000007;th:0", sampling{known: true, randomness: 7, explicit: true}},
		{"ot=rv:7;th:C", sampling{randomness: 0x80000000000001}},
		{"ot=th:000000000000001", sampling{randomness: 0x80000000000001}},
		{"ot=th:;rv:", sampling{randomness: 0x80000000000001}},
		{"vendor=th:8", sampling{randomness: 0x80000000000001}},
	} {
		state, err := trace.ParseTraceState(c.state)
		if err != nil {
			t.Fatal(err)
		}
		if got := samplingOf(id, state); got != c.want {
			t.Errorf("%q: got %+v, want %+v", c.state, got, c.want)
		}
	}
}

// FuzzTraceState: whatever a tracestate holds, what is set can be read back or is not
// there, all members of others stay, and so do toolscope's other fields.
func FuzzTraceState(f *testing.F) {
	f.Add("", uint64(0), true)
	f.Add("ot=th:8;rv:0123456789abcd,vendor=1", uint64(0xe6660000000000), true)
	f.Add("ot=;;;th:zz;th:8,a@b=c", uint64(1), false)
	f.Fuzz(func(t *testing.T, text string, n uint64, known bool) {
		state, err := trace.ParseTraceState(text)
		if err != nil {
			return
		}
		th := threshold(n & (1<<56 - 1))
		got := withThreshold(state, th, known)
		if _, err := trace.ParseTraceState(got.String()); err != nil {
			t.Fatalf("%q became %q: %v", text, got, err)
		}
		after := samplingOf(trace.TraceID{}, got)
		if after.known && (!known || after.threshold != th) {
			t.Errorf("%q became %q: got th %v, want %v, known %v", text, got, after.threshold, th, known)
		}
		if before := samplingOf(trace.TraceID{}, state); before.explicit &&
			(after.randomness != before.randomness || !after.explicit) {
			t.Errorf("%q became %q: the randomness was changed", text, got)
		}
		others := 0
		state.Walk(func(key, value string) bool {
			if key != otKey {
				others++
				if got.Get(key) != value && others < 32 {
					t.Errorf("%q became %q: %s was changed", text, got, key)
				}
			}
			return true
		})
	})
}
