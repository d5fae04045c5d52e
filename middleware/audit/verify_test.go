// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// chained is a log of n entries, and its lines.
func chained(t *testing.T, n int, key []byte) (path string, lines [][]byte) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "audit.jsonl")
	l, err := Open(path, Options{Key: key})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if err := l.Write(Event{Kind: "call", Tool: "read", CallID: fmt.Sprint(i), Session: fmt.Sprintf("s%d", i%2)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return path, linesOf(t, path)
}

func linesOf(t *testing.T, path string) [][]byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Collect(bytes.Lines(text))
}

// verified is the report of a log with these lines.
func verified(t *testing.T, path string, lines [][]byte, key []byte) *Report {
	t.Helper()
	// In place: some file systems flush a file that is cut to nothing and written again.
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	text := slices.Concat(lines...)
	if info, err := f.Stat(); err == nil && info.Size() != int64(len(text)) {
		if err := f.Truncate(int64(len(text))); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.WriteAt(text, 0); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := Verify(path, key, "")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestTamperingIsFound flips every byte, and removes, inserts, moves and cuts off every entry.
func TestTamperingIsFound(t *testing.T) {
	for _, key := range [][]byte{nil, []byte("a key of the operator")} {
		path, lines := chained(t, 4, key)
		if r := verified(t, path, lines, key); len(r.Problems) > 0 || r.Entries != 4 || r.First != 1 || r.Last != 4 {
			t.Fatalf("untouched: got %+v", r)
		}
		found := func(what string, lines [][]byte) {
			t.Helper()
			if r := verified(t, path, lines, key); len(r.Problems) == 0 {
				t.Errorf("%s was not found", what)
			}
		}
		for i, line := range lines {
			for at := range line {
				changed := slices.Clone(lines)
				changed[i] = bytes.Clone(line)
				changed[i][at] ^= 1
				found(fmt.Sprintf("entry %d, byte %d %q", i+1, at, line[at]), changed)
			}
			found(fmt.Sprintf("entry %d removed", i+1), slices.Delete(slices.Clone(lines), i, i+1))
			for j := range lines {
				if i == j {
					continue
				}
				moved := slices.Clone(lines)
				moved[i], moved[j] = moved[j], moved[i]
				found(fmt.Sprintf("entries %d and %d exchanged", i+1, j+1), moved)
				found(fmt.Sprintf("entry %d a second time before %d", i+1, j+1), slices.Insert(slices.Clone(lines), j, line))
			}
			found(fmt.Sprintf("all from entry %d cut off", i+1), lines[:i])
			found(fmt.Sprintf("entry %d and those behind cut within a line", i+1), append(slices.Clone(lines[:i]), line[:len(line)/2]))
			found("a line of another program", slices.Insert(slices.Clone(lines), i, []byte("{\"event\":\"call\"}\n")))
		}
		found("everything removed", nil)
		verified(t, path, lines, key)
		if err := os.Remove(statePath(path)); err != nil {
			t.Fatal(err)
		}
		found("the state removed", lines)
	}
}

func TestAKeyIsNeeded(t *testing.T) {
	path, _ := chained(t, 3, []byte("one key"))
	for _, key := range [][]byte{nil, []byte("another")} {
		if r, err := Verify(path, key, ""); err != nil || len(r.Problems) == 0 {
			t.Errorf("key %q: got %+v, %v", key, r, err)
		}
	}
}

func TestAHeadThatWasKept(t *testing.T) {
	path, lines := chained(t, 3, nil)
	r, err := Verify(path, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	head := r.Head
	l, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Write(Event{Kind: "call"}); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if r, err = Verify(path, nil, head); err != nil || len(r.Problems) > 0 || r.Last != 4 {
		t.Errorf("got %+v, %v", r, err)
	}
	// A whole chain made anew, state included.
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(statePath(path)); err != nil {
		t.Fatal(err)
	}
	if l, err = Open(path, Options{}); err != nil {
		t.Fatal(err)
	}
	for range lines {
		if err := l.Write(Event{Kind: "call"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if r, err = Verify(path, nil, ""); err != nil || len(r.Problems) > 0 {
		t.Errorf("without the head: got %+v, %v", r, err)
	}
	if r, err = Verify(path, nil, head); err != nil || len(r.Problems) != 1 {
		t.Errorf("with the head: got %+v, %v", r, err)
	}
}

// TestWhatIsNoBreak: crashes, rotation, several programs, and a log from before there was a chain.
func TestWhatIsNoBreak(t *testing.T) {
	intact := func(t *testing.T, path string, entries, unchained int) {
		t.Helper()
		r, err := Verify(path, nil, "")
		if err != nil || len(r.Problems) > 0 || r.Entries != entries || r.Unchained != unchained {
			t.Errorf("got %+v, %v, want %d entries", r, err, entries)
		}
	}
	write := func(t *testing.T, path string, o Options, n int) {
		t.Helper()
		l, err := Open(path, o)
		if err != nil {
			t.Fatal(err)
		}
		for range n {
			if err := l.Write(Event{Kind: "call", Tool: "read"}); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("an old log", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "audit.jsonl")
		if err := os.WriteFile(path, []byte("{\"event\":\"call\"}\n{\"event\":\"call\"}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		write(t, path, Options{}, 3)
		intact(t, path, 3, 2)
	})
	t.Run("a crash within a line", func(t *testing.T) {
		path, lines := chained(t, 3, nil)
		if err := os.WriteFile(path, append(slices.Concat(lines...), `{"time":"2026`...), 0o600); err != nil {
			t.Fatal(err)
		}
		write(t, path, Options{}, 2)
		intact(t, path, 5, 0)
	})
	t.Run("a crash before the state was written", func(t *testing.T) {
		path, _ := chained(t, 3, nil)
		was, err := os.ReadFile(statePath(path))
		if err != nil {
			t.Fatal(err)
		}
		write(t, path, Options{}, 1)
		if err := os.WriteFile(statePath(path), was, 0o600); err != nil {
			t.Fatal(err)
		}
		write(t, path, Options{}, 2)
		intact(t, path, 6, 0)
	})
	t.Run("rotation", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "audit.jsonl")
		write(t, path, Options{MaxBytes: 750}, 10)
		intact(t, path, 10, 0)
		write(t, path, Options{MaxBytes: 750, MaxFiles: 2}, 10)
		r, err := Verify(path, nil, "")
		if err != nil || len(r.Problems) > 0 || r.First < 5 || r.Last != 20 {
			t.Errorf("got %+v, %v", r, err)
		}
		names, _ := logs(t, path)
		if err := os.Remove(names[1]); err != nil { // the oldest one
			t.Fatal(err)
		}
		if r, err := Verify(path, nil, ""); err != nil || len(r.Problems) == 0 {
			t.Errorf("the oldest log removed by hand: got %+v, %v", r, err)
		}
	})
	t.Run("several programs that set it aside", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "audit.jsonl")
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() { write(t, path, Options{MaxBytes: 2000}, 50) })
		}
		wg.Wait()
		intact(t, path, 200, 0)
	})
	t.Run("it was moved away", func(t *testing.T) {
		path, _ := chained(t, 3, nil)
		if err := os.Rename(path, path+".1"); err != nil {
			t.Fatal(err)
		}
		write(t, path, Options{}, 2)
		intact(t, path, 5, 0)
	})
}

func TestVerifyNamesThePlace(t *testing.T) {
	path, lines := chained(t, 3, nil)
	lines[1] = bytes.Replace(lines[1], []byte(`"read"`), []byte(`"rEad"`), 1)
	if r := verified(t, path, lines, nil); len(r.Problems) != 1 ||
		!strings.Contains(r.Problems[0], "audit.jsonl:2: entry 2 was changed") {
		t.Errorf("got %q", r.Problems)
	}
	if _, err := Verify(filepath.Join(t.TempDir(), "none"), nil, ""); err == nil {
		t.Error("a log that is not there was verified")
	}
}
