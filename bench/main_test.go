// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package bench_test

import (
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/toolscope/toolscope/bench"
)

func TestMain(m *testing.M) {
	ballast := bench.Ballast()
	warm(200 * time.Millisecond)
	code := m.Run()
	runtime.KeepAlive(ballast)
	os.Exit(code)
}

// warm makes spans for a while, so that the first benchmark of a process is not the one
// that finds memory and processor cold.
func warm(d time.Duration) {
	w, err := bench.Find("hand").Wrap(bench.Tool)
	if err != nil {
		panic(err)
	}
	defer w.Close()
	for end := time.Now().Add(d); time.Now().Before(end); {
		_, _ = w.Handler(w.Context, bench.Call)
	}
}
