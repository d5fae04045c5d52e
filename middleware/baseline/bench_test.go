// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package baseline_test

import (
	"context"
	"testing"

	"github.com/toolscope/toolscope/middleware/baseline"
	"github.com/toolscope/toolscope/toolkit"
)

// BenchmarkCall is a call with 120 bytes of arguments, of which one is a path.
func BenchmarkCall(b *testing.B) {
	policy, err := baseline.New(baseline.Options{})
	if err != nil {
		b.Fatal(err)
	}
	tool := func(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{Output: "x"}, nil }
	ctx := toolkit.WithSession(b.Context(), toolkit.Session{ID: "s", Agent: "a"})
	call := toolkit.Call{Name: "file_read", Arguments: []byte(
		`{"path":"internal/report/summary.go","from":120,"to":240,"query":"what is asked what is asked what is asked what is"}`)}
	for name, h := range map[string]toolkit.Handler{"bare": tool, "baseline": policy.Wrap(tool)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = h(ctx, call)
			}
		})
	}
}
