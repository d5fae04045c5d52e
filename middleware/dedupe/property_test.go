// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package dedupe_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/cache"
	"github.com/toolscope/toolscope/middleware/dedupe"
	"github.com/toolscope/toolscope/toolkit"
)

// Whatever the interleaving: of the callers of one key that are inside the policy at the
// same time one runs the tool, no answer belongs to another session, tenant or
// arguments, who gives up fails no other call, and every call ends in one way.
func TestWhateverTheInterleaving(t *testing.T) {
	for _, share := range []middleware.Sharing{middleware.PerSession, middleware.PerTenant} {
		for _, cancelling := range []bool{false, true} {
			for _, collide := range []bool{false, true} {
				t.Run(fmt.Sprintf("%v, cancelling %t, colliding %t", share, cancelling, collide),
					func(t *testing.T) { interleave(t, share, cancelling, collide) })
			}
		}
	}
}

func interleave(t *testing.T, share middleware.Sharing, cancelling, collide bool) {
	const callers, callsEach = 1000, 3
	b := newBench(t, dedupe.Options{Share: share}, reads)
	if collide {
		dedupe.Collide(b.policy)
	}
	var running sync.Map // key → *atomic.Int64: runs under way
	var runs atomic.Int64
	b.tool = func(ctx context.Context, c toolkit.Call) (toolkit.Result, error) {
		s := toolkit.SessionFrom(ctx)
		who := s.Tenant + "/" + s.ID
		if share == middleware.PerTenant {
			who = s.Tenant
		}
		key := who + string(c.Arguments)
		n, _ := running.LoadOrStore(key, new(atomic.Int64))
		count := n.(*atomic.Int64)
		runs.Add(1)
		// A run that everybody has given up may still be ending when the next begins.
		if now := count.Add(1); now > 1 && !cancelling {
			t.Errorf("%s: %d runs at once", key, now)
		}
		defer count.Add(-1)
		for range rand.IntN(20) {
			runtime.Gosched()
		}
		if rand.IntN(3) == 0 {
			select {
			case <-ctx.Done():
			case <-time.After(time.Duration(rand.IntN(300)) * time.Microsecond):
			}
		}
		if ctx.Err() != nil {
			return toolkit.Result{}, ctx.Err()
		}
		switch rand.IntN(30) {
		case 0:
			panic("boom")
		case 1:
			return toolkit.Failure(errors.New("failed")), nil
		}
		return toolkit.Result{Output: key, Parts: []toolkit.Part{{Data: []byte(key)}}}, nil
	}
	var ended, gaveUp atomic.Int64
	var wg sync.WaitGroup
	for caller := range callers {
		wg.Go(func() {
			for range callsEach {
				tenant, id := fmt.Sprint("t", caller%2), fmt.Sprint("s", caller/2%3)
				ctx, cancel := in(tenant, id, ""), func() {}
				if rand.IntN(2) == 0 { // the others cannot give up
					ctx, cancel = context.WithCancel(ctx)
				}
				cancels := cancelling && ctx.Done() != nil && rand.IntN(3) == 0
				if cancels {
					go func() {
						for range rand.IntN(50) {
							runtime.Gosched()
						}
						cancel()
					}()
				}
				args := fmt.Sprintf(`{"n":%d}`, rand.IntN(3))
				func() {
					defer func() {
						ended.Add(1)
						if v := recover(); v != nil && v != "boom" {
							t.Errorf("panicked with %v", v)
						}
					}()
					res, err := b.handle(ctx, call("", "read", args))
					want := tenant + "/" + id + args
					if share == middleware.PerTenant {
						want = tenant + args
					}
					switch {
					case err != nil:
						gaveUp.Add(1)
						if !cancels || !errors.Is(err, context.Canceled) {
							t.Errorf("got %v, and the caller cancelled: %t", err, cancels)
						}
					case res.Fault == nil && (res.Output != want || string(res.Parts[0].Data) != want):
						t.Errorf("got %q, %q, want %q", res.Output, res.Parts[0].Data, want)
					case res.Fault == nil:
						res.Parts[0].Data[0] = 'X' // one's own copy
					}
				}()
				cancel()
			}
		})
	}
	wg.Wait()
	counts := map[toolkit.Outcome]int64{}
	for _, e := range b.seen.All() {
		counts[e.Disposition.Outcome]++
	}
	s := b.policy.Stats()
	if ended.Load() != callers*callsEach || b.seen.Open() != 0 || int64(b.seen.Len()) != ended.Load() {
		t.Errorf("%d calls ended, %d told, %d open, want %d", ended.Load(), b.seen.Len(), b.seen.Open(), callers*callsEach)
	}
	if counts[executed] != runs.Load() || uint64(runs.Load()) != s.Led || uint64(counts[coalesced]) != s.Coalesced ||
		counts[executed]+counts[coalesced]+counts[refused] != ended.Load() {
		t.Errorf("%d runs, told %v, counted %+v: they do not add up", runs.Load(), counts, s)
	}
	if s.Coalesced == 0 || cancelling != (gaveUp.Load() > 0 && s.Left > 0) {
		t.Errorf("%+v, %d gave up: the test shows nothing", s, gaveUp.Load())
	}
}

// Reads and writes of versioned cells interleave at random under both policies: no read
// gives a version older than the one that was current when it began.
func TestNoStaleAnswersUnderDedupeAndCache(t *testing.T) {
	const workers, steps, cells = 8, 800, 2
	var versions [2][cells]atomic.Int64
	kinds := []string{"file", "row"}
	tools := map[string]*toolkit.Definition{"read all": {ReadOnly: toolkit.Yes}, "write all": {}}
	for _, k := range kinds {
		tools["read "+k] = &toolkit.Definition{ReadOnly: toolkit.Yes, Resources: []string{k}}
		tools["write "+k] = &toolkit.Definition{Resources: []string{k}}
	}
	tool := func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
		var cell int
		_, _ = fmt.Sscanf(string(call.Arguments), `{"cell":%d}`, &cell)
		pause := func() {
			for range rand.IntN(4) {
				runtime.Gosched()
			}
		}
		pause()
		var out string
		for k, kind := range kinds {
			if call.Name == "write "+kind || call.Name == "write all" {
				versions[k][cell].Add(1)
			}
			if call.Name == "read "+kind || call.Name == "read all" {
				out += fmt.Sprint(versions[k][cell].Load(), " ")
			}
		}
		pause()
		return toolkit.Result{Output: out}, nil
	}
	c, err := cache.New(cache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, policies := range map[string]func(middleware.Policy) []middleware.Policy{
		"dedupe alone": func(d middleware.Policy) []middleware.Policy { return []middleware.Policy{d} },
		"with a cache": func(d middleware.Policy) []middleware.Policy { return []middleware.Policy{d, c} },
	} {
		d, err := dedupe.New(dedupe.Options{History: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		handle := toolkit.Observe(func(n string) *toolkit.Definition { return tools[n] },
			spans{})(middleware.Wrap(tool, policies(d)...))
		var wg sync.WaitGroup
		for range workers {
			wg.Go(func() {
				for range steps {
					cell := rand.IntN(cells)
					args := fmt.Sprintf(`{"cell":%d}`, cell)
					if rand.IntN(5) == 0 {
						_, _ = handle(batch, call("", "write "+[]string{"file", "row", "all"}[rand.IntN(3)], args))
						continue
					}
					k := rand.IntN(3)
					var before []int64
					for i := range kinds {
						if k == i || k == 2 {
							before = append(before, versions[i][cell].Load())
						}
					}
					res, _ := handle(batch, call("", "read "+[]string{"file", "row", "all"}[k], args))
					for i, word := range strings.Fields(res.Output) {
						var got int64
						if _, _ = fmt.Sscan(word, &got); got < before[i] {
							t.Errorf("%s: read version %d, and %d was there before the read began", name, got, before[i])
						}
					}
				}
			})
		}
		wg.Wait()
		if s := d.(*dedupe.Policy).Stats(); s.Repeated == 0 && name == "dedupe alone" || s.Led == 0 {
			t.Errorf("%s: got %+v: the test shows nothing", name, s)
		}
	}
}
