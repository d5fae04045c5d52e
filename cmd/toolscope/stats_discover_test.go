// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"net"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/stats/statshttp"
	"github.com/toolscope/toolscope/toolkit"
)

// alone gives a test a directory of announcements of its own.
func alone(t *testing.T) {
	t.Helper()
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	t.Setenv("TOOLSCOPE_URL", "")
}

func announced(t *testing.T, url, title string) {
	t.Helper()
	withdraw, err := statshttp.Announce(url, title)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(withdraw)
}

// Without a URL the programs that run are found; those that are gone are not asked.
func TestStatsFindsRunningPrograms(t *testing.T) {
	alone(t)
	announced(t, program(t, "read", time.Millisecond), "first")
	announced(t, program(t, "write", time.Millisecond), "sec\x1bond")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	announced(t, "http://"+l.Addr().String(), "gone")
	l.Close()

	code, out, errs := invoke(statsCommand, "", "--list")
	if code != exitOK || errs != "" || !strings.Contains(out, "first") || strings.Contains(out, "gone") || strings.Count(out, "http://") != 2 {
		t.Errorf("--list: got %d %q %q, want two programs", code, out, errs)
	}
	harmless(t, out)
	code, out, errs = invoke(statsCommand, "")
	if code != exitOK || errs != "" || !strings.Contains(out, "first http://127.0.0.1:") || !strings.Contains(out, "read") || !strings.Contains(out, "write") {
		t.Errorf("got %d %q %q, want both programs' tables", code, out, errs)
	}
	harmless(t, out)
	code, out, errs = invoke(statsCommand, "", "--merge")
	if code != exitOK || errs != "" || !strings.Contains(out, "2 programs merged") || !strings.Contains(out, "read") || !strings.Contains(out, "write") {
		t.Errorf("--merge: got %d %q %q, want one table", code, out, errs)
	}
}

func TestStatsFindsNothing(t *testing.T) {
	alone(t)
	code, _, errs := invoke(statsCommand, "", "--timeout", "1s")
	if code == exitOK { // somebody serves the default address on this machine
		t.Skip("the default address is in use")
	}
	if !strings.Contains(errs, "no program has announced itself") || strings.Contains(errs, "Get \"") {
		t.Errorf("got %q, want that nothing was found", errs)
	}
	if code, out, errs := invoke(statsCommand, "", "--list"); code != exitOK || out != "" || errs == "" {
		t.Errorf("--list: got %d %q %q, want a note", code, out, errs)
	}
	t.Setenv("XDG_RUNTIME_DIR", filepath.Join(t.TempDir(), "no", "such"))
	if code, _, errs := invoke(statsCommand, "", "--list"); code != exitOK || errs == "" {
		t.Errorf("--list without a directory: got %d %q, want a note", code, errs)
	}
}

// The tables compare with the window of the same length before.
func TestStatsComparesWithTheWindowBefore(t *testing.T) {
	var before, now *stats.Snapshot
	synctest.Test(t, func(t *testing.T) {
		r, err := stats.New(stats.Options{})
		if err != nil {
			t.Fatal(err)
		}
		tool := &toolkit.Definition{Name: "read"}
		minute := func(calls int, run time.Duration, failing int) {
			for i := range calls {
				e := &toolkit.Ended{Info: toolkit.CallInfo{Tool: tool}, Disposition: toolkit.Disposition{Run: run}, Start: time.Now(), End: time.Now().Add(run)}
				if i < failing {
					e.ErrorType = "timeout"
				}
				r.Begin(context.Background(), e.Call, &e.Info)
				r.End(context.Background(), e)
			}
			time.Sleep(time.Minute)
		}
		minute(10, 100*time.Millisecond, 0)
		minute(20, 150*time.Millisecond, 5)
		end := time.Now()
		before = r.Snapshot(stats.Window{Since: end.Add(-2 * time.Minute), Until: end.Add(-time.Minute)})
		now = r.Snapshot(stats.Window{Since: end.Add(-time.Minute)})
		_ = r.Close(context.Background())
	})
	v := &view{snapshot: now, before: before, sort: "time"}
	var b strings.Builder
	v.print(&b, "a program", paint{}, true)
	for _, want := range []string{"± against the window before", "▲ 100 %", "▲ 25.0 points", "▲ 50"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("got\n%s\nwant %q in it", b.String(), want)
		}
	}
	if p := v.summary().Tools[0].Previous; p == nil || p.Calls != 10 {
		t.Errorf("as JSON: got %+v, want 10 calls before", p)
	}
	v.tool = "another"
	if s := v.summary(); len(s.Tools) != 0 || s.Overall.Previous != nil {
		t.Errorf("of another tool: got %+v, want nothing", s.Overall)
	}
}

// A running program is asked for the window before.
func TestStatsAsksForTheWindowBefore(t *testing.T) {
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	r, err := stats.New(stats.Options{Clock: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	tool := &toolkit.Definition{Name: "read"}
	for range 120 { // one call every ten seconds, the later ones slower
		run := time.Millisecond
		if now.Minute() >= 15 {
			run = 3 * time.Millisecond
		}
		e := &toolkit.Ended{Info: toolkit.CallInfo{Tool: tool}, Disposition: toolkit.Disposition{Run: run}, Start: now, End: now}
		r.Begin(context.Background(), e.Call, &e.Info)
		r.End(context.Background(), e)
		now = now.Add(10 * time.Second)
	}
	h, err := statshttp.NewHandler(r, statshttp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(h)
	defer server.Close()
	code, out, errs := invoke(statsCommand, "", "--window", "5m", server.URL)
	if code != exitOK || errs != "" || !strings.Contains(out, "▲ 200 %") {
		t.Errorf("got %d %q\n%s\nwant p99 thrice as long", code, errs, out)
	}
	if _, out, _ := invoke(statsCommand, "", "--window", "total", server.URL); strings.Contains(out, "±") {
		t.Errorf("the total has none before it: got\n%s", out)
	}
}
