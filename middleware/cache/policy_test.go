// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package cache_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/cache"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bench is a cache over a tool that the test writes, observed.
type bench struct {
	cache  *cache.Policy
	seen   tooltest.Recorder
	tools  map[string]*toolkit.Definition
	tool   toolkit.Handler
	handle toolkit.Handler
	runs   int
}

func newBench(t testing.TB, o cache.Options, defs ...toolkit.Definition) *bench {
	t.Helper()
	c, err := cache.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	b := &bench{cache: c, tools: map[string]*toolkit.Definition{}}
	for _, d := range defs {
		b.tools[d.Name] = &d
	}
	run := func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		b.runs++
		if b.tool != nil {
			return b.tool(ctx, call)
		}
		return toolkit.Result{Output: fmt.Sprint("run ", b.runs)}, nil
	}
	b.handle = toolkit.Observe(func(name string) *toolkit.Definition { return b.tools[name] }, spans{},
		&b.seen)(middleware.Wrap(run, c))
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
func session(tenant, id string) toolkit.Session { return toolkit.Session{Tenant: tenant, ID: id} }
func in(s toolkit.Session) context.Context      { return toolkit.WithSession(context.Background(), s) }
func call(id, name, arguments string) toolkit.Call {
	return toolkit.Call{ID: id, Name: name, Arguments: []byte(arguments)}
}
func tags(e toolkit.Ended) (all string) {
	for _, t := range e.Disposition.Tags {
		all += t.Key + "=" + t.Value + " "
	}
	return strings.TrimSpace(all)
}

// do runs a call and returns its output and outcome.
func (b *bench) do(t testing.TB, ctx context.Context, c toolkit.Call) (string, toolkit.Ended) {
	t.Helper()
	res, _ := b.handle(ctx, c)
	all := b.seen.TakeAll()
	return res.Output, all[len(all)-1]
}

func (b *bench) want(t testing.TB, ctx context.Context, c toolkit.Call, output string, outcome toolkit.Outcome) {
	t.Helper()
	if got, e := b.do(t, ctx, c); got != output || e.Disposition.Outcome != outcome {
		t.Errorf("%s %s: got %q, %v, want %q, %v", c.Name, c.Arguments, got, e.Disposition.Outcome, output, outcome)
	}
}

var (
	reads  = toolkit.Definition{Name: "read", ReadOnly: toolkit.Yes}
	writes = toolkit.Definition{Name: "write"}
	a      = in(session("t", "a"))
)

const (
	executed = toolkit.OutcomeExecuted
	hit      = toolkit.OutcomeCacheHit
)

func TestAHitTellsAgeAndOrigin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, cache.Options{}, reads)
		b.tool = func(context.Context, toolkit.Call) (toolkit.Result, error) {
			return toolkit.Result{Output: "x", Parts: []toolkit.Part{{Kind: toolkit.PartImage, Data: []byte("data")}}}, nil
		}
		b.do(t, a, call("one", "read", `{"p":1,"q":2}`))
		time.Sleep(time.Second)
		res, err := b.handle(a, call("two", "read", `{"q":2.0,"p":1}`))
		if err != nil || res.Output != "x" || string(res.Parts[0].Data) != "data" {
			t.Fatalf("got %v, %v", res, err)
		}
		res.Parts[0].Data[0] = 'D' // the caller's copy
		e := b.seen.TakeAll()[0]
		if e.Disposition.Outcome != hit || e.Disposition.Age != time.Second || e.Disposition.Origin != span("one") ||
			e.Disposition.Run != 0 {
			t.Errorf("got %+v, want a hit, one second old, from the span of the first", e.Disposition)
		}
		if res, _ := b.handle(a, call("three", "read", `{"q":2.0,"p":1}`)); string(res.Parts[0].Data) != "data" || b.runs != 1 {
			t.Errorf("a caller changed what is stored: %q", res.Parts[0].Data)
		}
		if s := b.cache.Stats(); s != (cache.Stats{Hits: 2, Misses: 1, Fills: 1}) {
			t.Errorf("got %+v", s)
		}
	})
}

func TestWhoseAnswersAreStored(t *testing.T) {
	for name, c := range map[string]struct {
		tool   toolkit.Definition
		o      cache.Options
		stored bool
	}{
		"read-only":  {toolkit.Definition{ReadOnly: toolkit.Yes}, cache.Options{}, true},
		"idempotent": {toolkit.Definition{Idempotent: toolkit.Yes}, cache.Options{}, true},
		"idempotent, writes": {toolkit.Definition{Idempotent: toolkit.Yes, ReadOnly: toolkit.No,
			Resources: []string{"x"}}, cache.Options{}, true},
		"nothing said":            {toolkit.Definition{}, cache.Options{}, false},
		"writes":                  {toolkit.Definition{ReadOnly: toolkit.No}, cache.Options{}, false},
		"named":                   {toolkit.Definition{}, cache.Options{Tools: []string{"tool"}}, true},
		"named, writes":           {toolkit.Definition{ReadOnly: toolkit.No}, cache.Options{Tools: []string{"tool"}}, true},
		"another named":           {toolkit.Definition{}, cache.Options{Tools: []string{"other"}}, false},
		"read-only, never stored": {toolkit.Definition{ReadOnly: toolkit.Yes, CacheTTL: -1}, cache.Options{}, false},
		"no TTL":                  {toolkit.Definition{ReadOnly: toolkit.Yes}, cache.Options{TTL: -1}, false},
		"no TTL but its own":      {toolkit.Definition{ReadOnly: toolkit.Yes, CacheTTL: time.Hour}, cache.Options{TTL: -1}, true},
	} {
		c.tool.Name = "tool"
		b := newBench(t, c.o, c.tool)
		b.do(t, a, call("", "tool", "{}"))
		if _, e := b.do(t, a, call("", "tool", "{}")); (e.Disposition.Outcome == hit) != c.stored {
			t.Errorf("%s: got %v, want stored: %t", name, e.Disposition.Outcome, c.stored)
		}
	}
	b := newBench(t, cache.Options{Tools: []string{"no caller's"}})
	b.do(t, a, call("", "no caller's", ""))
	b.want(t, a, call("", "no caller's", " {}"), "run 1", hit)
}

func TestNothingLeavesItsOwner(t *testing.T) {
	first := session("t", "a")
	for _, c := range []struct {
		share middleware.Sharing
		other toolkit.Session
		hit   bool
	}{
		{middleware.PerSession, first, true},
		{middleware.PerSession, session("t", "b"), false},
		{middleware.PerSession, session("u", "a"), false},
		{middleware.PerSession, session("", "a"), false},
		{middleware.PerTenant, session("t", "b"), true},
		{middleware.PerTenant, session("u", "a"), false},
		{middleware.Global, session("u", "z"), true},
	} {
		b := newBench(t, cache.Options{Share: c.share}, reads)
		b.do(t, in(first), call("", "read", "{}"))
		if _, e := b.do(t, in(c.other), call("", "read", "{}")); (e.Disposition.Outcome == hit) != c.hit {
			t.Errorf("per %v, then %+v: got %v, want a hit: %t", c.share, c.other, e.Disposition.Outcome, c.hit)
		}
	}
	b := newBench(t, cache.Options{}, reads)
	for _, ctx := range []context.Context{context.Background(), in(toolkit.Session{Tenant: "t"})} {
		for range 2 {
			if _, e := b.do(t, ctx, call("", "read", "{}")); e.Disposition.Outcome != executed || tags(e) != "cache=unscoped" {
				t.Errorf("without a session: got %v %q", e.Disposition.Outcome, tags(e))
			}
		}
	}
	if s := b.cache.Stats(); s.Unscoped != 4 || s.Fills != 0 {
		t.Errorf("got %+v", s)
	}
	for range 2 {
		if _, e := b.do(t, a, call("", "read", `{"x":1,"x":2}`)); e.Disposition.Outcome != executed || tags(e) != "cache=no_identity" {
			t.Errorf("without an identity: got %v %q", e.Disposition.Outcome, tags(e))
		}
	}
}

func TestWhatIsNeverStored(t *testing.T) {
	cancelled, cancel := context.WithCancel(a)
	for name, tool := range map[string]toolkit.Handler{
		"an error": func(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{}, errors.New("x") },
		"a timeout": func(context.Context, toolkit.Call) (toolkit.Result, error) {
			return toolkit.Failure(context.DeadlineExceeded), nil
		},
		"a cancellation": func(context.Context, toolkit.Call) (toolkit.Result, error) {
			return toolkit.Failure(context.Canceled), nil
		},
		"a refusal": func(context.Context, toolkit.Call) (toolkit.Result, error) {
			return toolkit.Failure(toolkit.ErrRateLimited), nil
		},
		"a panic's result": func(context.Context, toolkit.Call) (toolkit.Result, error) {
			return toolkit.Failure(&toolkit.PanicError{}), nil
		},
		"a suspension": func(context.Context, toolkit.Call) (toolkit.Result, error) {
			return toolkit.Result{Suspended: true}, nil
		},
		"a told refusal": func(_ context.Context, c toolkit.Call) (toolkit.Result, error) {
			c.Record.Note(func(s *toolkit.Disposition) { s.Outcome = toolkit.OutcomeRefused })
			return toolkit.Result{Output: "no"}, nil
		},
		"an answer after the end": func(context.Context, toolkit.Call) (toolkit.Result, error) {
			cancel()
			return toolkit.Result{Output: "half"}, nil
		},
		"a panic": func(context.Context, toolkit.Call) (toolkit.Result, error) { panic("x") },
		"an exit": func(context.Context, toolkit.Call) (toolkit.Result, error) {
			runtime.Goexit()
			return toolkit.Result{}, nil
		},
	} {
		b := newBench(t, cache.Options{FaultTTL: time.Hour}, reads)
		b.tool = tool
		for range 2 {
			done := make(chan struct{})
			go func() {
				defer close(done)
				defer func() { _ = recover() }()
				_, _ = b.handle(cancelled, call("", "read", "{}"))
			}()
			<-done
		}
		if b.runs != 2 || b.cache.Stats().Fills != 0 {
			t.Errorf("%s was stored: %d runs, want 2", name, b.runs)
		}
	}
}

func TestFaultsAreStoredIfAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fails := func(context.Context, toolkit.Call) (toolkit.Result, error) {
			return toolkit.Failure(errors.New("no such city")), nil
		}
		b := newBench(t, cache.Options{}, reads)
		b.tool = fails
		b.do(t, a, call("", "read", "{}"))
		b.want(t, a, call("", "read", "{}"), "no such city", executed)
		b = newBench(t, cache.Options{FaultTTL: time.Second}, reads)
		b.tool = fails
		b.do(t, a, call("", "read", "{}"))
		res, err := b.handle(a, call("", "read", "{}"))
		if e := b.seen.TakeAll()[0]; e.Disposition.Outcome != hit || err != nil || res.Fault == nil || e.ErrorType != "tool_error" {
			t.Errorf("got %v, %v, %v, want a hit that is a failure", e.Disposition.Outcome, res.Fault, err)
		}
		time.Sleep(time.Second + 1)
		b.want(t, a, call("", "read", "{}"), "no such city", executed)
	})
}

func TestTTL(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		short := toolkit.Definition{Name: "short", ReadOnly: toolkit.Yes, CacheTTL: time.Second}
		b := newBench(t, cache.Options{}, reads, short)
		b.do(t, a, call("", "read", "{}"))
		b.do(t, a, call("", "short", "{}"))
		time.Sleep(time.Second)
		b.want(t, a, call("", "short", "{}"), "run 2", hit)
		time.Sleep(time.Nanosecond)
		b.want(t, a, call("", "short", "{}"), "run 3", executed)
		time.Sleep(5*time.Minute - time.Second - 1)
		b.want(t, a, call("", "read", "{}"), "run 1", hit)
		time.Sleep(time.Nanosecond)
		b.want(t, a, call("", "read", "{}"), "run 4", executed)
	})
}

func TestStaleAnswersAreRenewedInTheBackground(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, cache.Options{TTL: time.Second, StaleFor: time.Minute, Refreshes: 1}, reads, writes)
		read := call("", "read", "{}")
		b.do(t, a, read)
		b.do(t, a, call("", "read", `{"other":1}`))
		time.Sleep(2 * time.Second)
		release := make(chan struct{})
		b.tool = func(ctx context.Context, c toolkit.Call) (toolkit.Result, error) {
			if toolkit.SessionFrom(ctx).ID != "a" {
				t.Error("the run in the background has no session")
			}
			<-release
			return toolkit.Result{Output: "renewed"}, nil
		}
		for range 3 {
			got, e := b.do(t, a, read)
			if got != "run 1" || e.Disposition.Outcome != hit || tags(e) != "cache=stale" || e.Disposition.Age != 2*time.Second {
				t.Errorf("got %q, %v, %q, age %v", got, e.Disposition.Outcome, tags(e), e.Disposition.Age)
			}
		}
		b.do(t, a, call("", "read", `{"other":1}`)) // no room to renew
		synctest.Wait()
		if n := b.cache.Stats().Refreshes; n != 1 || b.runs != 3 {
			t.Errorf("%d renewals, %d runs, want 1 and 3", n, b.runs)
		}
		close(release)
		synctest.Wait()
		b.tool = nil
		b.want(t, a, read, "renewed", hit)
		b.do(t, a, call("", "write", "{}"))
		time.Sleep(2 * time.Second)
		b.want(t, a, read, "run 5", executed) // a write made it stale: not given at all
		b.want(t, a, call("", "read", `{"other":1}`), "run 6", executed)
		time.Sleep(2 * time.Minute)
		b.want(t, a, read, "run 7", executed)

		b.tool = func(ctx context.Context, _ toolkit.Call) (toolkit.Result, error) { <-ctx.Done(); panic("over") }
		time.Sleep(2 * time.Second)
		b.want(t, a, read, "run 7", hit)
		b.cache.Close() // ends it
		b.want(t, a, read, "run 7", hit)
	})
}

func TestCollidingHashesNeverGiveAnothersAnswer(t *testing.T) {
	m := memory(t, 0)
	cache.Collide(m)
	b := newBench(t, cache.Options{Store: m}, reads)
	b.tool = func(ctx context.Context, c toolkit.Call) (toolkit.Result, error) {
		return toolkit.Result{Output: toolkit.SessionFrom(ctx).ID + string(c.Arguments)}, nil
	}
	hits := 0
	for i := range 300 {
		id, arguments := string(rune('a'+i/5%3)), fmt.Sprintf(`{"i":%d}`, i/2%7)
		got, e := b.do(t, in(session("t", id)), call("", "read", arguments))
		if got != id+arguments {
			t.Fatalf("got %q, want %q", got, id+arguments)
		}
		if e.Disposition.Outcome == hit {
			hits++
		}
	}
	if hits == 0 {
		t.Error("no hits: the test shows nothing")
	}
}

func TestOptionsThatCannotBe(t *testing.T) {
	for want, o := range map[string]cache.Options{
		"Options.Share: got 9, want PerSession":                            {Share: 9},
		"Options.Reach: got 9, want PerSession":                            {Reach: 9},
		"Options.Reach: got tenant, want at least Share, which is global":  {Share: middleware.Global, Reach: middleware.PerTenant},
		"Options.FaultTTL: got -1s, want 0 or more":                        {FaultTTL: -time.Second},
		"Options.StaleFor: got -1s, want 0 or more":                        {StaleFor: -time.Second},
		"Options.Refreshes: got 3, want 0 without StaleFor":                {Refreshes: 3},
		"Options.Refreshes: got -3, want more than 0, or 0 for 4":          {Refreshes: -3, StaleFor: 1},
		"Options.RefreshTimeout: got 1s, want 0 without StaleFor":          {RefreshTimeout: time.Second},
		"Options.RefreshTimeout: got -1s, want more than 0, or 0 for 1m0s": {RefreshTimeout: -time.Second},
		"Options.MaxBytes: got -1, want more than 0, or 0 for 67108864":    {MaxBytes: -1},
		"Options.MaxBytes: got 7, want 0 with a Store":                     {MaxBytes: 7, Store: memory(t, 0)},
		"Options.StoreTimeout: got 1s, want 0 without a Store":             {StoreTimeout: time.Second},
		"Options.StoreTimeout: got -1s, want more than 0, or 0 for 100ms":  {StoreTimeout: -time.Second, Store: memory(t, 0)},
		`Options.Tools[1]: got "", want the name of a tool`:                {Tools: []string{"x", ""}},
	} {
		if _, err := cache.New(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q", err, want)
		}
	}
	if _, err := cache.NewMemory(-1); err == nil {
		t.Error("NewMemory(-1): got no error")
	}
}
