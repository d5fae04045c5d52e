// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tooltest_test

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func def(name string) toolkit.Definition { return toolkit.Definition{Name: name} }

func TestRecorderCountsConcurrentCallsExactly(t *testing.T) {
	var seen tooltest.Recorder
	execute := toolkit.Observe(nil, &seen)(tooltest.Echo(def("echo")).Handle)
	const calls = 1000
	var wg sync.WaitGroup
	for i := range calls {
		wg.Go(func() {
			_, _ = execute(t.Context(), toolkit.Call{Name: "echo", ID: strconv.Itoa(i)})
			_ = seen.All()
		})
	}
	wg.Wait()
	ids := map[string]bool{}
	for _, e := range seen.All() {
		ids[e.Call.ID] = true
	}
	if seen.Len() != calls || len(ids) != calls || seen.Open() != 0 {
		t.Errorf("got %d calls, %d ids, %d open, want %d, %[4]d, 0", seen.Len(), len(ids), seen.Open(), calls)
	}
}

func TestRecorderCopies(t *testing.T) {
	var seen tooltest.Recorder
	execute := toolkit.Observe(nil, &seen)(tooltest.Echo(def("echo")).Handle)
	for _, id := range []string{"1", "2"} {
		_, _ = execute(t.Context(), toolkit.Call{Name: "echo", ID: id, Arguments: []byte(`{"a":1}`)})
	}
	all := seen.All()
	all[0].Call.ID = "changed"
	if got := seen.All()[0].Call.ID; got != "1" {
		t.Errorf("the recorder's copy was changed to %q", got)
	}
	second := seen.Filter(func(e toolkit.Ended) bool { return e.Call.ID == "2" })
	if len(second) != 1 || second[0].Result.Output != `{"a":1}` || !second[0].Content {
		t.Errorf("Filter: got %v, want the second call with its content", second)
	}
	if got := len(seen.Filter(nil)); got != 2 {
		t.Errorf("Filter(nil): got %d calls, want 2", got)
	}
	if taken := seen.TakeAll(); len(taken) != 2 || seen.Len() != 0 {
		t.Errorf("TakeAll: got %d calls and %d left, want 2 and 0", len(taken), seen.Len())
	}
	_, _ = execute(t.Context(), toolkit.Call{})
	if seen.Reset(); seen.Len() != 0 {
		t.Errorf("Reset left %d calls", seen.Len())
	}
}

func TestRecorderKnowsOpenCalls(t *testing.T) {
	var seen tooltest.Recorder
	_, running := toolkit.Begin(t.Context(), toolkit.Call{Name: "stream"}, nil, &seen)
	if seen.Open() != 1 || seen.Len() != 0 {
		t.Errorf("before the end: got %d open, %d ended, want 1 and 0", seen.Open(), seen.Len())
	}
	running.End(toolkit.Result{}, nil)
	if seen.Open() != 0 || seen.Len() != 1 {
		t.Errorf("after the end: got %d open, %d ended, want 0 and 1", seen.Open(), seen.Len())
	}
}

func TestScriptAnswersInOrder(t *testing.T) {
	broken := errors.New("broken")
	script := tooltest.Scripted(def("script"), tooltest.Text("one"), tooltest.Step{Err: broken}, tooltest.Step{Panic: "boom"})
	if res, err := script.Handle(t.Context(), toolkit.Call{ID: "1"}); res.Output != "one" || err != nil {
		t.Errorf("step 1: got %v, %v", res, err)
	}
	if _, err := script.Handle(t.Context(), toolkit.Call{ID: "2"}); err != broken {
		t.Errorf("step 2: got %v, want the step's own error", err)
	}
	func() {
		defer func() {
			if v := recover(); v != "boom" {
				t.Errorf("step 3: got panic %v, want boom", v)
			}
		}()
		_, _ = script.Handle(t.Context(), toolkit.Call{ID: "3"})
	}()
	_, err := script.Handle(t.Context(), toolkit.Call{ID: "4"})
	if want := `tooltest: script of "script": got call 4, want at most 3`; err == nil || err.Error() != want {
		t.Errorf("step 4: got error %v, want %q", err, want)
	}
	calls := script.Calls()
	if len(calls) != 4 || calls[0].ID != "1" || calls[3].ID != "4" {
		t.Errorf("Calls: got %v, want the four in order", calls)
	}
}

func TestToolsFailAsTheySay(t *testing.T) {
	broken := errors.New("broken")
	if _, err := tooltest.Failing(def("f"), broken).Handle(t.Context(), toolkit.Call{}); err != broken {
		t.Errorf("Failing: got %v, want the very error", err)
	}
	if _, err := tooltest.Failing(def("f"), nil).Handle(t.Context(), toolkit.Call{}); err != toolkit.ErrTool {
		t.Errorf("Failing(nil): got %v, want ErrTool", err)
	}
	defer func() {
		if v := recover(); v != broken {
			t.Errorf("Panicking: got %v, want the very value", v)
		}
	}()
	_, _ = tooltest.Panicking(def("p"), broken).Handle(t.Context(), toolkit.Call{})
}

func TestSlowEndsWithItsTimeOrItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := tooltest.Slow(def("slow"), time.Hour)
		start := time.Now()
		if res, err := slow.Handle(t.Context(), toolkit.Call{}); res.Output != "done" || err != nil || time.Since(start) != time.Hour {
			t.Errorf("got %v, %v after %v, want done after 1h", res, err, time.Since(start))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		start = time.Now()
		if _, err := slow.Handle(ctx, toolkit.Call{}); err != context.DeadlineExceeded || time.Since(start) != time.Minute {
			t.Errorf("got %v after %v, want the context's error after 1m", err, time.Since(start))
		}
	})
}
