// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package main

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/recordings"
)

// BenchmarkRecording is the median of a call and its answer through the proxy: not recorded, with a call log, and recorded
// as it is by default, interleaved. The ratios are those of the medians to the first one.
func BenchmarkRecording(b *testing.B) {
	log := filepath.Join(b.TempDir(), "calls.jsonl")
	ways := []*wire{startWire(b, "off"), startWire(b, "off", "--log", log), startWire(b, b.TempDir())}
	var took [3][]time.Duration
	n := 0
	for b.Loop() {
		for i, w := range ways {
			n++
			began := time.Now()
			w.ask(b, callOf(fmt.Sprint(n), "echo", fmt.Sprintf(`{"text":"hello","n":%d}`, n)))
			took[i] = append(took[i], time.Since(began))
		}
	}
	var medians [3]float64
	for i := range took {
		slices.Sort(took[i])
		medians[i] = float64(took[i][len(took[i])/2].Nanoseconds()) / 1000
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(medians[0], "off-µs")
	b.ReportMetric(medians[1], "logged-µs")
	b.ReportMetric(medians[2], "recorded-µs")
	b.ReportMetric(medians[1]/medians[0], "logged-ratio")
	b.ReportMetric(medians[2]/medians[0], "recorded-ratio")
}

// wire is a proxy that is being used.
type wire struct {
	in  io.Writer
	out *bufio.Reader
}

func startWire(b *testing.B, record string, options ...string) *wire {
	b.Helper()
	cmd := proxied(b, "mcp", append([]string{"--name", "fake"}, options...)...)
	cmd.Env = append(cmd.Env, recordings.Variable+"="+record)
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait() // the server's own exit code
	})
	w := &wire{in, bufio.NewReader(out)}
	w.ask(b, initialize)
	w.ask(b, listTools)
	return w
}

func (w *wire) ask(b *testing.B, line string) {
	b.Helper()
	if _, err := io.WriteString(w.in, line); err != nil {
		b.Fatal(err)
	}
	if _, err := w.out.ReadString('\n'); err != nil {
		b.Fatal(err)
	}
}
