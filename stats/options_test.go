// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"testing"
	"time"
)

func TestOptionsAreChecked(t *testing.T) {
	for _, c := range []struct {
		option Option
		want   string
	}{
		{WithDigits(1), "stats: WithDigits: got 1, want 2 to 3"},
		{WithMaxTools(0), "stats: WithMaxTools: got 0, want 1 to 65536"},
		{WithMaxErrorGroups(1 << 20), "stats: WithMaxErrorGroups: got 1048576, want 1 to 65536"},
		{WithMaxSessions(-1), "stats: WithMaxSessions: got -1, want 0 to 1048576"},
		{WithMaxLoops(-1), "stats: WithMaxLoops: got -1, want 0 to 65536"},
		{WithMaxRecent(-1), "stats: WithMaxRecent: got -1, want 0 to 1048576"},
		{WithMaxIntervalBytes(1), "stats: WithMaxIntervalBytes: got 1, want 65536 to 17179869184"},
		{WithRetention(time.Second), "stats: WithRetention: got 1s, want 1h0m0s to 8784h0m0s"},
		{WithDirectory("x", 1), "stats: WithDirectory: maxBytes: got 1, want 1048576 to 1099511627776"},
		{WithClock(nil), "stats: WithClock: got nil, want a function"},
	} {
		if _, err := New(nil, c.option); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

func TestNothingIsKeptWhereTheLimitIsZero(t *testing.T) {
	r := newRecorder(t, WithMaxSessions(0), WithMaxLoops(0), WithMaxRecent(0), WithRedactor(nil), WithDirectory("", 0))
	e := call(nil, time.Second, in("s", 1), failing("timeout", "late"))
	e.Disposition.Repeat = 3
	record(r, e)
	if len(r.Sessions())+len(r.Loops())+len(r.Recent(Filter{})) != 0 || r.LastID() != 1 {
		t.Error("something was kept")
	}
	if l := r.Limits(); l.DroppedRecent != 0 || l.Bytes > l.MaxBytes {
		t.Errorf("got %+v", l)
	}
}

func TestMaxBytesFollowsTheOptions(t *testing.T) {
	large := newRecorder(t).Limits().MaxBytes
	small := newRecorder(t, WithDigits(2), WithMaxTools(16), WithMaxIntervalBytes(1<<20), WithMaxRecent(64), WithMaxSessions(64), WithMaxErrorGroups(32)).Limits().MaxBytes
	t.Logf("default %d bytes, small %d bytes", large, small)
	if large > 256<<20 || small > 10<<20 {
		t.Errorf("got %d and %d bytes at most, want below 256 MiB and 10 MiB", large, small)
	}
}
