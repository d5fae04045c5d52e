// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package bench_test

import (
	"os"
	"runtime"
	"testing"

	"github.com/toolscope/toolscope/bench"
)

func TestMain(m *testing.M) {
	ballast := bench.Ballast()
	bench.Warm()
	code := m.Run()
	runtime.KeepAlive(ballast)
	os.Exit(code)
}
