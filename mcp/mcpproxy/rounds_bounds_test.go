// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/govern"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/watch"
	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/wire"
)

// A next round is judged if what holds is not what held for the first.
func TestRoundsAfterSettingsHaveChanged(t *testing.T) {
	option, judged := judging()
	w := newWatched(t, Options{}, option)
	var reached atomic.Int32
	address := before(t, w, askingServer(func(string) { reached.Add(1) }))
	post := func(body string) string {
		t.Helper()
		resp, err := http.Post(address, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		return bodyOf(t, resp)
	}
	settings := w.Scope.Settings()
	apply := func(change func(*toolscope.Settings)) {
		t.Helper()
		s := settings
		change(&s)
		if err := w.Scope.Apply(s); err != nil {
			t.Fatal(err)
		}
	}
	post(roundOf("x", `{}`, ""))
	apply(func(s *toolscope.Settings) { s.ToolsOff = []string{"x"} })
	if answer := post(roundOf("x", `{}`, "s")); !strings.Contains(answer, "turned off") || reached.Load() != 1 {
		t.Errorf("a tool that was turned off: got %s, reached %d times", answer, reached.Load())
	}
	apply(func(s *toolscope.Settings) { s.Policies = nil; s.ToolsOff = []string{"y"} })
	post(roundOf("x", `{"a":"bad"}`, ""))
	apply(func(*toolscope.Settings) {})
	if answer := post(roundOf("x", `{"a":"bad"}`, "s")); !strings.Contains(answer, "not that") || reached.Load() != 2 {
		t.Errorf("another policy: got %s, reached %d times", answer, reached.Load())
	}
	before := judged.Load()
	post(roundOf("x", `{}`, ""))
	apply(func(s *toolscope.Settings) { s.NoContent = true })
	if answer := post(roundOf("x", `{}`, "s")); !strings.Contains(answer, "done") || judged.Load() != before+1 {
		t.Errorf("the same policies: got %s, judged %d times, want once", answer, judged.Load()-before)
	}
	w.settle()
	for _, s := range w.spans.Ended() {
		if strings.HasPrefix(s.Name(), "tools/call") && s.EndTime().IsZero() {
			t.Errorf("got %s without an end", s.Name())
		}
	}
}

// Arguments of calls that wait for input are kept up to a bound, whatever their sessions, and counted until
// no one waits.
func TestRoundsThatWaitAreBounded(t *testing.T) {
	const size, sessions = 4 << 20, 4
	w := newWatched(t, Options{})
	var all [sessions]*watch.Session
	for i := range all {
		all[i] = watch.NewSession(w.Engine, "")
	}
	long := strings.Repeat("a", size)
	argumentsOf := func(i int) []byte { return []byte(fmt.Sprintf(`{"n":%d,"a":"`, i) + long + `"}`) }
	kept := 0
	for i := range 24 {
		s := all[i%sessions]
		arguments := argumentsOf(i)
		x := &govern.Exchange{
			Params: wire.Params{Name: "x", Arguments: arguments},
			Args:   arguments,
			Op:     &watch.Operation{Connection: &s.Connection},
		}
		if i%2 == 1 { // as a policy does
			x.Args = argumentsOf(-i)
		}
		if governed := govern.NewCalls(w.Watcher, s); governed.KeepRound(x, "s") {
			kept++
		}
	}
	if n := w.Waiting.Load(); kept == 0 || n < int64(kept)*size || n > watch.MaxArguments {
		t.Errorf("got %d bytes of %d calls that wait, want at most %d", n, kept, watch.MaxArguments)
	}
	first := argumentsOf(0)
	before := w.Waiting.Load()
	if all[0].Rounds.Claim(watch.GovernedKey(&wire.Params{Name: "x", Arguments: first}, "s")) == nil ||
		w.Waiting.Load() != before-int64(len(first)) {
		t.Errorf("got %d bytes that wait after one of %d was taken from %d", w.Waiting.Load(), len(first), before)
	}
	for _, s := range all {
		s.Rounds.Close()
	}
	if n := w.Waiting.Load(); n != 0 {
		t.Errorf("got %d bytes that wait when no one does", n)
	}
}

// Of many requests that claim the same round one is not judged, whatever ends meanwhile, and each gets an
// answer of its own.
func TestRoundsAtOnce(t *testing.T) {
	const times, at = 10, 8
	option, judged := judging()
	w := newWatched(t, Options{ClientSpans: true}, option)
	address := before(t, w, askingServer(func(string) {}))
	post := func(body string) string {
		resp, err := http.Post(address, "application/json", strings.NewReader(body))
		if err != nil {
			return err.Error()
		}
		defer resp.Body.Close()
		text, _ := io.ReadAll(resp.Body)
		return string(text)
	}
	for n := range times {
		arguments := fmt.Sprintf(`{"n":%d}`, n)
		post(roundOf("x", arguments, ""))
		before := judged.Load()
		var all sync.WaitGroup
		for range at {
			all.Go(func() {
				if answer := post(roundOf("x", arguments, "s")); !strings.Contains(answer, "done") {
					t.Errorf("got %s", answer)
				}
			})
		}
		w.Tap.CallNow(func() { w.FindHung(time.Now()) })
		all.Wait()
		if got := judged.Load() - before; got != at-1 {
			t.Errorf("got %d judged of %d, want all but one", got, at)
		}
	}
	w.settle()
	spans := 0
	for _, s := range w.spans.Ended() {
		if s.SpanKind() == trace.SpanKindServer && strings.HasPrefix(s.Name(), "tools/call") {
			spans++
		}
	}
	if spans != times*at || w.Waiting.Load() != 0 {
		t.Errorf("got %d spans and %d bytes that wait, want %d and none", spans, w.Waiting.Load(), times*at)
	}
}
