// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/toolscope/toolscope/stats/internal/journal"
	"github.com/toolscope/toolscope/stats/internal/steady"
	"github.com/toolscope/toolscope/toolkit"
)

// systemClock is a system clock that a test sets and moves on. Its times have both readings, as
// those of time.Now outside of synctest have.
type systemClock struct {
	t       testing.TB
	start   time.Time
	by      atomic.Int64 // how much it was set forward, less how much back; the timer reads it too
	elapsed func() time.Duration
}

func (c *systemClock) now() time.Time {
	return withMonotonic(c.t, c.start.Add(c.elapsed()+time.Duration(c.by.Load())), c.elapsed())
}

func (c *systemClock) step(by time.Duration) { c.by.Add(int64(by)) }

// withMonotonic is a time with a monotonic reading, which package time makes in time.Now only.
func withMonotonic(t testing.TB, wall time.Time, monotonic time.Duration) time.Time {
	made := time.Now().UTC()
	first := time.Date(1885, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	bits := 1<<63 | uint64(wall.Unix()-first)<<30 | uint64(wall.Nanosecond())
	fields := (*struct {
		wall uint64
		ext  int64
	})(unsafe.Pointer(&made))
	fields.wall, fields.ext = bits, int64(monotonic)+1
	if !made.Round(0).Equal(wall) || made == made.Round(0) {
		t.Fatalf("got %v, want %v with a monotonic reading of %v", made, wall, monotonic)
	}
	return made
}

// recorderAt makes a recorder that reads the time from now and keeps its timer. It is closed when
// the test ends.
func recorderAt(t testing.TB, now func() time.Time, o Options) *Recorder {
	t.Helper()
	c, err := newConfig(o)
	if err != nil {
		t.Fatal(err)
	}
	c.now = now
	r, err := newFromConfig(c)
	return closedAtEnd(t, r, err)
}

var newYear = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func TestSteadyClock(t *testing.T) {
	const hour = int64(time.Hour)
	for _, monotonic := range []bool{true, false} {
		elapsed := time.Duration(0)
		system := &systemClock{t: t, start: newYear, elapsed: func() time.Duration { return elapsed }}
		now := func() time.Time {
			if n := system.now(); monotonic {
				return n
			}
			return system.now().Round(0)
		}
		var c steady.Clock
		c.Start(now)
		from := c.Read()
		passed := func(what string, want int64) {
			t.Helper()
			if got := c.Read() - from; got != want {
				t.Errorf("monotonic %t: %s: got %v passed, want %v",
					monotonic, what, time.Duration(got), time.Duration(want))
			}
			if got, want := c.Wall(c.Read()), now(); !got.Equal(want) {
				t.Errorf("monotonic %t: %s: got the wall clock's %v, want %v", monotonic, what, got, want)
			}
		}
		elapsed = time.Hour
		passed("an hour", hour)
		before := now()
		system.step(-72 * time.Hour)
		passed("a step back", hour)
		if got := c.At(before) - from; monotonic && got != hour {
			t.Errorf("a time from before the step: got %v, want 1h", time.Duration(got))
		}
		elapsed += time.Hour
		passed("an hour later", 2*hour)
		system.step(10 * time.Hour)
		passed("a step forward", 12*hour)
		system.step(-300 * time.Millisecond)
		if got := c.Read() - from; got != 12*hour {
			t.Errorf("monotonic %t: a small step back: got %v, want 12h", monotonic, time.Duration(got))
		}
		elapsed += time.Second
		system.step(-48 * time.Hour)
		want := 12*hour + int64(time.Second) - int64(300*time.Millisecond)
		if !monotonic {
			want = 12 * hour // how much time had passed at the step is not known
		}
		if got := c.At(now()); monotonic && (got-from < want || got-from > 12*hour+int64(time.Second)) {
			t.Errorf("a call is the first to see a step back: got %v, want about %v",
				time.Duration(got-from), time.Duration(want))
		}
		if got := c.Read() - from; got < want || got > want+int64(time.Second) {
			t.Errorf("monotonic %t: then: got %v, want about %v", monotonic, time.Duration(got), time.Duration(want))
		}
	}
}

// stepModel is what a recorder must report: of all processes in a directory, and of the one that runs.
type stepModel struct {
	total    map[string]uint64 // by tool
	errors   uint64
	sessions map[string]uint64
	ends     []time.Duration // of this process, on a clock that follows the wall clock forwards only
	forward  time.Duration
}

// TestClockSteps is the model of a recorder whose system clock is set back and forward at random:
// while calls come and while none do, with and without the timer, before a reader or a call is the
// first to notice, and across restarts with a directory.
func TestClockSteps(t *testing.T) {
	for n := range 12 / raceSaving {
		seed := rand.Uint64()
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { clockSteps(t, rand.New(rand.NewPCG(seed, 0))) })
			if t.Failed() {
				t.Logf("the seed was %d", seed)
			}
		})
	}
}

func clockSteps(t *testing.T, random *rand.Rand) {
	origin := time.Now()
	start := origin.Add(time.Duration(random.Int64N(int64(time.Minute))))
	system := &systemClock{t: t, start: start, elapsed: func() time.Duration { return time.Since(origin) }}
	directory := t.TempDir()
	m := &stepModel{total: map[string]uint64{}}
	tools := []*toolkit.Definition{{Name: "a"}, {Name: "b"}, {Name: "c"}}
	length := func(most time.Duration) time.Duration { return time.Duration(random.Int64N(int64(most))) }
	at := func() time.Duration { return system.elapsed() + m.forward }
	var counters map[string]uint64
	for range 4 {
		o := Options{Directory: directory}
		if random.IntN(3) == 0 {
			o.Clock = system.now
		}
		r := recorderAt(t, system.now, o)
		m.ends, m.forward, m.sessions = nil, 0, map[string]uint64{}
		noticed := true
		for range 30 {
			switch random.IntN(5) {
			case 0:
				if !noticed { // two steps without a reading in between look like one
					m.check(t, r, system, at(), &counters)
				}
				noticed = false
				most := []time.Duration{10 * time.Second, time.Hour, 100 * time.Hour}[random.IntN(3)]
				by := length(2*most) - most
				if by > -2*time.Second && by < 0 {
					by = -2 * time.Second
				}
				system.step(by)
				m.forward += max(0, by)
			case 1:
				// The caller runs this in a bubble, as the sleeps below.
				time.Sleep(length([]time.Duration{20 * time.Second, 3 * time.Hour}[random.IntN(2)]))
			default:
				for range 1 + random.IntN(30) {
					m.record(r, system, tools[random.IntN(3)], random)
					m.ends = append(m.ends, at())
					noticed = true
					time.Sleep(length(3 * time.Second)) // in the bubble
				}
			}
			if random.IntN(2) == 0 {
				noticed = true
				m.check(t, r, system, at(), &counters)
			}
		}
		m.check(t, r, system, at(), &counters)
		closeNow(t, r)
		if n := len(r.Notes()); n > 1 {
			t.Errorf("got notes %q, want at most the one about intervals of the future", r.Notes())
		}
		if random.IntN(2) == 0 { // the clock is set while no process runs
			system.step(length(200*time.Hour) - 100*time.Hour)
		}
		time.Sleep(length(time.Minute)) // in the bubble
	}
}

// record makes one call, of which one in four fails.
func (m *stepModel) record(r *Recorder, system *systemClock, tool *toolkit.Definition, random *rand.Rand) {
	session := fmt.Sprint("s", random.IntN(4))
	e := call(tool, time.Millisecond, in(session, 0), sampled(byte(1+random.IntN(200))))
	e.End = system.now()
	e.Start = e.End.Add(-time.Millisecond)
	if random.IntN(4) == 0 {
		failing("tool_error", "it failed")(e)
		m.errors++
	}
	record(r, e)
	m.total[tool.Name]++
	m.sessions[session]++
}

func (m *stepModel) check(
	t *testing.T, r *Recorder, system *systemClock, at time.Duration, counters *map[string]uint64,
) {
	t.Helper()
	s := r.Snapshot(Window{})
	got := map[string]uint64{}
	for _, tool := range s.Tools {
		got[tool.Tool] = tool.Executed.Count()
	}
	if !maps.Equal(got, m.total) {
		t.Errorf("total: got %v, want %v", got, m.total)
	}
	for name, n := range *counters {
		if got[name] < n {
			t.Errorf("%s: the counter went back from %d to %d", name, n, got[name])
		}
	}
	*counters = got
	grouped := s.OtherErrors
	for _, g := range s.Errors {
		grouped += g.Count
		sum := uint64(0)
		for _, n := range g.Trend {
			sum += n
		}
		if sum != g.Count {
			t.Errorf("got a trend of %d, want the %d errors of the group", sum, g.Count)
		}
	}
	if grouped != m.errors {
		t.Errorf("errors: got %d, want %d", grouped, m.errors)
	}
	sessions := map[string]uint64{}
	for _, x := range r.Sessions(0) {
		sessions[x.Session] = x.Calls
	}
	if !maps.Equal(sessions, m.sessions) {
		t.Errorf("sessions: got %v, want %v", sessions, m.sessions)
	}
	m.checkTimes(t, r, s, system)
	const small = 3 * time.Duration(steady.Step) // what small steps can make of a call's time
	for _, w := range []struct{ last, width time.Duration }{
		{time.Minute, 10 * time.Second},
		{15 * time.Minute, 10 * time.Second},
		{time.Hour, time.Minute},
		{24 * time.Hour, 10 * time.Minute},
	} {
		var least, most uint64
		for _, end := range m.ends {
			if at-end < w.last-small {
				least++
			}
			if at-end <= w.last+w.width+small {
				most++
			}
		}
		restored := uint64(0) // of processes before, of which the model knows no times
		for _, n := range m.total {
			restored += n
		}
		restored -= uint64(len(m.ends))
		x := r.Summary(Window{Last: w.last})
		if got := x.Overall.Calls; got < least || got > most+restored {
			t.Errorf("window %v: got %d calls, want %d to %d and at most %d of processes before",
				w.last, got, least, most, restored)
		}
		if x.Seconds < 0 || x.Seconds > (w.last+w.width+time.Second).Seconds() {
			t.Errorf("window %v: got a span of %v s", w.last, x.Seconds)
		}
	}
}

// checkTimes: no time is in the future, and none of the last call is far from it.
func (m *stepModel) checkTimes(t *testing.T, r *Recorder, s *Snapshot, system *systemClock) {
	t.Helper()
	// Small steps are ignored, so a time may be as much ahead.
	now := system.now().Round(0).Add(2 * time.Duration(steady.Step))
	times := map[string]time.Time{"to": s.To, "from": s.From}
	for _, tool := range s.Tools {
		times["last seen of tool "+tool.Tool] = tool.LastSeen
		for i, x := range tool.Exemplars {
			times[fmt.Sprint("exemplar ", i, " of ", tool.Tool)] = x.Time
		}
	}
	for _, g := range s.Errors {
		times["first seen of group"], times["last seen of group"] = g.FirstSeen, g.LastSeen
		if g.FirstSeen.After(g.LastSeen) {
			t.Errorf("got a group first seen at %v and last at %v", g.FirstSeen, g.LastSeen)
		}
	}
	for _, x := range r.Sessions(0) {
		times["first seen of "+x.Session], times["last seen of "+x.Session] = x.FirstSeen, x.LastSeen
		if x.FirstSeen.After(x.LastSeen) {
			t.Errorf("got a session first seen at %v and last at %v", x.FirstSeen, x.LastSeen)
		}
	}
	recent := r.Recent(Filter{})
	for i, x := range recent {
		times[fmt.Sprint("recent call ", i)] = x.Time
		if i > 0 && x.Time.Sub(recent[i-1].Time) > 2*time.Duration(steady.Step) { // smaller steps are ignored
			t.Errorf("got a recent call at %v after one at %v that ended later", x.Time, recent[i-1].Time)
		}
	}
	before := time.Time{}
	for _, part := range r.Intervals(Window{}) {
		if part.From.Before(before) || part.To.Before(part.From) {
			t.Errorf("got an interval from %v to %v after one that begins at %v", part.From, part.To, before)
		}
		before = part.From
	}
	for _, what := range slices.Sorted(maps.Keys(times)) {
		if times[what].After(now) {
			t.Errorf("%s: got %v, want no time after %v", what, times[what], now)
		}
	}
}

// TestMergeAcrossClockSteps: processes whose clocks were set apart are added up exactly, also
// through the JSON form.
func TestMergeAcrossClockSteps(t *testing.T) {
	var snapshots []*Snapshot
	var want uint64
	for i, by := range []time.Duration{-72 * time.Hour, 72 * time.Hour, -10 * time.Second, 0} {
		elapsed := time.Duration(0)
		system := &systemClock{t: t, start: newYear, elapsed: func() time.Duration { return elapsed }}
		r := newRecorder(t, Options{Clock: system.now})
		m := &stepModel{total: map[string]uint64{}, sessions: map[string]uint64{}}
		random := rand.New(rand.NewPCG(uint64(i), 0))
		for n := range 40 {
			if n == 20 {
				system.step(by)
			}
			m.record(r, system, &toolkit.Definition{Name: "a"}, random)
			elapsed += 5 * time.Second
			want++
		}
		text, err := json.Marshal(r.Snapshot(Window{}))
		if err != nil {
			t.Fatal(err)
		}
		var s Snapshot
		if err := json.Unmarshal(text, &s); err != nil {
			t.Fatal(err)
		}
		snapshots = append(snapshots, &s)
	}
	all := Merge(snapshots...)
	if got := all.Tool("a").Executed.Count(); got != want || all.Processes != 4 || all.To.Before(all.From) {
		t.Errorf("got %d calls of %d processes from %v to %v, want %d of 4", got, all.Processes, all.From, all.To, want)
	}
	if x := Summarise(all, nil); x.Overall.Calls != want || x.Overall.CallsPerSecond < 0 {
		t.Errorf("got %+v, want %d calls", x.Overall, want)
	}
}

// TestSubAcrossAClockStep: what was counted between two snapshots is exact, and has no rate.
func TestSubAcrossAClockStep(t *testing.T) {
	elapsed := time.Duration(0)
	system := &systemClock{t: t, start: newYear, elapsed: func() time.Duration { return elapsed }}
	r := newRecorder(t, Options{Clock: system.now})
	m := &stepModel{total: map[string]uint64{}, sessions: map[string]uint64{}}
	random := rand.New(rand.NewPCG(1, 2))
	for range 10 {
		m.record(r, system, &toolkit.Definition{Name: "a"}, random)
	}
	before := r.Snapshot(Window{})
	system.step(-72 * time.Hour)
	elapsed += time.Minute
	for range 7 {
		m.record(r, system, &toolkit.Definition{Name: "a"}, random)
	}
	got := r.Snapshot(Window{}).Sub(before)
	n, rate := got.Tool("a").Executed.Count(), Summarise(got, nil).Overall.CallsPerSecond
	if n != 7 || got.To.Before(got.From) || rate != 0 {
		t.Errorf("got %d calls from %v to %v, want 7 and no span", n, got.From, got.To)
	}
}

// TestSessionsAreEvictedByWhenTheyWereSeen: a session of before a step back gives its place to later
// ones, and WithRecentAge counts the time that has passed.
func TestSessionsAreEvictedByWhenTheyWereSeen(t *testing.T) {
	elapsed := time.Duration(0)
	system := &systemClock{t: t, start: newYear, elapsed: func() time.Duration { return elapsed }}
	r := newRecorder(t, Options{Clock: system.now, MaxSessions: 8, RecentAge: time.Hour})
	tool := &toolkit.Definition{Name: "a"}
	made := func(session string) {
		e := call(tool, time.Millisecond, in(session, 0))
		e.End = system.now()
		e.Start = e.End.Add(-time.Millisecond)
		record(r, e)
		elapsed += time.Second
	}
	for i := range 8 {
		made(fmt.Sprint("old", i))
	}
	system.step(-72 * time.Hour)
	for i := range 8 {
		made(fmt.Sprint("new", i))
	}
	for _, s := range r.Sessions(0) {
		if s.Session[:3] != "new" {
			t.Errorf("got session %s seen last at %v, want the 8 of after the step", s.Session, s.LastSeen)
		}
	}
	elapsed += time.Hour
	if sessions, calls := r.Sessions(0), r.Recent(Filter{}); len(sessions) != 0 || len(calls) != 0 {
		t.Errorf("got %d sessions and %d calls an hour later, want none older than WithRecentAge",
			len(sessions), len(calls))
	}
}

// TestIntervalsOfTheFuture: a process that starts after the clock was set back counts what is in its
// directory in the total only, and removes files of the future before others.
func TestIntervalsOfTheFuture(t *testing.T) {
	directory := t.TempDir()
	var passed atomic.Int64 // the files' writer reads the clock too
	began := time.Now()
	clock := func() time.Time { return began.Add(time.Duration(passed.Load())) }
	step := func(by time.Duration) { passed.Add(int64(by)) }
	tool := &toolkit.Definition{Name: "a"}
	made := func(r *Recorder, n int) {
		for range n {
			e := call(tool, time.Millisecond, failing("timeout", "late"), sampled(1))
			e.Start, e.End = clock(), clock()
			record(r, e)
			step(20 * time.Second)
		}
	}
	r := newRecorder(t, Options{Clock: clock, Directory: directory})
	made(r, 5)
	closeNow(t, r)
	for _, f := range stored(t, directory) {
		if err := os.Chtimes(f, clock(), clock()); err != nil {
			t.Fatal(err)
		}
	}
	step(-72 * time.Hour)
	second := newRecorder(t, Options{Clock: clock, Directory: directory})
	made(second, 3)
	s, day := second.Snapshot(Window{}), second.Snapshot(Window{Last: 24 * time.Hour})
	if got, windowed := s.Tool("a").Calls(), day.Tool("a").Calls(); got != 8 || windowed != 3 {
		t.Errorf("got a total of %d and %d in the window, want 8 and 3", got, windowed)
	}
	if g := s.Errors; len(g) != 1 || g[0].Count != 8 || g[0].LastSeen.After(clock()) || s.To.After(clock()) {
		t.Errorf("got groups %+v until %v, want one of 8 errors, none after %v", g, s.To, clock())
	}
	if notes := second.Notes(); len(notes) != 1 {
		t.Errorf("got notes %q, want one about 5 intervals of the future", notes)
	}
	closeNow(t, second)

	step(75 * time.Hour) // past what was the future
	third := newRecorder(t, Options{Clock: clock, Directory: directory})
	if got := third.Summary(Window{}).Overall.Calls; got != 8 {
		t.Errorf("later: got a total of %d, want 8", got)
	}
	closeNow(t, third)

	step(-80 * time.Hour)
	o := journal.Options{Directory: directory, MaxBytes: 1, Retention: time.Hour, Now: clock}
	for _, f := range stored(t, directory) {
		if info, err := os.Stat(f); err == nil && info.Size() > o.MaxBytes {
			o.MaxBytes = info.Size()
		}
	}
	name := filepath.Join(directory, "intervals-1970.toolscope")
	if err := os.WriteFile(name, []byte(journal.FileHead), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(name, clock(), clock()); err != nil {
		t.Fatal(err)
	}
	if _, err := journal.Open(o, func([]byte) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(name); err != nil {
		t.Errorf("got %v, want the file that is not of the future kept", err)
	}
}

// TestACallAfterAQuietTimeIsWritten: the first call after a quiet time is sealed by the timer, not
// only by the next call.
func TestACallAfterAQuietTimeIsWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder(t, Options{Directory: t.TempDir()})
		time.Sleep(time.Hour)
		record(r, call(&toolkit.Definition{Name: "a"}, time.Millisecond))
		time.Sleep(15 * time.Second)
		synctest.Wait()
		if files := stored(t, r.config.Directory); len(files) != 1 {
			t.Errorf("got files %q, want one with the call", files)
		}
	})
}

// TestACallAtTheInstantOfTheStartIsReadBack: an interval without length can be read.
func TestACallAtTheInstantOfTheStartIsReadBack(t *testing.T) {
	now := time.Now().Truncate(time.Minute)
	directory := t.TempDir()
	for range 2 {
		r, err := New(Options{Clock: func() time.Time { return now }, Directory: directory})
		if err != nil {
			t.Fatal(err)
		}
		e := call(&toolkit.Definition{Name: "a"}, 0)
		e.Start, e.End = now, now
		record(r, e)
		if err := r.Close(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	r := newRecorder(t, Options{Clock: func() time.Time { return now }, Directory: directory})
	if got := r.Summary(Window{}).Overall.Calls; got != 2 {
		t.Errorf("got %d calls, want the 2 of both processes", got)
	}
}
