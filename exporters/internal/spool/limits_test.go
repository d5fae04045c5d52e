// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package spool

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// bytesIn is how large a directory's files are.
func bytesIn(t testing.TB, dir string) (n int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			n += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// At the limit of bytes the oldest spans that did not fail go first. Those that did stay until
// there are no others, and then the oldest go.
// Time stands while the spans are written, so none of them is being sent then: what is being sent stays.
func TestSuccessesGoFirst(t *testing.T) { synctest.Test(t, successesGoFirst) }

func successesGoFirst(t *testing.T) {
	dir, d := t.TempDir(), &destination{answer: down}
	const limit = 256 << 10
	s := open(t, dir, d, quick(Options{WriteAhead: true, MaxBytes: limit}))
	long := strings.Repeat("x", 1000)
	var errors, all []string
	for i := range 1000 {
		batch := []string{fmt.Sprint("span ", i, long)}
		if i%10 == 0 {
			batch = append(batch, fmt.Sprint("!span ", i, long))
			errors = append(errors, batch[1])
		}
		all = append(all, batch...)
		export(t, s, batch...)
		if n := bytesIn(t, dir); n > limit {
			t.Fatalf("after %d batches: %d bytes, want at most %d", i, n, limit)
		}
	}
	got := s.Stats()
	if got.Dropped[DroppedBytes] != uint64(len(all)-got.Spans) || got.Dropped[DroppedBytes] == 0 || got.Bytes != bytesIn(t, dir) {
		t.Errorf("Stats: got %+v", got)
	}
	d.set(nil)
	eventually(t, "what is left is sent", func() bool { return s.Stats().Spans == 0 })
	var failed, others []string
	for _, name := range d.names() {
		if strings.HasPrefix(name, "!") {
			failed = append(failed, name)
		} else {
			others = append(others, name)
		}
	}
	if !slices.Equal(failed, errors) {
		t.Errorf("failed spans: got %d, want all %d, in order", len(failed), len(errors))
	}
	if len(others) == 0 || !slices.Equal(others, latest(all, len(others))) {
		t.Errorf("others: got %d, want the latest, in order", len(others))
	}

	// Only failed ones: the oldest of them go, and a span that did not fail finds no room.
	d.set(down)
	export(t, s, fmt.Sprint("!late 0", long))
	synctest.Wait() // the sender has tried it, and waits
	for i := range 399 {
		export(t, s, fmt.Sprint("!late ", i+1, long))
	}
	before := s.Stats().Spans
	export(t, s, "no room for this one"+strings.Repeat("x", 40_000))
	if got := s.Stats(); got.Spans > before {
		t.Errorf("a span that did not fail found room: got %d, want %d", got.Spans, before)
	}
	if n := bytesIn(t, dir); n > limit {
		t.Errorf("%d bytes, want at most %d", n, limit)
	}
	taken := len(d.names())
	d.set(nil)
	eventually(t, "what is left is sent", func() bool { return s.Stats().Spans == 0 })
	left := d.names()[taken:]
	if last := left[len(left)-1]; !strings.HasPrefix(last, "!late 399") {
		t.Errorf("the last: got %.20q", last)
	}
	if first := left[0]; strings.HasPrefix(first, "!late 0x") {
		t.Errorf("the first: got %.20q, want a later one", first)
	}
}

// latest are the last n names of those that did not fail.
func latest(all []string, n int) (others []string) {
	for _, name := range all {
		if !strings.HasPrefix(name, "!") {
			others = append(others, name)
		}
	}
	return others[len(others)-n:]
}

func TestAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &destination{answer: down}
		s := open(t, t.TempDir(), d, Options{WriteAhead: true, MaxAge: time.Hour})
		export(t, s, "old", "!old")
		time.Sleep(40 * time.Minute)
		export(t, s, "new")
		time.Sleep(30 * time.Minute)
		got := s.Stats()
		if got.Dropped[DroppedAge] != 2 || got.Spans != 1 || time.Since(got.Oldest) > time.Hour {
			t.Errorf("Stats: got %+v", got)
		}
		d.set(nil)
		time.Sleep(time.Minute)
		d.expect(t, []string{"new"})
	})
}

// No record is larger than gRPC takes, whatever the batch is.
func TestLargeBatchesAreSplit(t *testing.T) {
	d := &destination{answer: down}
	dir := t.TempDir()
	s := open(t, dir, d, quick(Options{WriteAhead: true}))
	names := make([]string, 40)
	for i := range names {
		names[i] = fmt.Sprint(i, " ", strings.Repeat("x", 300<<10))
	}
	export(t, s, names...)
	records := 0
	for _, name := range files(t, dir) {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		scan(data, func(_ int64, h header, _ []byte) {
			if records++; h.length > maxPayload {
				t.Errorf("a record of %d bytes, want at most %d", h.length, maxPayload)
			}
		})
	}
	if records < 4 {
		t.Errorf("records: got %d, want at least 4", records)
	}
	d.set(nil)
	d.expect(t, names)
}

func TestSpanThatIsTooLargeForAnything(t *testing.T) {
	d := new(destination)
	s := open(t, t.TempDir(), d, quick(Options{WriteAhead: true}))
	export(t, s, "a", strings.Repeat("x", maxRecord+1), "b")
	d.expect(t, []string{"a", "b"})
	if got := s.Stats(); got.Dropped[DroppedTooLarge] != 1 {
		t.Errorf("Stats: got %+v", got)
	}
}

func TestInvalidTextLosesOneSpan(t *testing.T) {
	d := new(destination)
	s := open(t, t.TempDir(), d, quick(Options{WriteAhead: true}))
	export(t, s, "a", "no UTF-8: \xff", "b")
	d.expect(t, []string{"a", "b"})
	if got := s.Stats(); got.Dropped[DroppedInvalid] != 1 {
		t.Errorf("Stats: got %+v", got)
	}
}

// Memory does not grow with what is on disk.
func TestIndexIsBounded(t *testing.T) {
	d := &destination{answer: down}
	s := open(t, t.TempDir(), d, quick(Options{WriteAhead: true, MaxBytes: 4 << 20}))
	for i := range 3000 {
		export(t, s, fmt.Sprint("span ", i, strings.Repeat("x", 500)))
	}
	loaded := make(chan [2]int, 1)
	s.disk.post(func(st *store) {
		n, views := 0, 0
		for _, g := range slices.Concat(st.lists[:]...) {
			if g.loaded {
				n++
			}
			for _, e := range g.index {
				if e.view != nil {
					views += e.length
				}
			}
		}
		loaded <- [2]int{n, views - st.cached}
	})
	if got := <-loaded; got[0] > 2 || got[1] != 0 {
		t.Errorf("segments in memory: got %d, want at most the first and the last; views: off by %d bytes", got[0], got[1])
	}
}

// Processes that share a directory share its limit, in whatever order they came.
func TestNeighboursShareTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		const limit = 512 << 10
		var all []*Spool
		for range 2 {
			all = append(all, open(t, dir, &destination{answer: down}, Options{WriteAhead: true, MaxBytes: limit}))
		}
		long := strings.Repeat("x", 8<<10)
		fill := func(s *Spool, batches int) {
			for range batches {
				export(t, s, long)
				time.Sleep(lookAround)
				if n := bytesIn(t, dir); n > limit+16<<10 {
					t.Fatalf("%d bytes, want at most %d and what was written in a second", n, limit)
				}
			}
		}
		fill(all[0], 100)
		if got := all[0].Stats().Bytes; got < limit*8/10 {
			t.Errorf("alone: got %d bytes, want nearly %d", got, limit)
		}
		for range 100 { // the newcomer gets its share, since both write
			fill(all[1], 1)
			fill(all[0], 1)
		}
		for i, s := range all {
			if got := s.Stats().Bytes; got < limit*3/10 || got > limit*6/10 {
				t.Errorf("spool %d: got %d bytes, want about half of %d", i, got, limit)
			}
		}
	})
}

// What is in the directory besides is not touched.
func TestOthersFilesAreLeftAlone(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"empty", "1-2", "with a lock"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "with a lock", lockName), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, dir, new(destination), quick(Options{WriteAhead: true}))
	export(t, s, "a")
	s.disk.post(func(st *store) { st.tend() })
	if err := s.Flush(t.Context()); err != nil {
		t.Error(err)
	}
	shut(t, s)
	for _, name := range []string{"empty", "1-2", "with a lock/lock"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "empty", lockName)); err == nil {
		t.Error("a lock in another process's folder")
	}
}
