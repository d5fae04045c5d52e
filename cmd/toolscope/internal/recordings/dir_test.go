// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package recordings

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Old recordings go, then the oldest ones beyond the bytes, with the files that rotation has renamed. Files of others stay.
func TestPrune(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	write := func(name string, size int, age time.Duration) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(strings.Repeat("x", size)), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, time.Time{}, now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	write("20261122T100000Z-a-b-aaaaaa.jsonl", 10, time.Minute)
	write("20261122T100000Z-a-b-aaaaaa.jsonl.1", 20, time.Hour)
	write("20261121T100000Z-b-bbbbbb.jsonl", 10, 2*time.Hour)
	write("20261120T100000Z-c-cccccc.jsonl", 10, 3*time.Hour)
	write("20261120T100000Z-d-dddddd.jsonl", 10, 300*time.Hour)
	for _, name := range []string{"notes.jsonl", "20261120T100000Z-e-eeeeee.jsonl.bak", "fingerprint.key", "x-aaaaaa.jsonl"} {
		write(name, 10, 900*time.Hour)
	}
	list, err := List(dir)
	if err != nil || len(list) != 4 || list[0].Bytes != 30 || !strings.HasSuffix(list[0].Paths[0], ".1") {
		t.Fatalf("got %+v (%v), want four recordings, the first one of two files", list, err)
	}
	if f, err := Find(dir, "latest"); err != nil || f.Name != "20261122T100000Z-a-b-aaaaaa" {
		t.Errorf("latest: got %v (%v)", f, err)
	}
	if f, err := Find(dir, "20261121"); err != nil || f.Name != "20261121T100000Z-b-bbbbbb" {
		t.Errorf("a beginning: got %v (%v)", f, err)
	}
	if f, err := Find(dir, "20261120"); err == nil {
		t.Errorf("the beginning of two: got %v", f)
	}
	limits := Limits{Age: 100 * time.Hour, Bytes: 40}
	for _, dry := range []bool{true, false} {
		removed, err := Prune(dir, limits, now, dry)
		if err != nil || len(removed) != 2 || removed[0].Name != "20261120T100000Z-c-cccccc" || removed[1].Name != "20261120T100000Z-d-dddddd" {
			t.Errorf("dry %v: got %+v (%v)", dry, removed, err)
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 7 {
		t.Errorf("got %v (%v), want two recordings and the files of others", left, err)
	}
}

// A directory that others may write to holds no recordings: they could put their key there.
func TestDirectoriesOfOthersAreRefused(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv(Variable, dir)
	told := 0
	if log := new(Flags).Open("x", nil, func(string, ...any) { told++ }); log != nil || told != 1 {
		t.Errorf("got %v, told %d times, want no recording", log, told)
	}
	for value, want := range map[string]bool{"off": false, "relative": true} {
		t.Setenv(Variable, value)
		told = 0
		if log := new(Flags).Open("x", nil, func(string, ...any) { told++ }); log != nil || (told == 1) != want {
			t.Errorf("%s: got %v, told %d times", value, log, told)
		}
	}
}
