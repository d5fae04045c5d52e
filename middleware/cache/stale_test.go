// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package cache_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/cache"
	"github.com/toolscope/toolscope/toolkit"
)

func TestWritesMakeStale(t *testing.T) {
	tool := func(name string, resources ...string) toolkit.Definition {
		return toolkit.Definition{Name: name, ReadOnly: toolkit.HintOf(strings.HasPrefix(name, "read")), Resources: resources}
	}
	defs := []toolkit.Definition{
		tool("read file", "files"), tool("read row", "db"), tool("read both", "db", "files"), tool("read anything"),
		tool("write file", "files"), tool("write row", "db"), tool("write mail", "mail"), tool("write anything"),
	}
	for _, c := range []struct {
		write string
		stale string // of "file row both anything"
	}{
		{"write file", "file both anything"},
		{"write row", "row both anything"},
		{"write mail", "anything"},
		{"write anything", "file row both anything"},
		{"read file", ""},
		{"unregistered", "file row both anything"},
	} {
		for _, panics := range []bool{false, true} {
			b := newBench(t, cache.Options{}, defs...)
			reads := []string{"file", "row", "both", "anything"}
			for _, r := range reads {
				b.do(t, a, call("", "read "+r, "{}"))
			}
			if panics {
				b.tool = func(context.Context, toolkit.Call) (toolkit.Result, error) { panic("half written") }
			}
			func() {
				defer func() { _ = recover() }()
				_, _ = b.handle(a, call("", c.write, `{"w":1}`))
			}()
			b.tool = nil
			var stale []string
			for _, r := range reads {
				if _, e := b.do(t, a, call("", "read "+r, "{}")); e.Disposition.Outcome != hit {
					stale = append(stale, r)
				}
			}
			if got := strings.Join(stale, " "); got != c.stale {
				t.Errorf("%s (panics: %t) made stale %q, want %q", c.write, panics, got, c.stale)
			}
		}
	}
}

func TestHowFarAWriteReaches(t *testing.T) {
	for _, c := range []struct {
		share, reach  middleware.Sharing
		writer, other toolkit.Session
		stale         bool
	}{
		{middleware.PerSession, middleware.PerSession, session("t", "a"), session("t", "b"), false},
		{middleware.PerSession, middleware.PerTenant, session("t", "a"), session("t", "b"), true},
		{middleware.PerSession, middleware.PerTenant, session("u", "a"), session("t", "b"), false},
		{middleware.PerSession, middleware.PerTenant, session("", "a"), session("", "b"), true}, // no tenant: everybody's
		{middleware.PerSession, middleware.Global, session("u", "a"), session("t", "b"), true},
		{middleware.PerTenant, middleware.PerSession, session("t", "a"), session("t", "b"), true},
		{middleware.Global, middleware.PerSession, session("u", "a"), session("t", "b"), true},
		{middleware.PerSession, middleware.PerSession, toolkit.Session{}, session("t", "b"), true}, // no session: everybody's
	} {
		b := newBench(t, cache.Options{Share: c.share, Reach: c.reach}, reads, writes)
		b.do(t, in(c.other), call("", "read", "{}"))
		b.want(t, in(c.other), call("", "read", "{}"), "run 1", hit)
		b.do(t, in(c.writer), call("", "write", "{}"))
		if _, e := b.do(t, in(c.other), call("", "read", "{}")); (e.Disposition.Outcome != hit) != c.stale {
			t.Errorf("per %v, reaching %v: %+v writes, %+v reads: got %v, want stale: %t", c.share, c.reach, c.writer, c.other,
				e.Disposition.Outcome, c.stale)
		}
	}
}

// A read that began before the end of a write is not given after it, whether it began
// before the write or while it ran.
func TestReadsThatOverlapAWrite(t *testing.T) {
	b := newBench(t, cache.Options{}, reads, writes)
	inner := b.handle
	b.tool = func(_ context.Context, c toolkit.Call) (toolkit.Result, error) {
		b.tool = nil
		if c.Name == "read" { // a whole write while it reads
			_, _ = inner(a, call("", "write", "{}"))
		} else { // a whole read while it writes
			_, _ = inner(a, call("", "read", `{"during":1}`))
			_, _ = inner(a, call("", "read", `{"during":1}`))
		}
		return toolkit.Result{Output: "old"}, nil
	}
	again := b.tool
	b.do(t, a, call("", "read", "{}"))
	b.want(t, a, call("", "read", "{}"), "run 3", executed)
	b.tool = again
	b.do(t, a, call("", "write", "{}"))
	if b.runs != 6 {
		t.Errorf("%d runs, want 6: while a write runs nothing is stored or given", b.runs)
	}
	b.want(t, a, call("", "read", `{"during":1}`), "run 7", executed)
}

// An idempotent tool that writes is answered from the store until another writes.
func TestAnIdempotentWriteIsItsOwnLastWrite(t *testing.T) {
	put := toolkit.Definition{Name: "put", Idempotent: toolkit.Yes, Resources: []string{"x", "y"}}
	b := newBench(t, cache.Options{}, put)
	b.do(t, a, call("", "put", `{"v":1}`))
	b.want(t, a, call("", "put", `{"v":1}`), "run 1", hit)
	b.do(t, a, call("", "put", `{"v":2}`))
	b.want(t, a, call("", "put", `{"v":1}`), "run 3", executed)
}

// Reads and writes of versioned cells interleave at random: no read gives a version older
// than the one that was current when it began.
func TestNoStaleAnswers(t *testing.T) {
	const workers, steps, cells = 8, 1500, 3
	var versions [2][cells]atomic.Int64 // files and rows
	kinds := []string{"file", "row"}
	var defs []toolkit.Definition
	for _, k := range kinds {
		defs = append(defs, toolkit.Definition{Name: "read " + k, ReadOnly: toolkit.Yes, Resources: []string{k}},
			toolkit.Definition{Name: "write " + k, Resources: []string{k}})
	}
	defs = append(defs, toolkit.Definition{Name: "read all", ReadOnly: toolkit.Yes}, toolkit.Definition{Name: "write all"})
	c, err := cache.New(cache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tools := map[string]*toolkit.Definition{}
	for _, d := range defs {
		tools[d.Name] = &d
	}
	tool := func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
		var cell int
		_, _ = fmt.Sscanf(string(call.Arguments), `{"cell":%d}`, &cell)
		pause := func() {
			for range rand.IntN(3) {
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
	handle := toolkit.Observe(func(n string) *toolkit.Definition { return tools[n] }, spans{})(middleware.Wrap(tool, c))
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for range steps {
				cell := rand.IntN(cells)
				args := fmt.Sprintf(`{"cell":%d}`, cell)
				if rand.IntN(4) == 0 {
					_, _ = handle(a, call("", "write "+[]string{"file", "row", "all"}[rand.IntN(3)], args))
					continue
				}
				k := rand.IntN(3)
				var before []int64
				for i := range kinds {
					if k == i || k == 2 {
						before = append(before, versions[i][cell].Load())
					}
				}
				res, _ := handle(a, call("", "read "+[]string{"file", "row", "all"}[k], args))
				got := make([]int64, len(before))
				for i, word := range strings.Fields(res.Output) {
					_, _ = fmt.Sscan(word, &got[i])
					if got[i] < before[i] {
						t.Errorf("read version %d, and %d was there before the read began", got[i], before[i])
					}
				}
			}
		})
	}
	wg.Wait()
	if s := c.Stats(); s.Hits == 0 || s.Stale == 0 {
		t.Errorf("got %+v: the test shows nothing", s)
	}
}
