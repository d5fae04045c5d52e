// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package dedupe_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/dedupe"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bench is the policy over a tool that the test writes, observed.
type bench struct {
	policy *dedupe.Policy
	seen   tooltest.Recorder
	tools  map[string]*toolkit.Definition
	tool   toolkit.Handler
	handle toolkit.Handler
	runs   atomic.Int64
}

func newBench(t testing.TB, o dedupe.Options, defs ...toolkit.Definition) *bench {
	t.Helper()
	d, err := dedupe.New(o)
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{policy: d.(*dedupe.Policy), tools: map[string]*toolkit.Definition{}}
	for _, def := range defs {
		b.tools[def.Name] = &def
	}
	run := func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		n := b.runs.Add(1)
		if b.tool != nil {
			return b.tool(ctx, call)
		}
		return toolkit.Result{Output: fmt.Sprint("run ", n)}, nil
	}
	b.handle = toolkit.Observe(func(name string) *toolkit.Definition { return b.tools[name] }, spans{},
		&b.seen)(middleware.Wrap(run, d))
	return b
}

// spans gives each call a span of its own, by its id.
type spans struct{}

func (spans) Begin(ctx context.Context, call toolkit.Call, f *toolkit.CallInfo) context.Context {
	f.Span = span(call.ID)
	return ctx
}
func (spans) Wants(context.Context) bool          { return false }
func (spans) End(context.Context, *toolkit.Ended) {}

func span(id string) (s toolkit.SpanRef) {
	s.TraceID[0], s.SpanID[0] = 1, 1
	copy(s.SpanID[1:], id)
	return s
}

func in(tenant, id, batch string) context.Context {
	return toolkit.WithSession(context.Background(), toolkit.Session{Tenant: tenant, ID: id, Batch: batch})
}

func call(id, name, arguments string) toolkit.Call {
	return toolkit.Call{ID: id, Name: name, Arguments: []byte(arguments)}
}

func (b *bench) ended(id string) toolkit.Ended {
	return b.seen.Filter(func(e toolkit.Ended) bool { return e.Call.ID == id })[0]
}

// do runs a call and returns its output and outcome.
func (b *bench) do(ctx context.Context, c toolkit.Call) (string, toolkit.Ended) {
	res, _ := b.handle(ctx, c)
	all := b.seen.TakeAll()
	return res.Output, all[len(all)-1]
}

func (b *bench) want(t testing.TB, ctx context.Context, c toolkit.Call, output string, outcome toolkit.Outcome) {
	t.Helper()
	if got, e := b.do(ctx, c); got != output || e.Disposition.Outcome != outcome {
		t.Errorf("%s %s: got %q, %v, want %q, %v", c.Name, c.Arguments, got, e.Disposition.Outcome, output, outcome)
	}
}

var (
	reads  = toolkit.Definition{Name: "read", ReadOnly: toolkit.Yes}
	writes = toolkit.Definition{Name: "write"}
	batch  = in("t", "a", "b1")
)

const (
	executed  = toolkit.OutcomeExecuted
	coalesced = toolkit.OutcomeCoalesced
	repeated  = toolkit.OutcomeRepeated
	refused   = toolkit.OutcomeRefused
)

func TestTwinsOfABatchAreAnsweredOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, dedupe.Options{}, reads, writes)
		b.want(t, batch, call("one", "read", `{"p":1,"q":2}`), "run 1", executed)
		time.Sleep(time.Second)
		got, e := b.do(batch, call("two", "read", ` {"q":2e0,"p":1}`))
		if got != "run 1" || e.Disposition.Outcome != repeated || e.Disposition.Origin != span("one") ||
			e.Disposition.Age != time.Second || e.Disposition.Run != 0 {
			t.Errorf("got %q, %+v, want the first's answer, its span, one second old", got, e.Disposition)
		}
		b.want(t, batch, call("", "read", `{"p":2}`), "run 2", executed)
		b.want(t, in("t", "a", "b2"), call("", "read", `{"p":1,"q":2}`), "run 3", executed) // another batch
		b.want(t, in("t", "a", ""), call("", "read", `{"p":1,"q":2}`), "run 4", executed)   // no batch
		b.want(t, in("t", "a", ""), call("", "read", `{"p":1,"q":2}`), "run 5", executed)   // still none
		b.want(t, in("t", "z", "b2"), call("", "read", `{"p":1,"q":2}`), "run 6", executed) // another session
		b.want(t, batch, call("", "write", "{}"), "run 7", executed)
		b.want(t, batch, call("", "write", "{}"), "run 8", executed) // two identical writes write twice
	})
}

func TestHistory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, dedupe.Options{History: time.Minute}, reads, writes)
		first, later := in("t", "a", "b1"), in("t", "a", "b2")
		b.do(first, call("", "read", "{}"))
		time.Sleep(time.Minute)
		b.want(t, later, call("", "read", "{}"), "run 1", repeated)
		b.want(t, in("t", "b", "b2"), call("", "read", "{}"), "run 2", executed)
		time.Sleep(time.Nanosecond)
		b.want(t, later, call("", "read", "{}"), "run 3", executed)
		b.want(t, in("t", "a", ""), call("", "read", "{}"), "run 3", repeated)
		b.do(later, call("", "write", "{}"))
		b.want(t, later, call("", "read", "{}"), "run 5", executed)
	})
}

func TestAWriteInBetweenRunsTheTwinAgain(t *testing.T) {
	file := toolkit.Definition{Name: "file", ReadOnly: toolkit.Yes, Resources: []string{"files"}}
	put := toolkit.Definition{Name: "put", Resources: []string{"files"}}
	mail := toolkit.Definition{Name: "mail", Resources: []string{"mail"}}
	set := toolkit.Definition{Name: "set", Idempotent: toolkit.Yes, Resources: []string{"x"}}
	b := newBench(t, dedupe.Options{}, file, put, mail, set)
	b.do(batch, call("", "file", "{}"))
	b.do(batch, call("", "mail", "{}"))
	b.want(t, batch, call("", "file", "{}"), "run 1", repeated)
	b.do(in("t", "b", ""), call("", "put", "{}")) // another session's
	b.want(t, batch, call("", "file", "{}"), "run 1", repeated)
	b.do(batch, call("", "put", "{}"))
	b.want(t, batch, call("", "file", "{}"), "run 5", executed)
	b.do(context.Background(), call("", "put", "{}")) // a write without an owner concerns all owners
	b.want(t, batch, call("", "file", "{}"), "run 7", executed)

	b.do(batch, call("", "set", `{"v":1}`))
	b.want(t, batch, call("", "set", `{"v":1}`), "run 8", repeated)
	b.do(batch, call("", "set", `{"v":2}`))
	b.want(t, batch, call("", "set", `{"v":1}`), "run 10", executed)
}

// group starts callers of one call in a synctest bubble, the first one first.
type group struct {
	b       *bench
	results []toolkit.Result
	errs    []error
	done    sync.WaitGroup
}

func (b *bench) group(ctxs ...context.Context) *group {
	g := &group{b: b, results: make([]toolkit.Result, len(ctxs)), errs: make([]error, len(ctxs))}
	for i, ctx := range ctxs {
		g.done.Go(func() {
			defer func() {
				if v := recover(); v != nil {
					g.errs[i] = fmt.Errorf("panicked with %v", v)
				}
			}()
			g.errs[i] = errors.New("exited")
			g.results[i], g.errs[i] = b.handle(ctx, call(fmt.Sprint(i), "read", "{}"))
		})
		synctest.Wait()
	}
	return g
}

func TestTwinsThatRunAreCoalesced(t *testing.T) {
	for _, apart := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) { testCoalesced(t, apart) })
	}
}

func testCoalesced(t *testing.T, apart bool) {
	b := newBench(t, dedupe.Options{}, reads)
	b.tool = func(ctx context.Context, c toolkit.Call) (toolkit.Result, error) {
		c.Record.Note(func(s *toolkit.Disposition) { s.Attempts, s.Queue = 2, time.Second })
		time.Sleep(10 * time.Second) // in the caller's bubble
		return toolkit.Result{Output: "x", Parts: []toolkit.Part{{Data: []byte("data")}}}, nil
	}
	ctx := in("t", "a", "")
	if apart {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		defer cancel()
	}
	g := b.group(ctx, ctx, ctx)
	g.done.Wait()
	for i := range g.results {
		e := b.ended(fmt.Sprint(i))
		want := toolkit.Disposition{Outcome: coalesced, Origin: span("0")}
		if i == 0 {
			want = toolkit.Disposition{Outcome: executed, Attempts: 2, Queue: time.Second, Run: 9 * time.Second}
		}
		if g.errs[i] != nil || string(g.results[i].Parts[0].Data) != "data" || fmt.Sprint(e.Disposition) != fmt.Sprint(want) {
			t.Errorf("%d: got %v, %+v, want %+v", i, g.errs[i], e.Disposition, want)
		}
		g.results[i].Parts[0].Data[0] = 'X' // one's own copy
	}
	if s := b.policy.Stats(); b.runs.Load() != 1 || s != (dedupe.Stats{Led: 1, Coalesced: 2}) {
		t.Errorf("%d runs, %+v", b.runs.Load(), s)
	}
}

func TestWhoGivesUpLeavesAndTheLastOneStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, dedupe.Options{}, reads)
		b.tool = func(ctx context.Context, _ toolkit.Call) (toolkit.Result, error) {
			if _, ok := ctx.Deadline(); ok || toolkit.SessionFrom(ctx).ID != "a" {
				t.Error("the run has a caller's deadline, or not its values")
			}
			select {
			case <-ctx.Done():
				time.Sleep(time.Second) // cleaning up
				return toolkit.Result{Output: "half"}, context.Cause(ctx)
			case <-time.After(10 * time.Second):
				return toolkit.Result{Output: "x"}, nil
			}
		}
		ctx := in("t", "a", "")
		leader, cancelLeader := context.WithCancel(ctx)
		second, cancelSecond := context.WithTimeout(ctx, 3*time.Second)
		defer cancelSecond()

		g := b.group(leader, second, ctx)
		cancelLeader()
		synctest.Wait()
		if !errors.Is(g.errs[0], context.Canceled) || b.ended("0").ErrorType != "canceled" ||
			b.ended("0").Disposition.Outcome != executed {
			t.Errorf("the leader: got %v, %v, want that it left at once", g.errs[0], b.ended("0"))
		}
		time.Sleep(3 * time.Second)
		synctest.Wait()
		if e := b.ended("1"); !errors.Is(g.errs[1], context.DeadlineExceeded) || e.ErrorType != "timeout" ||
			e.Disposition.Outcome != refused {
			t.Errorf("the second: got %v, %v, want a timeout", g.errs[1], e)
		}
		g.done.Wait()
		if g.errs[2] != nil || g.results[2].Output != "x" || b.ended("2").Disposition.Outcome != coalesced {
			t.Errorf("the third: got %v, %v, want the answer", g.results[2].Output, g.errs[2])
		}

		b.seen.Reset()
		leader, cancelLeader = context.WithCancel(ctx)
		last, cancelLast := context.WithTimeoutCause(ctx, 2*time.Second, errors.New("no more time"))
		defer cancelLast()
		start := time.Now()
		g = b.group(leader, last)
		cancelLeader()
		synctest.Wait()
		time.Sleep(2 * time.Second)
		synctest.Wait()
		again := b.group(ctx) // a run that was given up belongs to no call to join
		g.done.Wait()
		if d := time.Since(start); d != 3*time.Second || g.results[1].Output != "half" || g.errs[1].Error() != "no more time" {
			t.Errorf("the last one: got %q, %v after %v, want what the tool returned when it was cancelled",
				g.results[1].Output, g.errs[1], d)
		}
		again.done.Wait()
		if again.results[0].Output != "x" || b.runs.Load() != 3 {
			t.Errorf("got %q in run %d", again.results[0].Output, b.runs.Load())
		}
		if s := b.policy.Stats(); s.Left != 3 {
			t.Errorf("got %+v, want 3 that left", s)
		}
	})
}

// nilError is an error whose methods panic if it is nil, as many do.
type nilError struct{ cause error }

func (*nilError) Error() string   { return "failed" }
func (e *nilError) Unwrap() error { return e.cause }

// A caller that gave up gets what the tool returned, and no panic; so do runs that write, which end in
// a goroutine of their own.
func TestATypedNilIsPassedOn(t *testing.T) {
	for _, tool := range []toolkit.Definition{reads, {Name: "put", Idempotent: toolkit.Yes}} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t, dedupe.Options{}, tool)
			b.tool = func(ctx context.Context, _ toolkit.Call) (toolkit.Result, error) {
				<-ctx.Done()
				return toolkit.Result{}, (*nilError)(nil)
			}
			ctx, cancel := context.WithTimeout(batch, time.Second)
			defer cancel()
			if _, err := b.handle(ctx, call("1", tool.Name, "{}")); err != error((*nilError)(nil)) {
				t.Errorf("%s: got another error than the tool's", tool.Name)
			}
		})
	}
}

// A lone caller's timeout is recorded as a timeout, though to the run it was a cancellation.
func TestALoneCallersDeadlineIsATimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, fault := range []bool{false, true} {
			b := newBench(t, dedupe.Options{}, reads)
			b.tool = func(ctx context.Context, _ toolkit.Call) (toolkit.Result, error) {
				<-ctx.Done()
				if fault {
					return toolkit.Failure(ctx.Err()), nil
				}
				return toolkit.Result{}, fmt.Errorf("reading: %w", ctx.Err())
			}
			ctx, cancel := context.WithTimeout(in("t", "a", "b"), time.Second)
			if _, e := b.do(ctx, call("", "read", "{}")); e.ErrorType != "timeout" || e.Disposition.Run != time.Second {
				t.Errorf("got %v after %v, want a timeout after 1s", e.ErrorType, e.Disposition.Run)
			}
			cancel()
			if b.policy.Answers() != 0 {
				t.Error("a timeout is remembered")
			}
		}
	})
}

func TestHowTheLeaderEnds(t *testing.T) {
	for name, c := range map[string]struct {
		end              func() (toolkit.Result, error)
		leader, follower string // output and error
		kind             string // of the follower's failure
		alone            bool   // the follower runs by itself
	}{
		"an error": {func() (toolkit.Result, error) { return toolkit.Result{}, toolkit.ErrOverloaded }, " overloaded",
			" overloaded", "overloaded", false},
		"a failure": {func() (toolkit.Result, error) { return toolkit.Failure(errors.New("no city")), nil },
			"no city <nil>", "no city <nil>", "tool_error", false},
		"a panic": {func() (toolkit.Result, error) { panic("boom") }, " panicked with boom", "the tool panicked <nil>",
			"panic", false},
		"an exit": {func() (toolkit.Result, error) { runtime.Goexit(); return toolkit.Result{}, nil }, " exited",
			`tool "read": tool error: the tool ended its goroutine <nil>`, "tool_error", false},
		"a suspension": {func() (toolkit.Result, error) { return toolkit.Result{Suspended: true}, nil }, " <nil>", " <nil>", "", true},
	} {
		for _, apart := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, dedupe.Options{}, reads)
				release := make(chan struct{})
				b.tool = func(context.Context, toolkit.Call) (toolkit.Result, error) { <-release; return c.end() }
				ctx := in("t", "a", "")
				if apart { // a caller that can give up has its run in another goroutine
					var cancel context.CancelFunc
					ctx, cancel = context.WithCancel(ctx)
					defer cancel()
				}
				g := b.group(ctx, ctx)
				close(release)
				g.done.Wait()
				for i, want := range []string{c.leader, c.follower} {
					if got := fmt.Sprint(g.results[i].Output, " ", fmt.Sprint(g.errs[i])); got != want {
						t.Errorf("%s: %d: got %q, want %q", name, i, got, want)
					}
				}
				e := b.ended("1")
				if e.ErrorType != c.kind || (e.Disposition.Outcome == executed) != c.alone ||
					b.runs.Load() != map[bool]int64{false: 1, true: 2}[c.alone] {
					t.Errorf("%s: the follower: got %q, %v in %d runs", name, e.ErrorType, e.Disposition.Outcome, b.runs.Load())
				}
				if b.policy.Answers() != 0 {
					t.Errorf("%s is remembered", name)
				}
			})
		}
	}
}

// TestWhoCannotGiveUpRunsTheTool: the goroutine that a run has of its own is for callers that may leave
// it to others.
func TestWhoCannotGiveUpRunsTheTool(t *testing.T) {
	goroutine := func() string {
		stack := make([]byte, 64)
		id, _, _ := strings.Cut(string(stack[:runtime.Stack(stack, false)]), "[")
		return id
	}
	b := newBench(t, dedupe.Options{}, reads)
	var ran string
	b.tool = func(context.Context, toolkit.Call) (toolkit.Result, error) {
		ran = goroutine()
		return toolkit.Result{}, nil
	}
	leaving, cancel := context.WithCancel(in("t", "a", ""))
	defer cancel()
	for ctx, here := range map[context.Context]bool{in("t", "a", ""): true, leaving: false} {
		b.do(ctx, call("", "read", "{}"))
		if (ran == goroutine()) != here {
			t.Errorf("a caller that can give up: %t: ran in its own goroutine: %t", !here, ran == goroutine())
		}
	}
}

func TestAFailureAnswersItsBatchOnly(t *testing.T) {
	b := newBench(t, dedupe.Options{History: time.Hour}, reads)
	b.tool = func(context.Context, toolkit.Call) (toolkit.Result, error) {
		return toolkit.Failure(errors.New("no city")), nil
	}
	b.do(batch, call("", "read", "{}"))
	b.want(t, batch, call("", "read", "{}"), "no city", repeated)
	b.want(t, in("t", "a", "b2"), call("", "read", "{}"), "no city", executed)
}

// A reader that comes after a write does not join a reader from before it, nor while one
// runs.
func TestNobodyJoinsARunFromBeforeAWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, dedupe.Options{}, reads, writes)
		wait := make(chan struct{})
		b.tool = func(_ context.Context, c toolkit.Call) (toolkit.Result, error) { <-wait; return toolkit.Result{}, nil }
		ctx := in("t", "a", "b")
		first := b.group(ctx)
		var write sync.WaitGroup
		write.Go(func() { _, _ = b.handle(ctx, call("w", "write", "{}")) })
		synctest.Wait()
		during := b.group(ctx, ctx)
		if b.runs.Load() != 4 {
			t.Errorf("%d runs, want 4: a read, a write, and two reads by themselves while it writes", b.runs.Load())
		}
		close(wait)
		first.done.Wait()
		during.done.Wait()
		write.Wait()
		b.want(t, ctx, call("", "read", "{}"), "", executed)
		b.want(t, ctx, call("", "read", "{}"), "", repeated)
	})
}

func TestIdempotentWritesThatRunAreCoalesced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, dedupe.Options{}, toolkit.Definition{Name: "read", Idempotent: toolkit.Yes, Resources: []string{"x", "y"}})
		b.tool = func(context.Context, toolkit.Call) (toolkit.Result, error) {
			time.Sleep(time.Nanosecond)
			return toolkit.Result{}, nil
		}
		ctx := in("t", "a", "")
		b.group(ctx, ctx, ctx).done.Wait()
		if b.runs.Load() != 1 {
			t.Errorf("%d runs, want 1", b.runs.Load())
		}
	})
}

func TestWhoHasDuplicates(t *testing.T) {
	for name, c := range map[string]struct {
		tool toolkit.Definition
		o    dedupe.Options
		want bool
	}{
		"read-only":     {toolkit.Definition{ReadOnly: toolkit.Yes}, dedupe.Options{}, true},
		"idempotent":    {toolkit.Definition{Idempotent: toolkit.Yes}, dedupe.Options{}, true},
		"nothing said":  {toolkit.Definition{}, dedupe.Options{}, false},
		"writes":        {toolkit.Definition{ReadOnly: toolkit.No}, dedupe.Options{}, false},
		"named":         {toolkit.Definition{}, dedupe.Options{Tools: []string{"tool"}}, true},
		"named, writes": {toolkit.Definition{ReadOnly: toolkit.No}, dedupe.Options{Tools: []string{"tool"}}, true},
		"another named": {toolkit.Definition{}, dedupe.Options{Tools: []string{"other"}}, false},
	} {
		c.tool.Name = "tool"
		b := newBench(t, c.o, c.tool)
		b.do(batch, call("", "tool", "{}"))
		if _, e := b.do(batch, call("", "tool", "{}")); (e.Disposition.Outcome == repeated) != c.want {
			t.Errorf("%s: got %v, want a duplicate: %t", name, e.Disposition.Outcome, c.want)
		}
	}
	b := newBench(t, dedupe.Options{}, reads)
	for _, x := range []struct {
		ctx  context.Context
		args string
		tag  string
	}{{context.Background(), "{}", unscoped}, {in("t", "", "b"), "{}", unscoped},
		{batch, `{"x":1,"x":1}`, "no_identity"}, {batch, "{", "no_identity"}} {
		for range 2 {
			if _, e := b.do(x.ctx, call("", "read", x.args)); e.Disposition.Outcome != executed ||
				len(e.Disposition.Tags) != 1 || e.Disposition.Tags[0] != (toolkit.Tag{Key: "dedupe", Value: x.tag}) {
				t.Errorf("%s: got %v, %v, want the tag %s", x.args, e.Disposition.Outcome, e.Disposition.Tags, x.tag)
			}
		}
	}
	if s := b.policy.Stats(); s.Unscoped != 4 || s.NoIdentity != 4 || s.Led != 0 {
		t.Errorf("got %+v", s)
	}
}

const unscoped = "unscoped"

func TestSharing(t *testing.T) {
	for _, c := range []struct {
		share middleware.Sharing
		other context.Context
		want  toolkit.Outcome
	}{
		{middleware.PerSession, in("t", "b", ""), executed},
		{middleware.PerTenant, in("t", "b", ""), repeated},
		{middleware.PerTenant, in("u", "a", ""), executed},
		{middleware.Global, in("u", "b", ""), repeated},
	} {
		b := newBench(t, dedupe.Options{Share: c.share, History: time.Hour}, reads)
		b.do(in("t", "a", ""), call("", "read", "{}"))
		b.want(t, c.other, call("", "read", "{}"), map[toolkit.Outcome]string{executed: "run 2", repeated: "run 1"}[c.want], c.want)
	}
}

func TestWhatIsRememberedIsBounded(t *testing.T) {
	b := newBench(t, dedupe.Options{MaxAnswers: 160, MaxBytes: 1 << 20, History: time.Hour}, reads)
	for i := range 5000 {
		b.do(in("t", fmt.Sprint(i), "b"), call("", "read", "{}"))
	}
	if n := b.policy.Answers(); n > 160 || n < 100 {
		t.Errorf("%d answers, want about 160", n)
	}
	big := strings.Repeat("x", 20_000)
	b.tool = func(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{Output: big}, nil }
	for i := range 500 {
		b.do(in("t", fmt.Sprint(i), "b"), call("", "read", `{"big":1}`))
	}
	if n := b.policy.Answers(); n > 60 {
		t.Errorf("%d answers of 20,000 bytes, want at most 1 MiB", n)
	}
	big = strings.Repeat("x", 100_000)
	b.do(batch, call("", "read", `{"big":2}`))
	if _, e := b.do(batch, call("", "read", `{"big":2}`)); e.Disposition.Outcome != executed {
		t.Errorf("got %v, want that what takes a sixteenth of the room is not remembered", e.Disposition.Outcome)
	}
}

func TestOptionsThatCannotBe(t *testing.T) {
	for want, o := range map[string]dedupe.Options{
		"Options.Share: got 9, want PerSession":                           {Share: 9},
		"Options.Reach: got 9, want PerSession":                           {Reach: 9},
		"Options.Reach: got tenant, want at least Share, which is global": {Share: middleware.Global, Reach: middleware.PerTenant},
		"Options.History: got -1s, want 0 or more":                        {History: -time.Second},
		"Options.MaxAnswers: got -1, want more than 0, or 0 for 10000":    {MaxAnswers: -1},
		"Options.MaxBytes: got -1, want more than 0, or 0 for 33554432":   {MaxBytes: -1},
		`Options.Tools[0]: got "", want the name of a tool`:               {Tools: []string{""}},
	} {
		if _, err := dedupe.New(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
}
