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

	code, out, errs := invoke("stats", "", "--list")
	if code != exitOK || errs != "" || !strings.Contains(out, "first") || strings.Contains(out, "gone") ||
		strings.Count(out, "http://") != 2 {
		t.Errorf("--list: got %d %q %q, want two programs", code, out, errs)
	}
	harmless(t, out)
	code, out, errs = invoke("stats", "")
	if code != exitOK || errs != "" || !strings.Contains(out, "first http://127.0.0.1:") ||
		!strings.Contains(out, "read") ||
		!strings.Contains(out, "write") {
		t.Errorf("got %d %q %q, want both programs' tables", code, out, errs)
	}
	harmless(t, out)
	code, out, errs = invoke("stats", "", "--merge")
	if code != exitOK || errs != "" || !strings.Contains(out, "2 programs merged") || !strings.Contains(out, "read") ||
		!strings.Contains(out, "write") {
		t.Errorf("--merge: got %d %q %q, want one table", code, out, errs)
	}
}

func TestStatsFindsNothing(t *testing.T) {
	alone(t)
	code, _, errs := invoke("stats", "", "--timeout", "1s")
	if code == exitOK { // another program serves the default address on this machine
		t.Skip("the default address is in use")
	}
	if !strings.Contains(errs, "no program has announced itself") || strings.Contains(errs, "Get \"") {
		t.Errorf("got %q, want that nothing was found", errs)
	}
	if code, out, errs := invoke("stats", "", "--list"); code != exitOK || out != "" || errs == "" {
		t.Errorf("--list: got %d %q %q, want a note", code, out, errs)
	}
	t.Setenv("XDG_RUNTIME_DIR", filepath.Join(t.TempDir(), "no", "such"))
	if code, _, errs := invoke("stats", "", "--list"); code != exitOK || errs == "" {
		t.Errorf("--list without a directory: got %d %q, want a note", code, errs)
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
		e := &toolkit.Ended{
			Info:        toolkit.CallInfo{Tool: tool},
			Disposition: toolkit.Disposition{Run: run},
			Start:       now,
			End:         now,
		}
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
	code, out, errs := invoke("stats", "", "--window", "5m", server.URL)
	if code != exitOK || errs != "" || !strings.Contains(out, "▲ 200 %") {
		t.Errorf("got %d %q\n%s\nwant p99 thrice as long", code, errs, out)
	}
	if _, out, _ := invoke("stats", "", "--window", "total", server.URL); strings.Contains(out, "±") {
		t.Errorf("the total has none before it: got\n%s", out)
	}
}
