// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package adaptertest

import (
	"context"
	"testing"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/toolkit"
)

// Benchmark compares a turn with one call of a tool, without toolscope and with it. A turn is all that
// the framework's loop does, with a model that answers at once.
func Benchmark(b *testing.B, f Framework) {
	b.Helper()
	scope, err := toolscope.New(toolscope.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = scope.Shutdown(context.Background()) })
	turn := Turn{Tools: []Tool{plain(Plain, answer("1 hit", nil))}, Calls: []toolkit.Call{searchCall}}
	turn.Provider = (&bench{f: f}).tracers()
	for _, s := range []*toolscope.Scope{nil, scope} {
		turn.Scope = s
		b.Run(map[bool]string{true: "bare", false: "toolscope"}[s == nil], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := f.Run(context.Background(), turn); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
