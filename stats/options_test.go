// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"testing"
	"time"
)

func TestOptionsAreChecked(t *testing.T) {
	for _, c := range []struct {
		options Options
		want    string
	}{
		{Options{Digits: 1}, "stats: Options.Digits: got 1, want 2 to 3"},
		{Options{MaxTools: -1}, "stats: Options.MaxTools: got -1, want 1 to 65536"},
		{Options{MaxErrorGroups: 1 << 20}, "stats: Options.MaxErrorGroups: got 1048576, want 1 to 65536"},
		{Options{MaxSessions: 1<<20 + 1}, "stats: Options.MaxSessions: got 1048577, want 0 to 1048576"},
		{Options{MaxLoops: 1<<16 + 1}, "stats: Options.MaxLoops: got 65537, want 0 to 65536"},
		{Options{MaxRecent: 1<<20 + 1}, "stats: Options.MaxRecent: got 1048577, want 0 to 1048576"},
		{Options{RecentAge: time.Second}, "stats: Options.RecentAge: got 1s, want 1m0s to 8784h0m0s"},
		{Options{MaxIntervalBytes: 1}, "stats: Options.MaxIntervalBytes: got 1, want 65536 to 17179869184"},
		{Options{Retention: time.Second}, "stats: Options.Retention: got 1s, want 1h0m0s to 8784h0m0s"},
		{Options{Directory: "x", MaxDirectoryBytes: 1}, "stats: Options.MaxDirectoryBytes: got 1, want 1048576 to 1099511627776"},
	} {
		if _, err := New(c.options); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

func TestNothingIsKeptWhereTheLimitIsZero(t *testing.T) {
	r := newRecorder(t, Options{MaxSessions: -1, MaxLoops: -1, MaxRecent: -1, Directory: ""})
	e := call(nil, time.Second, in("s", 1), failing("timeout", "late"))
	e.Disposition.Repeat = 3
	record(r, e)
	if len(r.Sessions(0))+len(r.Loops())+len(r.Recent(Filter{})) != 0 || r.LastID() != 1 {
		t.Error("something was kept")
	}
	if l := r.Limits(); l.DroppedRecent != 0 || l.Bytes > l.MaxBytes {
		t.Errorf("got %+v", l)
	}
}

func TestMaxBytesFollowsTheOptions(t *testing.T) {
	large := newRecorder(t).Limits().MaxBytes
	small := newRecorder(t, Options{Digits: 2, MaxTools: 16, MaxIntervalBytes: 1 << 20, MaxRecent: 64, MaxSessions: 64,
		MaxErrorGroups: 32}).Limits().MaxBytes
	t.Logf("default %d bytes, small %d bytes", large, small)
	if large > 256<<20 || small > 10<<20 {
		t.Errorf("got %d and %d bytes at most, want below 256 MiB and 10 MiB", large, small)
	}
}
