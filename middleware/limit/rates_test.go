// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package limit_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope/middleware/limit"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

func perSecond(n int) toolkit.RateLimit { return toolkit.RateLimit{MaxCalls: n, Window: time.Second} }

// log is when calls began.
type beginnings struct {
	mu sync.Mutex
	at map[string][]time.Time
}

func (b *beginnings) addNames(names ...string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.at == nil {
		b.at = map[string][]time.Time{}
	}
	for _, name := range names {
		b.at[name] = append(b.at[name], time.Now())
	}
}

func (b *beginnings) check(t *testing.T, name string, l toolkit.RateLimit) {
	t.Helper()
	for i := l.MaxCalls; i < len(b.at[name]); i++ {
		if span := b.at[name][i].Sub(b.at[name][i-l.MaxCalls]); span < l.Window {
			t.Errorf("%s: %d calls began within %v, want at most %d in %v", name, l.MaxCalls+1, span, l.MaxCalls, l.Window)
			return
		}
	}
}

// A caller that comes when, waits or not, and gives up or not: never more calls begin in any
// window than allowed, of all, of a tool, of a session.
func TestRatesHoldWhateverTheInterleaving(t *testing.T) {
	for seed := range uint64(4) {
		for _, patience := range []time.Duration{0, 700 * time.Millisecond, time.Minute} {
			t.Run(fmt.Sprint(seed, patience), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					all, perKey, own := perSecond(13), perSecond(4), toolkit.RateLimit{MaxCalls: 5, Window: 900 * time.Millisecond}
					p := policy(t, limit.Options{Rate: limit.Rate{Global: all, PerKey: perKey, MaxWait: patience}})
					var seen beginnings
					h := observed(p, toolkit.Definition{RateLimit: own}, func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
						seen.addNames("all", call.Name, call.ID)
						return toolkit.Result{}, nil
					}, new(tooltest.Recorder))
					random := rand.New(rand.NewPCG(seed, 3))
					var wg sync.WaitGroup
					for range 600 {
						time.Sleep(time.Duration(random.IntN(int(60 * time.Millisecond))))
						key, tool, limited := fmt.Sprint("s", random.IntN(5)), fmt.Sprint("tool", random.IntN(3)), random.IntN(4) == 0
						gone := time.Duration(random.IntN(int(time.Second)))
						wg.Go(func() {
							ctx, cancel := context.WithCancel(session(t.Context(), key))
							defer cancel()
							if limited {
								defer time.AfterFunc(gone, cancel).Stop()
							}
							_, err := h(ctx, toolkit.Call{Name: tool, ID: key})
							if err != nil && !errors.Is(err, toolkit.ErrRateLimited) && !errors.Is(err, toolkit.ErrCanceled) {
								t.Errorf("got %v", err)
							}
							if e := refusal(err); e != nil && patience == 0 && (e.After <= 0 || e.After > time.Second) {
								t.Errorf("got %+v, want when to try again", e)
							}
						})
					}
					wg.Wait()
					seen.check(t, "all", all)
					for i := range 5 {
						seen.check(t, fmt.Sprint("s", i), perKey)
						seen.check(t, fmt.Sprint("tool", i), own)
					}
					if n := len(seen.at["all"]); n < 100 {
						t.Errorf("only %d calls began", n)
					}
					if s := p.Stats(); s.Waiting != 0 {
						t.Errorf("at the end: got %+v, want no caller", s)
					}
				})
			})
		}
	}
}

func TestARefusalTellsWhenToTryAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen tooltest.Recorder
		p := policy(t, limit.Options{})
		h := observed(p, toolkit.Definition{RateLimit: toolkit.RateLimit{MaxCalls: 2, Window: time.Minute}}, quick, &seen)
		call := toolkit.Call{Name: "search"}
		for range 2 {
			if _, err := h(t.Context(), call); err != nil {
				t.Fatal(err)
			}
			time.Sleep(10 * time.Second)
		}
		_, err := h(t.Context(), call)
		e := refusal(err)
		if !errors.Is(err, toolkit.ErrRateLimited) || e == nil || e.RetryAfter() != 40*time.Second ||
			e.Scope != limit.ScopeTool || e.Rate.MaxCalls != 2 {
			t.Fatalf("got %v, %+v, want rate_limited, in 40s", err, e)
		}
		if want := `tool "search": rate limited: at most 2 of this tool's calls may begin in 1m0s: try again in 40s`; err.Error() != want {
			t.Errorf("got  %s\nwant %s", err, want)
		}
		last := seen.All()[2]
		if got := tags(last); last.Disposition.Outcome != toolkit.OutcomeRefused || got["limit"] != "rate" ||
			got["limit.scope"] != "tool" {
			t.Errorf("got %v, %v", last.Disposition.Outcome, got)
		}
		time.Sleep(e.After - 1)
		if _, err := h(t.Context(), call); refusal(err).RetryAfter() != 1 {
			t.Errorf("1 ns too early: got %v, want one refusal more", err)
		}
		time.Sleep(time.Nanosecond)
		if _, err := h(t.Context(), call); err != nil {
			t.Errorf("at the time told: got %v", err)
		}
	})
}

func TestWhoseRateItIs(t *testing.T) {
	limited := toolkit.Definition{RateLimit: perSecond(1)}
	for _, c := range []struct {
		name  string
		rate  limit.Rate
		def   toolkit.Definition
		calls []string // session, blank, tool
		last  limit.Scope
	}{
		{"nothing said", limit.Rate{}, toolkit.Definition{}, []string{"a x", "a x", "a x"}, ""},
		{"definition", limit.Rate{}, limited, []string{"a x", "b x"}, limit.ScopeTool},
		{"each tool its own", limit.Rate{}, limited, []string{"a x", "b y"}, ""},
		{"definition ignored", limit.Rate{IgnoreDefinitions: true, Global: perSecond(9)}, limited, []string{"a x", "b x"}, ""},
		{"lifted by name", limit.Rate{Tools: map[string]toolkit.RateLimit{"x": {}}}, limited, []string{"a x", "b x"}, ""},
		{"set by name", limit.Rate{Tools: map[string]toolkit.RateLimit{"x": perSecond(1)}}, toolkit.Definition{},
			[]string{"a x", "b x"}, limit.ScopeTool},
		{"all", limit.Rate{Global: perSecond(2)}, toolkit.Definition{}, []string{"a x", "b y", "c z"}, limit.ScopeGlobal},
		{"key", limit.Rate{PerKey: perSecond(2)}, toolkit.Definition{}, []string{"a x", "b x", "a y", "b y", "a z"}, limit.ScopeKey},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := observed(policy(t, limit.Options{Rate: c.rate}), c.def, quick, new(tooltest.Recorder))
				for i, text := range c.calls {
					var key, tool string
					fmt.Sscan(text, &key, &tool)
					_, err := h(session(t.Context(), key), toolkit.Call{Name: tool})
					switch e := refusal(err); {
					case i < len(c.calls)-1 || c.last == "":
						if err != nil {
							t.Errorf("call %d: got %v", i, err)
						}
					case e == nil || e.Scope != c.last:
						t.Errorf("last call: got %v, want a refusal by the limit of %s", err, c.last)
					}
				}
			})
		})
	}
}

// Without an observer there is no record, and definitions come from the look-up.
func TestDefinitionsOfCallsThatNobodyObserves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		def := toolkit.Definition{RateLimit: perSecond(1)}
		for _, c := range []struct {
			lookup  toolkit.Lookup
			refused bool
		}{{nil, false}, {func(string) *toolkit.Definition { return nil }, false},
			{func(string) *toolkit.Definition { return &def }, true}} {
			h := policy(t, limit.Options{Lookup: c.lookup}).Wrap(quick)
			h(t.Context(), toolkit.Call{})
			if _, err := h(t.Context(), toolkit.Call{}); (refusal(err) != nil) != c.refused {
				t.Errorf("got %v, want a refusal: %t", err, c.refused)
			}
		}
	})
}

// A refused call counts nowhere: the limits that would have let it in stay as they were.
func TestARefusedCallIsNotCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := policy(t, limit.Options{Rate: limit.Rate{Global: perSecond(2), Tools: map[string]toolkit.RateLimit{"x": perSecond(1)}}})
		h := p.Wrap(quick)
		for range 10 {
			h(t.Context(), toolkit.Call{Name: "x"})
		}
		if _, err := h(t.Context(), toolkit.Call{Name: "y"}); err != nil {
			t.Errorf("got %v, want that nine refused calls left room", err)
		}
	})
}

func TestWaitingForARate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen tooltest.Recorder
		p := policy(t, limit.Options{Rate: limit.Rate{Global: perSecond(2), MaxWait: 2500 * time.Millisecond}})
		began := time.Now()
		var mu sync.Mutex
		var got []string
		h := observed(p, toolkit.Definition{}, func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
			mu.Lock()
			defer mu.Unlock()
			got = append(got, fmt.Sprint(call.ID, " ", time.Since(began)))
			return toolkit.Result{}, nil
		}, &seen)
		gone, cancel := context.WithCancel(t.Context())
		for i := range 9 {
			ctx := t.Context()
			if i == 3 {
				ctx = gone
			}
			go h(ctx, toolkit.Call{ID: fmt.Sprint(i)})
			synctest.Wait()
		}
		time.Sleep(100 * time.Millisecond)
		cancel()
		time.Sleep(time.Minute)
		synctest.Wait()
		want := []string{"0 0s", "1 0s", "2 1s", "4 1s", "5 2s", "6 2s"}
		slices.Sort(got) // two begin at the same time
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got  %v\nwant %v", got, want)
		}
		ends := map[string]toolkit.Ended{}
		for _, e := range seen.All() {
			ends[e.Call.ID] = e
		}
		if e := ends["3"]; e.ErrorType != "canceled" || e.Disposition.Queue != 100*time.Millisecond ||
			e.Disposition.Outcome != toolkit.OutcomeRefused {
			t.Errorf("who gave up: got %s, %v, %v", e.ErrorType, e.Disposition.Queue, e.Disposition.Outcome)
		}
		if e := ends["5"]; e.Disposition.Queue != 2*time.Second || tags(e)["limit"] != "rate" || e.ErrorType != "" {
			t.Errorf("who waited: got %v, %v, %s", e.Disposition.Queue, e.Disposition.Tags, e.ErrorType)
		}
		for _, id := range []string{"7", "8"} {
			if e := ends[id]; e.ErrorType != "rate_limited" || e.Disposition.Queue > 2500*time.Millisecond {
				t.Errorf("who had no patience left: got %s, %v", e.ErrorType, e.Disposition.Queue)
			}
		}
	})
}

// No caller waits for what they cannot have: beyond the patience or the deadline the refusal
// comes at once.
func TestNobodyWaitsInVain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := policy(t, limit.Options{Rate: limit.Rate{Global: toolkit.RateLimit{MaxCalls: 1, Window: time.Hour},
			MaxWait: 90 * time.Minute, Queue: 1}})
		h := p.Wrap(quick)
		if _, err := h(t.Context(), toolkit.Call{}); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 59*time.Minute)
		defer cancel()
		if _, err := h(ctx, toolkit.Call{}); !errors.Is(err, toolkit.ErrRateLimited) || refusal(err).After != time.Hour ||
			time.Since(began) != 0 {
			t.Errorf("beyond the deadline: got %v after %v, want rate_limited at once", err, time.Since(began))
		}
		go h(t.Context(), toolkit.Call{})
		synctest.Wait()
		if _, err := h(t.Context(), toolkit.Call{}); !errors.Is(err, toolkit.ErrRateLimited) || time.Since(began) != 0 {
			t.Errorf("beyond the queue: got %v after %v, want rate_limited at once", err, time.Since(began))
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if s := p.Stats(); s.Waiting != 0 {
			t.Errorf("got %+v, want no caller", s)
		}
	})
}

// A session that has to wait long at its own limit holds up no other at the one they share.
func TestOneSessionsWaitHoldsUpNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := policy(t, limit.Options{Rate: limit.Rate{Global: perSecond(5),
			PerKey: toolkit.RateLimit{MaxCalls: 1, Window: time.Minute}, MaxWait: time.Hour}})
		h := p.Wrap(quick)
		for range 4 {
			go h(session(t.Context(), "a"), toolkit.Call{})
		}
		synctest.Wait()
		began := time.Now()
		for _, key := range []string{"b", "c", "d", "e", "f"} {
			if _, err := h(session(t.Context(), key), toolkit.Call{}); err != nil {
				t.Error(err)
			}
		}
		if waited := time.Since(began); waited != time.Second {
			t.Errorf("five others waited %v, want one second for the last of them", waited)
		}
		time.Sleep(5 * time.Minute)
	})
}

// A key is not forgotten while calls of it wait: they count when they begin.
func TestAKeyWhoseCallsWaitIsRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := policy(t, limit.Options{Rate: limit.Rate{PerKey: toolkit.RateLimit{MaxCalls: 1, Window: time.Hour},
			MaxWait: 2 * time.Hour}})
		h := p.Wrap(quick)
		ctx := session(t.Context(), "a")
		for range 2 { // the second one begins after an hour
			go h(ctx, toolkit.Call{})
			synctest.Wait()
		}
		time.Sleep(time.Hour + time.Second)
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		if _, err := h(ctx, toolkit.Call{}); refusal(err) == nil || refusal(err).After != time.Hour-time.Second {
			t.Errorf("got %v, want that the call which waited counts", err)
		}
	})
}
