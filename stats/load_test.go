// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	hdrhistogram "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
)

// The load: 10,000 calls a second beside 20 readers of every resource, and clients of
// the stream that read nothing.
const (
	loadRate    = 10_000
	loadWriters = 4
	loadReaders = 20
	loadStreams = 8
)

// TestLoad records calls first alone and then beside readers. Without TOOLSCOPE_LOAD it
// takes a second of each; `make load` sets it to a minute, and then times are judged
// as well: a call that waited for a reader would take milliseconds.
func TestLoad(t *testing.T) {
	length, full := time.Second/2, false
	if v := os.Getenv("TOOLSCOPE_LOAD"); v != "" {
		d, err := time.ParseDuration(v)
		if err != nil || d < time.Second {
			t.Fatalf("TOOLSCOPE_LOAD: got %q, want a duration of a second or more", v)
		}
		length, full = d, d >= 20*time.Second
	}
	alone, _ := load(t, length, false)
	runtime.SetBlockProfileRate(1)
	beside, served := load(t, length, true)
	runtime.SetBlockProfileRate(0)
	waited := waits(t)
	t.Logf("%d calls a second for %v each, from %d goroutines on %d processors", loadRate, length, loadWriters,
		runtime.GOMAXPROCS(0))
	t.Logf("alone:             %v", alone)
	t.Logf("beside %d readers: %v; %d answers", loadReaders, beside, served)
	t.Logf("%d of %d calls waited for a lock", waited, beside.TotalCount())
	if full && waited > beside.TotalCount()/1000 {
		t.Errorf("%d of %d calls waited for a lock, want at most one in a thousand", waited, beside.TotalCount())
	}
	if p99 := beside.ValueAtQuantile(99); full && p99 > 10*alone.ValueAtQuantile(99)+int64(100*time.Microsecond) {
		t.Errorf("beside readers the 99th percentile is %v, alone %v", time.Duration(p99), time.Duration(alone.ValueAtQuantile(99)))
	}
}

// waits is how often a call waited for a lock, by the runtime's profile of blocking.
func waits(t *testing.T) (n int64) {
	t.Helper()
	var records []runtime.BlockProfileRecord
	for size, ok := 0, false; !ok; {
		records = make([]runtime.BlockProfileRecord, size+100)
		size, ok = runtime.BlockProfile(records)
		records = records[:min(size, len(records))]
	}
	for _, r := range records {
		frames := runtime.CallersFrames(r.Stack())
		for more := true; more; {
			var f runtime.Frame
			f, more = frames.Next()
			if strings.HasSuffix(f.Function, "stats_test.recordOne") {
				n += r.Count
			}
		}
	}
	return n
}

// times are how long recording a call took.
type times struct{ *hdrhistogram.Histogram }

func (l times) String() string {
	q := func(q float64) time.Duration { return time.Duration(l.ValueAtQuantile(q)) }
	return fmt.Sprintf("recording a call took p50 %v, p99 %v, p99.9 %v, p99.99 %v, at most %v", q(50), q(99), q(99.9),
		q(99.99), time.Duration(l.Max()))
}

// load records calls for a while, with readers or without, and checks that they were
// counted exactly and that memory stayed flat. It returns how long recording them
// took, and how many answers readers got.
func load(t *testing.T, length time.Duration, readers bool) (times, uint64) {
	t.Helper()
	r, err := stats.New(stats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := r.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	var served atomic.Uint64
	stop := func() {}
	if readers {
		stop = startReaders(t, r, &served, length)
	}
	memory := watchMemory()
	took := writeCalls(r, length)
	memory.check(t, length)
	defer stop()

	const total = loadRate
	want := uint64(total * length / time.Second)
	s := r.Summary(stats.Window{})
	if s.Overall.Calls != want || s.Overall.Errors != want/100 || s.Overall.InFlight != 0 {
		t.Errorf("got %d calls, %d errors, %d in flight; want %d, %d, 0", s.Overall.Calls, s.Overall.Errors,
			s.Overall.InFlight, want, want/100)
	}
	if l := r.Limits(); l.Bytes > l.MaxBytes {
		t.Errorf("the recorder holds %d bytes, want at most %d", l.Bytes, l.MaxBytes)
	}
	return took, served.Load()
}

// writeCalls ends calls at the rate, each hundredth with an error, and times Begin
// and End of each.
func writeCalls(r *stats.Recorder, length time.Duration) times {
	tools := []*toolkit.Definition{{Name: "search", Cost: 0.01}, {Name: "read"}, {Name: "<b>\u202eweb"}}
	parts := make([]*hdrhistogram.Histogram, loadWriters)
	var all sync.WaitGroup
	for w := range loadWriters {
		all.Go(func() {
			took := hdrhistogram.New(1, int64(time.Minute), 3)
			parts[w] = took
			total := int(loadRate * length / time.Second / loadWriters)
			begun := time.Now()
			for done := 0; done < total; time.Sleep(time.Millisecond) {
				due := min(total, 1+int(time.Since(begun)*loadRate/loadWriters/time.Second))
				for ; done < due; done++ {
					n := done*loadWriters + w
					_ = took.RecordValue(int64(recordOne(r, tools[n%len(tools)], n)))
				}
			}
		})
	}
	all.Wait()
	for _, p := range parts[1:] {
		parts[0].Merge(p)
	}
	return times{parts[0]}
}

var errLocked = errors.New(`row 17 of "orders" is locked by 10.0.0.7:5432`)

func recordOne(r *stats.Recorder, tool *toolkit.Definition, n int) time.Duration {
	now := time.Now()
	e := toolkit.Ended{
		Info: toolkit.CallInfo{
			Tool:    tool,
			Session: &toolkit.Session{ID: sessions[n/7%len(sessions)], Turn: n % 50},
			Span: toolkit.SpanRef{TraceID: [16]byte{1, byte(n), byte(n >> 8)}, SpanID: [8]byte{1, byte(n), byte(n >> 8)},
				Sampled: n%10 == 0},
		},
		Disposition: toolkit.Disposition{Run: time.Duration(n%1000) * 37 * time.Microsecond},
		Start:       now, End: now, ArgumentsBytes: 100, ResultBytes: 1000,
	}
	if n%100 == 99 {
		e.ErrorType, e.Err = "tool_error", errLocked
	}
	ctx := context.Background()
	begun := time.Now()
	r.Begin(ctx, e.Call, &e.Info)
	r.End(ctx, &e)
	return time.Since(begun)
}

var sessions = func() []string {
	ids := make([]string, 500)
	for i := range ids {
		ids[i] = fmt.Sprintf("session-%03d", i)
	}
	return ids
}()

// memory is how much of the heap was alive over time, by the collector's account.
type memory struct {
	stop  chan struct{}
	ended sync.WaitGroup
	live  []uint64
}

func watchMemory() *memory {
	m := &memory{stop: make(chan struct{})}
	m.ended.Go(func() {
		sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-m.stop:
				return
			case <-tick.C:
				metrics.Read(sample)
				m.live = append(m.live, sample[0].Value.Uint64())
			}
		}
	})
	return m
}

// check compares the last quarter with the second one. What it allows for is the
// intervals sealed meanwhile, 12 KB each, and what readers are just being answered.
func (m *memory) check(t *testing.T, length time.Duration) {
	t.Helper()
	close(m.stop)
	m.ended.Wait()
	if length < 20*time.Second {
		return
	}
	n := len(m.live) / 4
	early, late := slices.Max(m.live[n:2*n]), slices.Max(m.live[3*n:])
	t.Logf("heap alive: at most %.1f MiB in the second quarter, %.1f MiB in the last", float64(early)/(1<<20), float64(late)/(1<<20))
	if late > early+early/4+8<<20 {
		t.Errorf("the heap grew from %d to %d bytes", early, late)
	}
}
