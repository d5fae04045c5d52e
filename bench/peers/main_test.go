// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package peers

import (
	"log/slog"
	"os"
	"runtime"
	"testing"

	"github.com/toolscope/toolscope/bench"
)

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler)) // ToolHive logs each request
	ballast := bench.Ballast()
	bench.Warm()
	code := m.Run()
	runtime.KeepAlive(ballast)
	os.Exit(code)
}

// measure runs a call as Peer/of=name, from one goroutine.
func measure(b *testing.B, name string, call func()) {
	b.Helper()
	b.Run("of="+name, func(b *testing.B) {
		for range 1000 {
			call() // what is made at first use is not the call's
		}
		bench.Measure(b, 1, call)
	})
}

// BenchmarkPeer has each in turn; the first ones are what they are compared with, in this
// binary.
func BenchmarkPeer(b *testing.B) {
	for _, name := range []string{"hand", "sampled-off", "sampled"} {
		w, err := bench.Find(name).Wrap(bench.Tool)
		if err != nil {
			b.Fatal(err)
		}
		measure(b, "toolscope-"+name, func() { _, _ = w.Handler(w.Context, bench.Call) })
		w.Close()
	}
	overHTTP(b)
	overMCPGo(b)
	datadog(b)
}
