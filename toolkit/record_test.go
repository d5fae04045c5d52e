// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit_test

import (
	"context"
	"encoding/json"
	"reflect"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

// recorded runs f inside an observed call and returns what observers got of the call.
func recorded(t testing.TB, ctx context.Context, f func(toolkit.Record)) toolkit.Ended {
	t.Helper()
	var seen tooltest.Recorder
	tool := named("tool")
	handler := toolkit.Observe(func(string) *toolkit.Definition { return &tool },
		&seen)(func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
		f(call.Record)
		return toolkit.Result{}, nil
	})
	if _, err := handler(ctx, toolkit.Call{Name: "tool"}); err != nil {
		t.Fatal(err)
	}
	return seen.All()[0]
}

func TestZeroRecordWorksAndRemembersNothing(t *testing.T) {
	var r toolkit.Record
	if r.Live() || r.Note(func(*toolkit.Disposition) { t.Error("noted") }) || r.Join(r) || r.Fork() != r {
		t.Error("the zero record is alive")
	}
	if f := r.Info(); f != (toolkit.CallInfo{}) {
		t.Errorf("got facts %v, want none", f)
	}
	if s := r.Disposition(); !reflect.DeepEqual(s, toolkit.Disposition{}) {
		t.Errorf("got %v served, want nothing", s)
	}
}

func TestRecordKnowsFactsAndKeepsNotes(t *testing.T) {
	span := toolkit.SpanRef{TraceID: [16]byte{1}, SpanID: [8]byte{2}, Sampled: true}
	var seen tooltest.Recorder
	tracer := funcs{begin: func(ctx context.Context, _ toolkit.Call, f *toolkit.CallInfo) context.Context {
		f.Span = span
		return ctx
	}}
	ctx := toolkit.WithSession(t.Context(), toolkit.Session{ID: "s"})
	handler := toolkit.Observe(knows("tool"), tracer, &seen)(func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
		f := call.Record.Info()
		if f.Tool == nil || f.Tool.Name != "tool" || f.Session == nil || f.Session.ID != "s" || f.Span != span || f.Start.IsZero() {
			t.Errorf("got facts %+v, want tool, session, span and start", f)
		}
		call.Record.Note(func(s *toolkit.Disposition) { s.Outcome, s.Queue = toolkit.OutcomeCacheHit, time.Second })
		call.Record.Note(func(s *toolkit.Disposition) { s.Age = time.Minute })
		return toolkit.Result{}, nil
	})
	_, _ = handler(ctx, toolkit.Call{Name: "tool"})
	want := toolkit.Disposition{Outcome: toolkit.OutcomeCacheHit, Queue: time.Second, Age: time.Minute}
	if e := seen.All()[0]; !reflect.DeepEqual(e.Disposition, want) || e.Info.Span != span || e.Info.Session.ID != "s" {
		t.Errorf("told %+v with %+v, want %+v", e.Disposition, e.Info, want)
	}
}

func TestLateNotesAreDropped(t *testing.T) {
	var late toolkit.Record
	recorded(t, t.Context(), func(r toolkit.Record) { late = r })
	if late.Live() || late.Note(func(*toolkit.Disposition) { t.Error("noted after the end") }) ||
		late.Info() != (toolkit.CallInfo{}) {
		t.Error("the record is alive after its call")
	}
	// Its memory serves other calls by now: they must not hear of it.
	for range 100 {
		e := recorded(t, t.Context(), func(r toolkit.Record) {
			if late.Note(func(s *toolkit.Disposition) { s.Attempts = 99 }) {
				t.Error("a late note was taken")
			}
			if r == late {
				t.Error("two calls have the same record")
			}
		})
		if e.Disposition.Attempts != 0 {
			t.Fatalf("a note reached another call: %+v", e.Disposition)
		}
	}
}

func TestForkAndJoin(t *testing.T) {
	origin := toolkit.SpanRef{TraceID: [16]byte{1}, SpanID: [8]byte{1}}
	branch := toolkit.Disposition{
		Outcome: toolkit.OutcomeCoalesced, Attempts: 2, Repeat: 3, Origin: origin, Age: time.Hour,
		Queue: 1, Approval: 2, Backoff: 3, Run: 4,
	}
	var forgotten, outlived toolkit.Record
	e := recorded(t, t.Context(), func(r toolkit.Record) {
		r.Note(func(s *toolkit.Disposition) { s.Attempts, s.Queue, s.Repeat, s.Run = 1, 10, 5, 40 })
		fork := r.Fork()
		if !reflect.DeepEqual(fork.Disposition(), toolkit.Disposition{}) || fork.Info() != r.Info() {
			t.Error("a fork has the facts and nothing noted")
		}
		fork.Note(func(s *toolkit.Disposition) { *s = branch })
		if r.Disposition().Attempts != 1 {
			t.Error("a fork's notes reached the call before Join")
		}
		if !r.Join(fork) {
			t.Error("Join: got false, want true while the call lives")
		}
		forgotten = r.Fork()
		outlived = r
	})
	want := toolkit.Disposition{
		Outcome: toolkit.OutcomeCoalesced, Attempts: 3, Repeat: 5, Origin: origin, Age: time.Hour,
		Queue: 11, Approval: 2, Backoff: 3, Run: 44,
	}
	if !reflect.DeepEqual(e.Disposition, want) {
		t.Errorf("got %+v\nwant %+v", e.Disposition, want)
	}
	if !forgotten.Note(func(s *toolkit.Disposition) { s.Attempts = 9 }) || forgotten.Disposition().Attempts != 9 {
		t.Error("a fork lives beyond its call")
	}
	if outlived.Join(forgotten) {
		t.Error("Join after the end: got true, want false")
	}
}

// An inner Observe shares the call's record: the outer one seals it.
func TestNestedObserversShareTheRecord(t *testing.T) {
	var outer, inner tooltest.Recorder
	handler := toolkit.Chain(func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
		call.Record.Note(func(s *toolkit.Disposition) { s.Repeat = 7 })
		return toolkit.Result{}, nil
	}, toolkit.Observe(nil, &outer), func(next toolkit.Handler) toolkit.Handler {
		return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
			res, err := next(ctx, call)
			if !call.Record.Note(func(s *toolkit.Disposition) { s.Attempts = 2 }) {
				t.Error("the inner Observe sealed the outer record")
			}
			return res, err
		}
	}, toolkit.Observe(nil, &inner))
	_, _ = handler(t.Context(), toolkit.Call{})
	if got := inner.All()[0].Disposition; got.Repeat != 7 || got.Attempts != 0 {
		t.Errorf("inner: got %+v, want what was noted until its end", got)
	}
	if got := outer.All()[0].Disposition; got.Repeat != 7 || got.Attempts != 2 {
		t.Errorf("outer: got %+v, want all", got)
	}
}

// Thousands of branches note, read, fork and join while their calls end: the
// counts of what was joined in time are exact, and what is late goes nowhere.
func TestRecordUnderConcurrency(t *testing.T) {
	const calls, branches = 300, 10
	var seen tooltest.Recorder
	var strays sync.WaitGroup
	handler := toolkit.Observe(nil, &seen)(func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
		var inTime sync.WaitGroup
		for range branches {
			fork := call.Record.Fork()
			inTime.Go(func() {
				fork.Note(func(s *toolkit.Disposition) { s.Attempts++ })
				call.Record.Join(fork)
				_ = call.Record.Info()
			})
			strays.Go(func() { // may come before the end of the call, or long after
				call.Record.Note(func(s *toolkit.Disposition) { s.Repeat++ })
				_ = call.Record.Disposition()
				_ = call.Record.Fork().Info()
			})
		}
		inTime.Wait()
		return toolkit.Result{}, nil
	})
	var done sync.WaitGroup
	for i := range calls {
		done.Go(func() { _, _ = handler(t.Context(), toolkit.Call{ID: strconv.Itoa(i)}) })
	}
	done.Wait()
	strays.Wait()
	if seen.Len() != calls {
		t.Fatalf("got %d calls, want %d", seen.Len(), calls)
	}
	for _, e := range seen.All() {
		if e.Disposition.Attempts != branches || e.Disposition.Repeat > branches {
			t.Fatalf(
				"call %s: got %d attempts and %d repeats, want %d and at most %[4]d", e.Call.ID,
				e.Disposition.Attempts, e.Disposition.Repeat, branches,
			)
		}
	}
}

func TestRecordNeverReachesJSON(t *testing.T) {
	recorded(t, t.Context(), func(r toolkit.Record) {
		text, err := json.Marshal(toolkit.Call{ID: "1", Name: "n", Attempt: 3, Record: r})
		if err != nil || string(text) != `{"id":"1","name":"n"}` {
			t.Errorf("got %s, %v", text, err)
		}
	})
}

func TestRunIsTheDurationLessTheWaits(t *testing.T) {
	for _, tt := range []struct {
		name string
		took time.Duration
		note toolkit.Disposition
		want time.Duration
	}{
		{"executed", time.Minute, toolkit.Disposition{}, time.Minute},
		{
			"executed after waits", time.Minute,
			toolkit.Disposition{Queue: 10 * time.Second, Approval: 5 * time.Second, Backoff: 5 * time.Second},
			40 * time.Second,
		},
		{"reported by a policy", time.Minute, toolkit.Disposition{Queue: time.Second, Run: 7 * time.Second}, 7 * time.Second},
		{"more waits than time", time.Second, toolkit.Disposition{Queue: time.Hour}, 0},
		{"hit", time.Second, toolkit.Disposition{Outcome: toolkit.OutcomeCacheHit}, 0},
		{"refused", time.Second, toolkit.Disposition{Outcome: toolkit.OutcomeRefused}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := recorded(t, t.Context(), func(r toolkit.Record) {
					time.Sleep(tt.took)
					r.Note(func(s *toolkit.Disposition) { *s = tt.note })
				})
				if e.Disposition.Run != tt.want || e.Duration() != tt.took {
					t.Errorf("got a run of %v in %v, want %v in %v", e.Disposition.Run, e.Duration(), tt.want, tt.took)
				}
			})
		})
	}
}

// The first observer with a clock of its own moves the one start for all.
func TestAnObserverMayMoveTheStart(t *testing.T) {
	start := time.Now().Add(-time.Hour)
	var seen tooltest.Recorder
	clock := funcs{begin: func(ctx context.Context, _ toolkit.Call, f *toolkit.CallInfo) context.Context {
		f.Start = start
		return ctx
	}}
	_, _ = toolkit.Observe(nil, &seen, clock)(tooltest.Echo(named("echo")).Handle)(t.Context(), toolkit.Call{})
	if e := seen.All()[0]; !e.Start.Equal(start) || e.Duration() < time.Hour {
		t.Errorf("got start %v, want %v", e.Start, start)
	}
}

// Calls whose observers panic, whose tools panic or end their goroutine, and whose records are kept by
// goroutines that outlive them, are reported with their own notes and with nothing else.
func TestNoCallIsToldAnothersNotes(t *testing.T) {
	tools := map[string]*toolkit.Definition{"a": {Name: "a"}, "b": {Name: "b"}, "c": {Name: "c"}}
	var ended atomic.Int64
	whose := funcs{end: func(_ context.Context, e *toolkit.Ended) {
		ended.Add(1)
		if name := e.Call.Name; e.Info.Tool != tools[name] || e.Info.Session.ID != name {
			t.Errorf("%s got the facts of %v", name, e.Info.Tool)
		}
		for _, tag := range e.Disposition.Tags {
			if tag.Key != e.Call.Name {
				t.Errorf("%s got what %s noted", e.Call.Name, tag.Key)
			}
		}
	}}
	panics := funcs{
		begin: func(_ context.Context, c toolkit.Call, _ *toolkit.CallInfo) context.Context { panic(c.Name) },
		end:   func(context.Context, *toolkit.Ended) { t.Error("End after a panic in Begin") },
	}
	var stray sync.WaitGroup
	note := func(r toolkit.Record, name string) {
		r.Tag(name, "tag")
		r.Note(func(s *toolkit.Disposition) { s.Tags = append(s.Tags, toolkit.Tag{Key: name, Value: "note"}) })
		fork := r.Fork()
		fork.Tag(name, "fork")
		r.Join(fork)
		for _, tag := range r.Disposition().Tags {
			if tag.Key != name {
				t.Errorf("a record of %s sees what %s noted", name, tag.Key)
			}
		}
		if f := r.Info(); f.Tool != nil && f.Tool != tools[name] {
			t.Errorf("a record of %s sees the facts of %s", name, f.Tool.Name)
		}
	}
	handler := toolkit.Observe(func(name string) *toolkit.Definition { return tools[name] }, panics, whose, panics, whose)(
		func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
			stray.Go(func() {
				for range 3 {
					note(call.Record, call.Name)
					runtime.Gosched()
				}
			})
			note(call.Record, call.Name)
			switch call.ID {
			case "panics":
				panic("the tool")
			case "ends":
				runtime.Goexit()
			}
			return toolkit.Result{}, nil
		})
	const each = 100
	for name := range tools {
		for _, how := range []string{"returns", "panics", "ends", "is noted before"} {
			stray.Go(func() {
				for range each {
					var one sync.WaitGroup
					one.Go(func() {
						defer func() { _ = recover() }()
						ctx, call := toolkit.WithSession(t.Context(), toolkit.Session{ID: name}), toolkit.Call{ID: how, Name: name}
						if how == "is noted before" { // or after, or while its handler returns
							var running *toolkit.Running
							ctx, running = toolkit.Begin(ctx, call, tools[name], whose, panics, whose)
							call.Record = running.Record()
							stray.Go(func() { running.End(toolkit.Result{}, nil) })
						}
						_, _ = handler(ctx, call)
					})
					one.Wait()
				}
			})
		}
	}
	stray.Wait()
	if want := int64(len(tools) * each * (2 * 5)); ended.Load() != want {
		t.Errorf("got %d ends told, want %d: each observer of each call once", ended.Load(), want)
	}
}
