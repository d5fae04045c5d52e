// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package spool

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Whatever destination, disk and time do, and however often the program starts again, in the end
// every span was taken once, or is counted as dropped, and spans that are not said to be dropped
// for a reason of the test's are there.
func TestModel(t *testing.T) {
	for seed := range uint64(15) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { model(t, rand.New(rand.NewPCG(seed, 1))) })
		})
	}
}

func model(t *testing.T, r *rand.Rand) {
	dir, d := t.TempDir(), new(destination)
	o := Options{WriteAhead: r.IntN(2) == 0, MaxBytes: 128 << 10, MaxAge: 4 * time.Hour, MaxMemory: 8 << 10}
	// What a destination takes in parts only is sent again as a whole if it fails in between.
	var divided sync.Map
	moods := []func(context.Context, []string) error{
		nil, nil, down,
		func(ctx context.Context, _ []string) error { <-ctx.Done(); return ctx.Err() },
		func(ctx context.Context, _ []string) error {
			select {
			case <-time.After(3 * time.Second):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		},
		func(_ context.Context, names []string) error {
			if slices.ContainsFunc(names, func(n string) bool { return strings.HasSuffix(n, "7") }) {
				return status.Error(codes.InvalidArgument, "no sevens")
			}
			return nil
		},
		func(_ context.Context, names []string) error {
			if len(names) > 3 {
				for _, name := range names {
					divided.Store(name, true)
				}
				return status.Error(codes.ResourceExhausted, "too many")
			}
			return nil
		},
		func(context.Context, []string) error { return status.Error(codes.PermissionDenied, "who are you") },
	}
	dropped := make(map[Reason]uint64)
	var s *Spool
	var fault *atomic.Pointer[error]
	left, runSent := 0, 0
	begin := func() { s, fault = faulty(t, dir, d, o) }
	end := func() {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		_ = s.Shutdown(ctx) // what it loses it counts
		got := s.Stats()
		for reason, n := range got.Dropped {
			dropped[reason] += n
		}
		if got.MemorySpans != 0 || got.Taken != uint64(runSent) || got.Found > uint64(left) {
			t.Errorf("after Shutdown: got %+v, want %d taken, at most %d found and none in memory", got, runSent, left)
		}
		left, runSent = got.Spans+left-int(got.Found), 0 // what was not found yet is still there
	}
	begin()
	sent := 0
	for range 300 {
		if got := s.Stats(); got.MemorySpans < 0 || got.MemorySpans > int(got.Taken+got.Found) {
			t.Fatalf("the ledger is not even: %+v", got)
		}
		switch r.IntN(12) {
		default:
			names := numbered(fmt.Sprintf("%s%d-", []string{"", "!"}[r.IntN(2)], sent), 1+r.IntN(9))
			if r.IntN(8) == 0 {
				names[0] += strings.Repeat("x", 6<<10)
			}
			sent, runSent = sent+len(names), runSent+len(names)
			_ = s.ExportSpans(t.Context(), stubs(names...)) // what it refuses it counts
		case 0, 1:
			d.set(moods[r.IntN(len(moods))])
		case 2:
			faults := []error{nil, nil, syscall.ENOSPC, syscall.EROFS}
			if f := faults[r.IntN(len(faults))]; f != nil {
				fault.Store(&f)
			} else {
				fault.Store(nil)
			}
		case 3:
			time.Sleep(time.Duration(r.IntN(20)) * time.Minute)
		case 4:
			fault.Store(nil)
			end()
			begin()
		}
	}
	d.set(nil)
	fault.Store(nil)
	time.Sleep(10 * time.Minute)
	if err := s.ExportSpans(t.Context(), stubs("last")); err != nil {
		t.Errorf("in the end: %v", err)
	}
	sent, runSent = sent+1, runSent+1
	time.Sleep(time.Hour)
	if got := s.Stats(); got.Spans+got.MemorySpans != 0 || got.DiskError != "" || !got.FailingSince.IsZero() ||
		got.Torn+got.Corrupt != 0 {
		t.Errorf("in the end: got %+v", got)
	}
	end()

	times := make(map[string]int)
	for _, name := range d.names() {
		if _, ok := divided.Load(name); times[name] > 0 && !ok {
			t.Errorf("%.20s was taken twice", name)
		}
		times[name]++
	}
	total := uint64(0)
	for _, n := range dropped {
		total += n
	}
	if int(total)+len(times) != sent {
		t.Errorf("of %d spans %d were taken and %v dropped", sent, len(times), dropped)
	}
	if dropped[DroppedLost]+dropped[DroppedInvalid]+dropped[DroppedTooLarge]+dropped[DroppedShutdown] > 0 {
		t.Errorf("dropped without a reason: %v", dropped)
	}
}
