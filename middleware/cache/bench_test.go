// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package cache_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/maypok86/otter/v2"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/cache"
	"github.com/toolscope/toolscope/middleware/dedupe"
	"github.com/toolscope/toolscope/toolkit"
)

// members are those of arguments of 300 bytes, as an agent sends them.
var members = []string{
	`"query":"how to rotate credentials without downtime"`, `"limit":25`, `"offset":0`,
	`"filters":{"language":"en","site":"docs.example.com","since":"2026-01-15T00:00:00Z"}`,
	`"fields":["title","url","snippet","score"]`, `"safe":true`, `"threshold":0.75`,
	`"trace":"1f6f6c1e-7b0a-4f6e-9a57-2f3e6d0c9b1a-0001"`,
}

// spelled are the same arguments in another order for each n below 40,320.
func spelled(n int) []byte {
	order := append([]string(nil), members...)
	for i, rest := len(order)-1, n; i > 0; i-- {
		j := rest % (i + 1)
		rest /= i + 1
		order[i], order[j] = order[j], order[i]
	}
	return []byte("{" + strings.Join(order, ",") + "}")
}

// spellings are n texts of the same arguments that lie in one piece of memory. If they
// are many, package identity remembers none of them and each is read again.
func spellings(n int, spell func(int) []byte) [][]byte {
	var memory []byte
	all := make([][]byte, n)
	for i := range all {
		memory = append(memory, spell(i)...)
	}
	for i, size := 0, len(memory)/n; i < n; i++ {
		all[i] = memory[i*size : (i+1)*size]
	}
	return all
}

// quiet is an observer that looks at nothing.
type quiet struct{}

func (quiet) Begin(ctx context.Context, _ toolkit.Call, _ *toolkit.CallInfo) context.Context {
	return ctx
}
func (quiet) Wants(context.Context) bool          { return false }
func (quiet) End(context.Context, *toolkit.Ended) {}

var (
	search  = toolkit.Definition{Name: "search", ReadOnly: toolkit.Yes}
	benched = toolkit.WithSession(context.Background(),
		toolkit.Session{Tenant: "acme", ID: "0b6d6a5e-4f0f-4e0e-8f6a-5f7d3f1c2a11", Batch: "b7"})
)

// observed is a tool that answers with 500 bytes, under policies.
func observed(tool toolkit.Definition, policies ...middleware.Policy) toolkit.Handler {
	output := strings.Repeat("x", 500)
	answer := func(context.Context, toolkit.Call) (toolkit.Result, error) {
		return toolkit.Result{Output: output}, nil
	}
	return toolkit.Observe(func(string) *toolkit.Definition { return &tool }, quiet{})(middleware.Wrap(answer, policies...))
}

func mustCache(t testing.TB) *cache.Policy {
	c, err := cache.New(cache.Options{TTL: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func mustDedupe(t testing.TB) middleware.Policy {
	d, err := dedupe.New(dedupe.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// What a hit costs is its row less "observed", the same call without policies.
func BenchmarkHit(b *testing.B) {
	same := spellings(8192, func(int) []byte { return spelled(0) })
	reordered := spellings(8192, spelled)
	never := toolkit.Definition{Name: "search", ReadOnly: toolkit.Yes, CacheTTL: -1}
	for _, row := range []struct {
		name string
		args [][]byte
		h    toolkit.Handler
	}{
		{"observed", same, observed(search)},
		{"idle cache", same, observed(never, mustCache(b))},
		{"a write under dedupe", same, observed(toolkit.Definition{Name: "search", Resources: []string{"x"}}, mustDedupe(b))},
		{"a write under cache", same, observed(toolkit.Definition{Name: "search", Resources: []string{"x"}}, mustCache(b))},
		{"hit, same bytes", same, observed(search, mustCache(b))},
		{"hit, same bytes, with dedupe", same, observed(search, mustCache(b), mustDedupe(b))},
		{"repeated in its batch", same, observed(search, mustDedupe(b))},
		{"hit, reordered", reordered, observed(search, mustCache(b))},
		{"hit, reordered, with dedupe", reordered, observed(search, mustCache(b), mustDedupe(b))},
	} {
		b.Run(row.name, func(b *testing.B) {
			call := toolkit.Call{Name: "search"}
			for range 3 {
				call.Arguments = same[0]
				_, _ = row.h(benched, call)
			}
			b.ReportAllocs()
			i, buffer := 0, make([]byte, 400)
			for b.Loop() { // the arguments are in the processor's cache, as those of a call that has just come
				call.Arguments = append(buffer[:0], row.args[i%len(row.args)]...)
				_, _ = row.h(benched, call)
				i++
			}
		})
	}
	b.Run("peers: decode, sort, SHA-256 and otter", func(b *testing.B) {
		store := otter.Must(&otter.Options[[32]byte, *toolkit.Result]{MaximumSize: 10_000,
			ExpiryCalculator: otter.ExpiryWriting[[32]byte, *toolkit.Result](time.Hour)})
		defer store.StopAllGoroutines()
		key := func(args []byte) [32]byte {
			var v any
			if err := json.Unmarshal(args, &v); err != nil {
				b.Fatal(err)
			}
			text, _ := json.Marshal(v)
			return sha256.Sum256(append([]byte("search\x00"), text...))
		}
		store.Set(key(same[0]), &toolkit.Result{})
		b.ReportAllocs()
		for b.Loop() {
			if _, ok := store.GetIfPresent(key(same[0])); !ok {
				b.Fatal("a miss")
			}
		}
	})
}

// What a call costs that runs: for a caller that may give up, the goroutine of the shared run is
// the largest part.
func BenchmarkMiss(b *testing.B) {
	leaving, cancel := context.WithCancel(benched)
	defer cancel()
	for _, row := range []struct {
		name     string
		ctx      context.Context
		policies []middleware.Policy
	}{
		{"observed", benched, nil}, {"cache", benched, []middleware.Policy{mustCache(b)}},
		{"dedupe", benched, []middleware.Policy{mustDedupe(b)}}, {"dedupe, may give up", leaving, []middleware.Policy{mustDedupe(b)}},
	} {
		h := observed(search, row.policies...)
		b.Run(row.name, func(b *testing.B) {
			b.ReportAllocs()
			i := 0
			args := make([]byte, 0, 400)
			for b.Loop() {
				args = fmt.Appendf(args[:0:0], `{"i":%d,"q":"how to rotate credentials without downtime"}`, i)
				_, _ = h(row.ctx, toolkit.Call{Name: "search", Arguments: args})
				i++
			}
		})
	}
}

func TestHitsAllocateNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector lets sync.Pool forget at random")
	}
	for name, c := range map[string]struct {
		h    toolkit.Handler
		args func(i int) []byte
	}{
		"same bytes":             {observed(search, mustCache(t)), func(int) []byte { return spelled(0) }},
		"reordered":              {observed(search, mustCache(t)), func(i int) []byte { return spelled(i * 11) }},
		"with dedupe":            {observed(search, mustCache(t), mustDedupe(t)), func(int) []byte { return spelled(0) }},
		"with dedupe, reordered": {observed(search, mustCache(t), mustDedupe(t)), func(i int) []byte { return spelled(i * 13) }},
		"idle": {observed(toolkit.Definition{Name: "search", ReadOnly: toolkit.Yes, CacheTTL: -1},
			mustCache(t)), func(int) []byte { return spelled(0) }},
		"a write under both": {observed(toolkit.Definition{Name: "search"}, mustCache(t), mustDedupe(t)),
			func(int) []byte { return spelled(0) }},
		"a duplicate that has finished": {observed(search, mustDedupe(t)), func(int) []byte { return spelled(0) }},
	} {
		const runs = 200
		var all [runs + 3][]byte
		own := fmt.Appendf(nil, `{"run":%d,`, rand.Int64()) // or package identity knows them from a run before
		for i := range all {
			all[i] = slices.Concat(own, c.args(i)[1:])
		}
		for range 3 {
			_, _ = c.h(benched, toolkit.Call{Name: "search", Arguments: all[0]})
		}
		i := 0
		if got := testing.AllocsPerRun(runs, func() {
			i++
			_, _ = c.h(benched, toolkit.Call{Name: "search", Arguments: all[i]})
		}); got != 0 {
			t.Errorf("%s: got %v allocations, want 0", name, got)
		}
	}
}
