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
	arguments = []byte(`{"path":"internal/report/summary.go","from":120,"to":240,"query":"` +
		strings.Repeat("what is asked ", 16) + `"}`)
	output = strings.Repeat("0123456789", 50)
)

// calling is an observed tool, to be called the i-th time.
func calling(s toolkit.Session, tool toolkit.Handler) func(i int) {
	def := toolkit.Definition{Name: "x", ReadOnly: toolkit.Yes}
	h := toolkit.Observe(func(string) *toolkit.Definition { return &def }, ends{func(*toolkit.Ended) {}})(tool)
	ctx := context.Background()
	if s != (toolkit.Session{}) {
		ctx = toolkit.WithSession(ctx, s)
	}
	return func(i int) {
		_, _ = h(ctx, toolkit.Call{Name: names[i%len(names)], Arguments: calls[i%len(calls)]})
	}
}

// Five tools in turn, with more different arguments than the window holds and than
// the allocations are counted for, so that nothing repeats.
var (
	names = [5]string{"read_file", "search", "list_directory", "edit_file", "bash"}
	calls = func() (all [2001][]byte) {
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
	if raceEnabled {
		t.Skip("with the race detector, pools forget")
	}
	for name, s := range map[string]toolkit.Session{"no loop": {ID: "s"}, "no session": {}} {
		run := calling(s, policy(t, loop.Options{}).Wrap(echo))
		for i := range 3 * len(calls) { // fills the window, and what package identity keeps
			run(i)
		}
		i := 0
		if got := testing.AllocsPerRun(1000, func() { run(i); i++ }); got != 0 {
			t.Errorf("%s: %v allocations, want 0", name, got)
		}
	}
}

// The fingerprint of the arguments is measured apart: the cache and the detection of
// duplicates share it.
func BenchmarkLoop(b *testing.B) {
	bench := func(name string, s toolkit.Session, tool toolkit.Handler, step int) {
		b.Run(name, func(b *testing.B) {
			run, i := calling(s, tool), 0
			b.ReportAllocs()
			for b.Loop() {
				run(i)
				i += step
			}
		})
	}
	session := toolkit.Session{ID: "s"}
	fingerprint := func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		call.Record.Identity(call)
		return echo(ctx, call)
	}
	never := loop.Thresholds{Signal: -1, Advice: -1}
	bench("bare", session, echo, 1)
	bench("fingerprint only", session, fingerprint, 1)
	bench("no session", toolkit.Session{}, policy(b, loop.Options{}).Wrap(echo), 1)
	bench("no loop", session, policy(b, loop.Options{}).Wrap(echo), 1)
	bench("the same call, fingerprint only", session, fingerprint, 0)
	bench("the same call, never told", session, policy(b, loop.Options{Default: never}).Wrap(echo), 0)
	bench("the same call, stopped", session, policy(b, loop.Options{Default: loop.Thresholds{Stop: 3}}).Wrap(echo), 0)
}
