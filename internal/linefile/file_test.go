// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package linefile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

func opened(t *testing.T, path string, o Options) *File {
	t.Helper()
	f, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func textOf(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var errFull = errors.New("no space left on device")

// What a full disk took of a line is one line that cannot be read: it once swallowed the
// next one, which was counted as written.
func TestAFullDiskTearsOneLine(t *testing.T) {
	for _, c := range []struct {
		takes []int // bytes of each write; all of those behind
		want  string
	}{
		{nil, "one\ntwo\nthree\nfour\n"},
		{[]int{9, 2}, "one\ntw\nthree\nfour\n"},
		{[]int{9, 0}, "one\nthree\nfour\n"},
		{[]int{9, 2, 0}, "one\ntw\nfour\n"},
		{[]int{9, 2, 3}, "one\ntw\nth\nfour\n"},
	} {
		path := filepath.Join(t.TempDir(), "log")
		f := opened(t, path, Options{})
		f.write = func(p []byte) (int, error) {
			if len(c.takes) == 0 {
				return f.file.Write(p)
			}
			most := min(c.takes[0], len(p))
			c.takes = c.takes[1:]
			n, err := f.file.Write(p[:most])
			if err == nil && n < len(p) {
				err = errFull
			}
			return n, err
		}
		for _, line := range []string{"one\n", "two\n", "three\n", "four\n"} {
			if _, err := f.Append([]byte(line)); err != nil && !errors.Is(err, errFull) {
				t.Fatal(err)
			}
		}
		if got := textOf(t, path); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// A line that another program left without its end, before the file was opened or after, spoils no other.
func TestALineOfAKilledProgramIsEnded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	f := opened(t, path, Options{})
	for _, line := range []string{"one\n", "two\n"} {
		if _, err := f.Append([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	other := opened(t, path, Options{})
	if _, err := other.Append([]byte("whole\nhalf again")); err != nil {
		t.Fatal(err)
	}
	size, err := f.Append([]byte("three\n"))
	if want := "half\none\ntwo\nwhole\nhalf again\nthree\n"; err != nil || textOf(t, path) != want || size != int64(len(want)) {
		t.Errorf("got %q of %d bytes (%v), want %q", textOf(t, path), size, err, want)
	}
}

// Several programs rotate one file: each line is in one of the files, once.
func TestSeveralRotate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	var wg sync.WaitGroup
	for writer := range 4 {
		f := opened(t, path, Options{Private: true})
		wg.Go(func() {
			for i := range 50 {
				if err := f.Follow(); err != nil {
					t.Error(err)
				}
				if i%10 == 5 {
					aside := fmt.Sprintf("%s.%d-%d", path, writer, i)
					if err := f.Rotate(func() error { return os.Rename(path, aside) }); err != nil {
						t.Error(err)
					}
				}
				if _, err := f.Append(fmt.Appendf(nil, "%d-%d\n", writer, i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	files, err := filepath.Glob(path + "*")
	if err != nil || len(files) < 2 {
		t.Fatalf("got the files %v (%v), want several", files, err)
	}
	var all strings.Builder
	for _, file := range files {
		all.WriteString(textOf(t, file))
	}
	seen := map[string]int{}
	for line := range strings.Lines(all.String()) {
		seen[line]++
	}
	for writer := range 4 {
		for i := range 50 {
			if line := fmt.Sprintf("%d-%d\n", writer, i); seen[line] != 1 {
				t.Errorf("got %q %d times, want it once", line, seen[line])
			}
		}
	}
}

// A file is its owner's: always when it is made, and also one that was there if that is asked for.
func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	for _, c := range []struct {
		there   bool
		options Options
		want    os.FileMode
	}{{false, Options{}, 0o600}, {true, Options{}, 0o644}, {true, Options{Private: true}, 0o600}} {
		path := filepath.Join(t.TempDir(), "log")
		if c.there {
			if err := os.WriteFile(path, nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		opened(t, path, c.options)
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != c.want {
			t.Errorf("%+v: got %v (%v), want %v", c, info.Mode().Perm(), err, c.want)
		}
	}
	if f, err := Open(os.DevNull, Options{}); err == nil || f.file != nil {
		t.Error("got a device, want an error")
	}
	device := opened(t, os.DevNull, Options{Devices: true, Private: true})
	if _, err := device.Append([]byte("line\n")); err != nil {
		t.Error(err)
	}
}
