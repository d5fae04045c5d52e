// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package loop_test

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/middleware/loop"
	"github.com/toolscope/toolscope/toolkit"
)

// A call as models make them: 300 bytes of arguments, 500 of output.
var (
	arguments = []byte(`{"path":"internal/report/summary.go","from":120,"to":240,"query":"` + strings.Repeat("what is asked ", 16) + `"}`)
	output    = strings.Repeat("0123456789", 50)
)

// within runs work once inside an observed call of a session, so that the record
// is alive; run makes the i-th call of some.
func within(s toolkit.Session, tool toolkit.Handler, work func(run func(i int))) {
	def := toolkit.Definition{Name: "x", ReadOnly: toolkit.Yes}
	h := toolkit.Observe(func(string) *toolkit.Definition { return &def }, ends{func(*toolkit.Ended) {}})(func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		work(func(i int) {
			call := call
			call.Name, call.Arguments = names[i%len(names)], calls[i%len(calls)]
			_, _ = tool(ctx, call)
		})
		return toolkit.Result{}, nil
	})
	ctx := context.Background()
	if s != (toolkit.Session{}) {
		ctx = toolkit.WithSession(ctx, s)
	}
	_, _ = h(ctx, toolkit.Call{Name: "x"})
}

// Five tools in turn, with more different arguments than the window holds, so that
// nothing repeats.
var (
	names = [5]string{"read_file", "search", "list_directory", "edit_file", "bash"}
	calls = func() (all [101][]byte) {
		for i := range all {
			all[i] = []byte(strings.Replace(string(arguments), "120", strconv.Itoa(1000+i), 1))
		}
		return all
	}()
)

// echo answers each call differently.
func echo(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
	return toolkit.Result{Output: outputs[call.Arguments[digit]-'0']}, nil
}

// digit is where the last digit of what differs stands.
var digit = strings.Index(string(arguments), "120") + 3

var outputs = func() (all [10]string) {
	for i := range all {
		all[i] = output + strconv.Itoa(i)
	}
	return all
}()

func TestAllocations(t *testing.T) {
	for name, s := range map[string]toolkit.Session{"no loop": {ID: "s"}, "no session": {}} {
		within(s, policy(t, loop.Options{}).Wrap(echo), func(run func(int)) {
			for i := range 200 {
				run(i) // fills the window
			}
			i := 0
			if got := testing.AllocsPerRun(1000, func() { run(i); i++ }); got != 0 {
				t.Errorf("%s: %v allocations, want 0", name, got)
			}
		})
	}
}

// The fingerprint of the arguments is measured apart: the cache and the detection of
// duplicates share it.
func BenchmarkLoop(b *testing.B) {
	bench := func(name string, s toolkit.Session, tool toolkit.Handler, step int) {
		b.Run(name, func(b *testing.B) {
			within(s, tool, func(run func(int)) {
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					run(i)
					i += step
				}
			})
		})
	}
	session := toolkit.Session{ID: "s"}
	fingerprint := func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
		call.Record.Identity(call)
		return toolkit.Result{}, nil
	}
	never := loop.Thresholds{Signal: -1, Advice: -1}
	bench("bare", session, echo, 1)
	bench("bare with the fingerprint", session, fingerprint, 1)
	bench("no session", toolkit.Session{}, policy(b, loop.Options{}).Wrap(echo), 1)
	bench("no loop", session, policy(b, loop.Options{}).Wrap(echo), 1)
	bench("the same call, never told", session, policy(b, loop.Options{Default: never}).Wrap(echo), 0)
	bench("the same call, stopped", session, policy(b, loop.Options{Default: loop.Thresholds{Stop: 3}}).Wrap(echo), 0)
}
