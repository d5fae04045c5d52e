// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package bench_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/toolscope/toolscope/bench"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/toolkit"
)

// wrap puts a mode around a tool until the benchmark is over.
func wrap(b *testing.B, m bench.Mode, tool toolkit.Handler) bench.Wrapped {
	b.Helper()
	w, err := m.Wrap(tool)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(w.Close)
	return w
}

// try is one call, which must succeed.
func try(b *testing.B, w bench.Wrapped, call toolkit.Call) {
	if res, err := w.Handler(w.Context, call); err != nil || res.Fault != nil {
		b.Fatal(err, res.Fault)
	}
}

// each runs a benchmark of each mode from each number of goroutines, all modes of one
// number next to each other, so that what is compared is measured close together. Their order
// differs from process to process: the first one of a process is at a disadvantage.
func each(
	b *testing.B,
	tool toolkit.Handler,
	modes []bench.Mode,
	run func(b *testing.B, w bench.Wrapped, goroutines int),
) {
	rand.Shuffle(len(modes), func(i, j int) { modes[i], modes[j] = modes[j], modes[i] })
	for _, goroutines := range bench.Goroutines {
		for _, m := range modes {
			b.Run(
				fmt.Sprintf("mode=%s/goroutines=%d", m.Name, goroutines),
				func(b *testing.B) { run(b, wrap(b, m, tool), goroutines) },
			)
		}
	}
}

// BenchmarkCall is the call that goals speak of, in a tight loop.
func BenchmarkCall(b *testing.B) {
	each(b, bench.Tool, append(bench.Bare(), bench.Ours()...), func(b *testing.B, w bench.Wrapped, goroutines int) {
		try(b, w, bench.Call)
		bench.Measure(b, goroutines, func() { _, _ = w.Handler(w.Context, bench.Call) })
	})
}

// BenchmarkMiss is the call with other arguments and another answer each time, so that no
// policy can answer it from memory. Making both is part of it, in all modes.
func BenchmarkMiss(b *testing.B) {
	modes := []bench.Mode{
		bench.Find("hand"),
		bench.Find("sampled"),
		bench.Find("everything"),
		bench.Find("everything-cancelable"),
	}
	each(b, bench.FreshTool, modes, func(b *testing.B, w bench.Wrapped, goroutines int) {
		try(b, w, bench.FreshCall())
		bench.Measure(b, goroutines, func() { _, _ = w.Handler(w.Context, bench.FreshCall()) })
	})
}

// BenchmarkPolicies is a miss under every policy but one, so that the difference to
// without=none is what that one costs among the others.
func BenchmarkPolicies(b *testing.B) {
	without := []string{"none", "all"}
	for place := middleware.StageRecover; place <= middleware.StageTimeout; place++ {
		without = append(without, place.String())
	}
	rand.Shuffle(len(without), func(i, j int) { without[i], without[j] = without[j], without[i] })
	for _, place := range without {
		b.Run("without="+place, func(b *testing.B) {
			w := wrap(b, bench.Mode{Name: place, Wrap: bench.EverythingBut(place)}, bench.FreshTool)
			try(b, w, bench.FreshCall())
			bench.Measure(b, 1, func() { _, _ = w.Handler(w.Context, bench.FreshCall()) })
		})
	}
}

// BenchmarkApart is the call at an agent's rate.
func BenchmarkApart(b *testing.B) {
	for _, name := range []string{"hand-sdk-batcher", "hand-our-batcher", "sampled-sdk-batcher", "sampled-our-batcher"} {
		b.Run("mode="+name, func(b *testing.B) {
			w := wrap(b, bench.Find(name), bench.Tool)
			try(b, w, bench.Call)
			bench.MeasureApart(b, func() { _, _ = w.Handler(w.Context, bench.Call) })
		})
	}
}

// BenchmarkArguments and BenchmarkResult are calls with more and less to look at.
func BenchmarkArguments(b *testing.B) {
	for _, size := range bench.ArgumentSizes {
		call := bench.Call
		call.Arguments = bench.Arguments(size)
		for _, name := range []string{"sampled-off", "sampled"} {
			b.Run(fmt.Sprintf("mode=%s/bytes=%d", name, size), func(b *testing.B) {
				w := wrap(b, bench.Find(name), bench.Tool)
				try(b, w, call)
				bench.Measure(b, 1, func() { _, _ = w.Handler(w.Context, call) })
			})
		}
	}
}

func BenchmarkResult(b *testing.B) {
	for _, form := range []struct {
		name string
		make func(int) string
	}{{"text", bench.Text}, {"json", bench.JSONText}} {
		for _, size := range bench.ResultSizes {
			tool := bench.Answering(form.make(size))
			for _, name := range []string{"sampled-off", "sampled"} {
				b.Run(fmt.Sprintf("mode=%s/form=%s/bytes=%d", name, form.name, size), func(b *testing.B) {
					w := wrap(b, bench.Find(name), tool)
					try(b, w, bench.Call)
					bench.Measure(b, 1, func() { _, _ = w.Handler(w.Context, bench.Call) })
				})
			}
		}
	}
}

// BenchmarkRedact is what the redactor alone takes on the bytes of the call.
func BenchmarkRedact(b *testing.B) {
	r := redact.Default()
	b.Run("of=call", func(b *testing.B) {
		bench.Measure(b, 1, func() {
			r.JSONMax(bench.Call.Arguments, 4096)
			r.TextMax(bench.Output, 4096)
		})
	})
}
