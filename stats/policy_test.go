// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

// told gives a call tags: alternately keys and values.
func told(pairs ...string) func(*toolkit.Ended) {
	return func(e *toolkit.Ended) {
		for i := 0; i+1 < len(pairs); i += 2 {
			e.Disposition.Tags = append(e.Disposition.Tags, toolkit.Tag{Key: pairs[i], Value: pairs[i+1]})
		}
	}
}

func TestPoliciesAreCounted(t *testing.T) {
	r := newRecorder(t)
	search, read := &toolkit.Definition{Name: "search"}, &toolkit.Definition{Name: "read"}
	record(r,
		call(search, time.Second, told("cache", "miss")),
		call(search, 0, with(toolkit.OutcomeCacheHit), told("cache", "hit", "permission.decision", "allow")),
		call(search, 0, with(toolkit.OutcomeCacheHit), told("cache", "hit", "cache", "hit")), // told twice, one call
		call(read, time.Millisecond, told("cache", "miss")),
		call(read, time.Millisecond),
	)
	count := func(key, value string, n uint64) PolicyCount { return PolicyCount{PolicyTag{key, value}, n} }
	s := r.Summary(Window{})
	for _, c := range []struct {
		name string
		got  []PolicyCount
		want []PolicyCount
	}{
		{"overall", s.Overall.Policies, []PolicyCount{count("cache", "hit", 2), count("cache", "miss", 2),
			count("permission.decision", "allow", 1)}},
		{"search", s.Tools[0].Policies, []PolicyCount{count("cache", "hit", 2), count("cache", "miss", 1),
			count("permission.decision", "allow", 1)}},
		{"read", s.Tools[1].Policies, []PolicyCount{count("cache", "miss", 1)}},
	} {
		if !reflect.DeepEqual(c.got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, c.got, c.want)
		}
	}
	if got, want := r.Recent(Filter{})[3].Policies,
		[]PolicyTag{{"cache", "hit"}, {"permission.decision", "allow"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("a recent call: got %v, want %v", got, want)
	}
	for policy, want := range map[string]int{"cache": 4, "cache=hit": 2, "cache=": 0, "permission.decision=allow": 1,
		"allow": 0, "": 5} {
		if got := len(r.Recent(Filter{Policy: policy})); got != want {
			t.Errorf("calls selected by %q: got %d, want %d", policy, got, want)
		}
	}
}

// However many values and keys there are, the first ones are counted apart, further
// values as others of their key, further keys as others. What a redactor takes out is
// not kept.
func TestPoliciesAreBoundedAndRedacted(t *testing.T) {
	r := newRecorder(t)
	tool := &toolkit.Definition{Name: "t"}
	secret := strings.Join([]string{"sk", "live", "4eC39HqLyjWDarjtT1zdp7dc"}, "_")
	record(r, call(tool, 0, told("cache", "hit", "host", secret, "text", strings.Repeat("é", 500), "bad", "\xff\x00")))
	const n = 5000
	for i := range n {
		record(r, call(tool, 0, told("permission.rule", fmt.Sprint("id-", i), fmt.Sprint("key-", i), "x", "cache", "hit")))
	}
	s := r.Summary(Window{})
	counts := map[PolicyTag]uint64{}
	sum := uint64(0)
	for _, c := range s.Overall.Policies {
		counts[c.PolicyTag] = c.Count
		sum += c.Count
		if strings.Contains(c.Value, secret) {
			t.Errorf("the secret is kept: %v", c)
		}
		if len(c.Value) > maxPolicyText || len(c.Key) > maxPolicyText || strings.ToValidUTF8(c.Value, "") != c.Value {
			t.Errorf("got %q, want valid text of at most %d bytes", c.PolicyTag, maxPolicyText)
		}
	}
	if len(s.Overall.Policies) != maxPolicyTags+1 || sum != 3*n+4 {
		t.Errorf("got %d facts of %d calls, want %d of %d", len(s.Overall.Policies), sum, maxPolicyTags+1, 3*n+4)
	}
	const keys = maxPolicyTags - 4 - maxPolicyValues - 1 // what was left for keys
	for tag, want := range map[PolicyTag]uint64{
		{"cache", "hit"}:            n + 1, // what is known stays exact
		{"permission.rule", "id-0"}: 1,
		{"permission.rule", Other}:  n - maxPolicyValues,
		{"key-0", "x"}:              1,
		{Other, ""}:                 n - keys,
	} {
		if got := counts[tag]; got != want {
			t.Errorf("%v: got %d, want %d", tag, got, want)
		}
	}
	// A recent call has its own tags, also where it is counted among others.
	got, want := r.Recent(Filter{Limit: 1})[0].Policies,
		[]PolicyTag{{"permission.rule", fmt.Sprint("id-", n-1)}, {fmt.Sprint("key-", n-1), "x"}, {"cache", "hit"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the latest call: got %v, want %v", got, want)
	}
	if got := len(r.Recent(Filter{Policy: fmt.Sprint("permission.rule=id-", n-1)})); got != 1 {
		t.Errorf("got %d calls of that rule, want 1", got)
	}
	if l := r.Limits(); l.Bytes > l.MaxBytes {
		t.Errorf("got %d bytes, want at most %d", l.Bytes, l.MaxBytes)
	}
}

// A fact that differs from call to call is shown with its call, and not counted.
func TestPoliciesThatVaryAreNotCounted(t *testing.T) {
	r := newRecorder(t)
	tool := &toolkit.Definition{Name: "t"}
	for i := range 100 {
		record(r, call(tool, 0, told("approval", "approved", "approval.id", fmt.Sprint("a-", i), "cache", "miss")))
	}
	if got := r.Summary(Window{}).Overall.Policies; len(got) != 2 || got[0].Count != 100 || got[1].Count != 100 {
		t.Errorf("got %v, want 100 approved and 100 misses", got)
	}
	got, want := r.Recent(Filter{Limit: 1})[0].Policies,
		[]PolicyTag{{"approval", "approved"}, {"approval.id", "a-99"}, {"cache", "miss"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the latest call: got %v, want %v", got, want)
	}
}

func TestPoliciesCostNothingWhereNoneTells(t *testing.T) {
	r := newRecorder(t)
	tool := &toolkit.Definition{Name: "t"}
	for name, e := range map[string]*toolkit.Ended{
		"no fact": call(tool, time.Millisecond),
		"known":   call(tool, time.Millisecond, told("cache", "hit", "loop.kind", "repeat")),
	} {
		record(r, e)
		if n := testing.AllocsPerRun(1000, func() { record(r, e) }); n != 0 {
			t.Errorf("%s: got %v allocations, want 0", name, n)
		}
	}
}

func TestPoliciesAreExactUnderConcurrency(t *testing.T) {
	r := newRecorder(t)
	tool := &toolkit.Definition{Name: "t"}
	const goroutines, each = 8, 2000
	var all sync.WaitGroup
	for g := range goroutines {
		all.Go(func() {
			for i := range each {
				record(r, call(tool, 0, told("n", fmt.Sprint((g+i)%5), "cache", "hit")))
				if i%100 == 0 {
					r.sealing.Lock()
					now := time.Now().UnixNano()
					r.put(r.opened, now)
					r.sealing.Unlock()
				}
			}
		})
	}
	all.Wait()
	for _, c := range r.Summary(Window{}).Overall.Policies {
		want := uint64(goroutines * each)
		if c.Key == "n" {
			want /= 5
		}
		if c.Count != want {
			t.Errorf("%v: got %d, want %d", c.PolicyTag, c.Count, want)
		}
	}
}

// Facts survive a restart, and those of a former process count towards the bound.
func TestPoliciesAreReadBack(t *testing.T) {
	directory := t.TempDir()
	tool := &toolkit.Definition{Name: "t"}
	for round := range 3 {
		r := newRecorder(t, Options{Directory: directory})
		for i := range 100 {
			record(r, call(tool, 0, told("cache", "hit", fmt.Sprint("rule-", round, "-", i), "x", "source", fmt.Sprint(round, "-", i))))
		}
		closeNow(t, r)
	}
	r := newRecorder(t, Options{Directory: directory})
	got := r.Summary(Window{}).Overall.Policies
	counts := map[PolicyTag]uint64{}
	for _, c := range got {
		counts[c.PolicyTag] = c.Count
	}
	if len(got) != maxPolicyTags+1 || counts[PolicyTag{"cache", "hit"}] != 300 ||
		counts[PolicyTag{"source", Other}] != 300-maxPolicyValues || counts[PolicyTag{Key: Other}] == 0 {
		t.Errorf("got %d facts, %v; want %d, 300 hits, and others; notes: %q", len(got), got, maxPolicyTags+1, r.Notes())
	}
}
