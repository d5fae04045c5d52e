// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package cachetest has the tests that any store of the cache must pass:
//
//	func TestStore(t *testing.T) {
//		cachetest.Run(t, func() cache.Store { return newStore(t) })
//	}
//
// They say what the cache relies on. How long entries are kept is not tested: a store may
// drop any entry at any time, but none of these within a moment.
package cachetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/cache"
	"github.com/toolscope/toolscope/middleware/internal/reuse"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/identity"
)

// Run runs the tests, each on an empty store that newStore makes.
func Run(t *testing.T, newStore func() cache.Store) {
	t.Helper()
	for _, test := range []struct {
		name string
		run  func(*testing.T, cache.Store)
	}{
		{"an empty store has nothing", empty},
		{"an entry comes back whole", whole},
		{"an entry is found by the meaning of its arguments", meaning},
		{"other keys are others' entries", others},
		{"the last entry counts", last},
		{"writes are counted where they belong", counted},
		{"counts survive entries", survive},
		{"all at once", concurrent},
		{"a context that is over", over},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, newStore()) })
	}
}

// keep is for how long the tests store.
const keep = time.Minute

func key(t testing.TB, owner, tool, arguments string, resources ...string) cache.Key {
	t.Helper()
	a, ok := identity.Of([]byte(arguments), nil, nil)
	if !ok {
		t.Fatalf("%s has no identity", arguments)
	}
	o := middleware.Owner{Tenant: "tenant", Session: owner}
	return cache.Key{Owner: o, Reach: o, Tool: tool, Arguments: a.Keep(), Resources: resources}
}

func get(t testing.TB, s cache.Store, k cache.Key) (*cache.Entry, uint64) {
	t.Helper()
	e, stamp, err := s.Get(context.Background(), k)
	if err != nil {
		t.Fatalf("Get: %v", err)
	}
	return e, stamp
}

func set(t testing.TB, s cache.Store, k cache.Key, output string) {
	t.Helper()
	e := &cache.Entry{Result: toolkit.Result{Output: output}, Stored: time.Now(), TTL: keep}
	if err := s.Set(context.Background(), k, e, keep); err != nil {
		t.Fatalf("Set: %v", err)
	}
}

func add(t testing.TB, s cache.Store, owner middleware.Owner, n uint64, resources ...string) {
	t.Helper()
	if err := s.Add(context.Background(), cache.Write{Owner: owner, Resources: resources}, n); err != nil {
		t.Fatalf("Add: %v", err)
	}
}

func wantOutput(t testing.TB, s cache.Store, k cache.Key, want string) {
	t.Helper()
	e, _ := get(t, s, k)
	switch {
	case e == nil && want != "":
		t.Errorf("%s: got nothing, want %q", k.Tool, want)
	case e != nil && e.Result.Output != want:
		t.Errorf("%s: got %q, want %q", k.Tool, e.Result.Output, want)
	}
}

func empty(t *testing.T, s cache.Store) {
	e, stamp := get(t, s, key(t, "a", "tool", "{}"))
	if e != nil || stamp != 0 {
		t.Errorf("got %v at stamp %d, want nothing at 0", e, stamp)
	}
}

func whole(t *testing.T, s cache.Store) {
	k := key(t, "a", "tool", "{}")
	in := &cache.Entry{
		Result: toolkit.Result{
			Output: "text \x00 and more 😀",
			Parts: []toolkit.Part{
				{Kind: toolkit.PartText, Text: "t", Annotations: json.RawMessage(`{"a":1}`), Meta: json.RawMessage(`{"m":2}`)},
				{Kind: toolkit.PartImage, Data: []byte{0, 1, 255}, MIMEType: "image/png"},
				{Kind: toolkit.PartResourceLink, URI: "file:///x", Name: "n", Title: "t", Description: "d"},
				{Kind: toolkit.PartStructured, JSON: json.RawMessage(`{"n":9007199254740993}`)},
			},
			Fault: &toolkit.Error{Kind: toolkit.ErrTool, Message: "no such city"},
		},
		Stamp: 1<<63 + 7, Stored: time.Now(), TTL: keep,
		Origin: toolkit.SpanRef{TraceID: [16]byte{1, 2}, SpanID: [8]byte{3}, Sampled: true},
	}
	if err := s.Set(context.Background(), k, in, keep); err != nil {
		t.Fatal(err)
	}
	out, _ := get(t, s, k)
	if out == nil {
		t.Fatal("got nothing")
	}
	if out.Result.Output != in.Result.Output || !reflect.DeepEqual(out.Result.Parts, in.Result.Parts) {
		t.Errorf("got %q with %d parts, want %q with %d, all the same", out.Result.Output, len(out.Result.Parts),
			in.Result.Output, len(in.Result.Parts))
	}
	if toolkit.TypeOf(out.Result.Fault) != "tool_error" || out.Result.Fault.Error() != in.Result.Fault.Error() ||
		!errors.Is(out.Result.Fault, toolkit.ErrTool) {
		t.Errorf("got the fault %v, want one of the same type and text", out.Result.Fault)
	}
	if out.Stamp != in.Stamp || !out.Stored.Equal(in.Stored) || out.TTL != in.TTL || out.Origin != in.Origin {
		t.Errorf("got stamp %d, stored %v, TTL %v, origin %v; want %d, %v, %v, %v", out.Stamp, out.Stored, out.TTL,
			out.Origin, in.Stamp, in.Stored, in.TTL, in.Origin)
	}
}

func meaning(t *testing.T, s cache.Store) {
	set(t, s, key(t, "a", "tool", `{"x":1,"y":"z"}`), "answer")
	wantOutput(t, s, key(t, "a", "tool", ` {"y":"\u007a", "x":1.0} `), "answer")
	wantOutput(t, s, key(t, "a", "tool", `{"x":1,"y":"zz"}`), "")
}

func others(t *testing.T, s cache.Store) {
	keys := []cache.Key{
		key(t, "a", "tool", "{}"), key(t, "b", "tool", "{}"), key(t, "", "tool", "{}"), key(t, "a", "tool2", "{}"),
		key(t, "a", "tool", `{"x":1}`),
		key(t, `a"tool`, "", "{}"), key(t, "a", `"tool`, "{}"),
		{Owner: middleware.Owner{Session: "a"}, Tool: "tool", Arguments: key(t, "", "", "{}").Arguments},
		{Owner: middleware.Owner{Tenant: "tenant\"\"a"}, Tool: "tool", Arguments: key(t, "", "", "{}").Arguments},
	}
	for i, k := range keys {
		wantOutput(t, s, k, "")
		set(t, s, k, strconv.Itoa(i))
	}
	for i, k := range keys {
		wantOutput(t, s, k, strconv.Itoa(i))
	}
}

func last(t *testing.T, s cache.Store) {
	k := key(t, "a", "tool", "{}")
	set(t, s, k, "first")
	set(t, s, k, "second")
	wantOutput(t, s, k, "second")
}

// tries is how many sets of names are tried where counts must be exact. A store may let
// two counters share a place, which makes answers stale that were not and is rare; with all of
// several sets it is a mistake.
const tries = 5

// exactly passes if run finds nothing wrong with one of several sets of names.
func exactly(t *testing.T, run func(suffix string) (wrong []string)) {
	t.Helper()
	var wrong []string
	for i := range tries {
		if wrong = run("-" + strconv.Itoa(i)); len(wrong) == 0 {
			return
		}
	}
	for _, w := range wrong {
		t.Error(w)
	}
}

func counted(t *testing.T, s cache.Store) {
	exactly(t, func(suffix string) (wrong []string) {
		a, b, nobody := middleware.Owner{Tenant: "tenant", Session: "a" + suffix},
			middleware.Owner{Tenant: "tenant", Session: "b" + suffix}, middleware.Owner{}
		theFiles, theDB, mail := "files"+suffix, "db"+suffix, "mail"+suffix
		anything, files, both := key(t, a.Session, "tool", "{}"), key(t, a.Session, "tool", "{}", theFiles),
			key(t, a.Session, "tool", "{}", theFiles, theDB)
		for _, step := range []struct {
			name                        string
			owner                       middleware.Owner
			resources                   []string
			ofAnything, ofFiles, ofBoth uint64 // what the stamps grow by
		}{
			{"files", a, []string{theFiles}, 1, 1, 1},
			{"db", a, []string{theDB}, 1, 0, 1},
			{"both", a, []string{theDB, theFiles}, 1, 1, 2},
			{"anything", a, nil, 1, 1, 1},
			{"another resource", a, []string{mail}, 1, 0, 0},
			{"another owner", b, []string{theFiles}, 0, 0, 0},
			{"another owner's anything", b, nil, 0, 0, 0},
			{"files without an owner", nobody, []string{theFiles}, 1, 1, 1},
			{"anything without an owner", nobody, nil, 1, 1, 1},
		} {
			for _, n := range []uint64{1, reuse.Begin, reuse.End, ^uint64(0)} {
				_, x0 := get(t, s, anything)
				_, y0 := get(t, s, files)
				_, z0 := get(t, s, both)
				add(t, s, step.owner, n, step.resources...)
				_, x1 := get(t, s, anything)
				_, y1 := get(t, s, files)
				_, z1 := get(t, s, both)
				if x1-x0 != step.ofAnything*n || y1-y0 != step.ofFiles*n || z1-z0 != step.ofBoth*n {
					wrong = append(wrong, fmt.Sprintf("%s, %d: stamps grew by %d, %d and %d, want %d, %d and %d", step.name, n,
						x1-x0, y1-y0, z1-z0, step.ofAnything*n, step.ofFiles*n, step.ofBoth*n))
				}
			}
		}
		return wrong
	})
}

func survive(t *testing.T, s cache.Store) {
	exactly(t, func(suffix string) []string {
		owner := "a" + suffix
		k := key(t, owner, "tool", "{}")
		_, before := get(t, s, k)
		add(t, s, k.Owner, 5)
		for i := range 100 {
			set(t, s, key(t, owner, "tool", `{"i":`+strconv.Itoa(i)+`}`), "x")
		}
		set(t, s, k, "x")
		if _, stamp := get(t, s, k); stamp-before != 5 {
			return []string{fmt.Sprintf("the stamp grew by %d, want 5", stamp-before)}
		}
		return nil
	})
}

func concurrent(t *testing.T, s cache.Store) {
	exactly(t, func(suffix string) []string {
		files := "files" + suffix
		shared := key(t, "a"+suffix, "tool", "{}", files)
		_, before := get(t, s, shared)
		var wg sync.WaitGroup
		for g := range 8 {
			own := key(t, strconv.Itoa(g)+suffix, "tool", "{}")
			wg.Go(func() {
				for i := range 25 {
					add(t, s, shared.Owner, reuse.Begin, files)
					set(t, s, own, strconv.Itoa(i))
					if e, _, err := s.Get(context.Background(), own); err != nil || e != nil && e.Result.Output != strconv.Itoa(i) {
						t.Errorf("got %v, %v, want one's own", e, err)
					}
					add(t, s, shared.Owner, reuse.End, files)
				}
			})
		}
		wg.Wait()
		const want = 8 * 25 * (reuse.Begin + reuse.End)
		if _, stamp := get(t, s, shared); stamp-before != want {
			return []string{fmt.Sprintf("the stamp grew by %d, want %d: a count was lost", stamp-before, uint64(want))}
		}
		return nil
	})
}

func over(t *testing.T, s cache.Store) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	k := key(t, "a", "tool", "{}")
	_, _, _ = s.Get(ctx, k) // an error or an answer, but no panic, and no waiting
	_ = s.Set(ctx, k, &cache.Entry{Stored: time.Now(), TTL: keep}, keep)
	_ = s.Add(ctx, cache.Write{Owner: k.Owner}, reuse.Begin)
}
