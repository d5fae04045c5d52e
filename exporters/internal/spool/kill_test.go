// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package spool

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// Names of the environment of a victim: this test binary, run again to be killed.
const (
	victimEnv = "TOOLSCOPE_SPOOL_VICTIM" // the directory
	victimID  = "TOOLSCOPE_SPOOL_VICTIM_ID"
)

// victim exports spans into a spool whose destination is down, and prints the name of each batch's
// spans once it was exported.
func victim() {
	s, err := New(os.Getenv(victimEnv), &destination{answer: down}, Options{WriteAhead: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	out := bufio.NewWriter(os.Stdout)
	for i := 0; ; i++ {
		names := numbered(fmt.Sprintf("%s-%d-", os.Getenv(victimID), i), 1+i%5)
		if i%3 == 0 {
			names = append(names, "!"+names[0])
		}
		if err := s.ExportSpans(context.Background(), stubs(names...)); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Fprintln(out, strings.Join(names, " "))
		if err := out.Flush(); err != nil {
			return
		}
	}
}

// begin starts a victim. What it returns kills it, and returns the names of the spans it had
// exported by then.
func begin(t *testing.T, dir string, id int) (kill func() []string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), victimEnv+"="+dir, victimID+"="+strconv.Itoa(id))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var names []string
	read := make(chan struct{})
	go func() {
		defer close(read)
		for r := bufio.NewReader(out); ; {
			line, err := r.ReadString('\n')
			if err != nil {
				if err != io.EOF {
					t.Error(err)
				}
				return // a line that is not whole was not told
			}
			mu.Lock()
			names = append(names, strings.Fields(line)...)
			mu.Unlock()
		}
	}()
	eventually(t, "the victim has exported", func() bool { mu.Lock(); defer mu.Unlock(); return len(names) > 200 })
	return func() []string {
		if err := cmd.Process.Kill(); err != nil { // SIGKILL
			t.Error(err)
		}
		<-read
		_ = cmd.Wait()
		return names
	}
}

// Every span whose export had returned is found after kill -9, just once, and in order.
func TestKillLosesNothing(t *testing.T) {
	for range 5 {
		dir := t.TempDir()
		told := begin(t, dir, 1)()
		d := new(destination)
		s := open(t, dir, d, quick(Options{}))
		eventually(t, "all is sent", func() bool { return len(d.names()) >= len(told) && s.Stats().Spans == 0 })
		got := d.names()
		// At most one batch was written whose export had not returned.
		if extra := len(got) - len(told); extra < 0 || extra > 6 {
			t.Errorf("got %d spans, want %d and at most one batch more", len(got), len(told))
		}
		sent := make(map[string]int)
		for _, name := range got {
			sent[name]++
		}
		for _, name := range told {
			if sent[name] != 1 {
				t.Errorf("%s: got it %d times, want once", name, sent[name])
			}
		}
		if !slices.IsSortedFunc(got, func(a, b string) int { return batchOf(a) - batchOf(b) }) {
			t.Error("not in order")
		}
		if stats := s.Stats(); stats.Corrupt != 0 || stats.Torn > 2 {
			t.Errorf("Stats: got %+v", stats)
		}
	}
}

// batchOf is the number of the batch in a name.
func batchOf(name string) int {
	n, _ := strconv.Atoi(strings.Split(strings.TrimPrefix(name, "!"), "-")[1])
	return n
}

// Several processes share a directory. What those that are killed leave is sent by those that
// live, each span once.
func TestSurvivorsSendWhatTheDeadLeft(t *testing.T) {
	dir := t.TempDir()
	var kills []func() []string
	for id := range 3 {
		kills = append(kills, begin(t, dir, id))
	}
	// Two survivors, which find the dead by themselves.
	destinations := []*destination{new(destination), new(destination)}
	for i, d := range destinations {
		s := open(t, dir, d, quick(Options{WriteAhead: true}))
		export(t, s, fmt.Sprint("survivor ", i))
	}
	want := make(map[string]bool)
	for _, kill := range kills {
		for _, name := range kill() {
			want[name] = true
		}
	}
	var got []string
	eventually(t, "the survivors have sent it", func() bool {
		got = nil
		for _, d := range destinations {
			got = append(got, d.names()...)
		}
		return len(got) >= len(want)+2
	})
	if extra := len(got) - len(want) - 2; extra > 3*6 {
		t.Errorf("got %d spans, want %d and at most three batches more", len(got), len(want)+2)
	}
	sent := make(map[string]int)
	for _, name := range got {
		sent[name]++
	}
	for name := range want {
		if sent[name] != 1 {
			t.Errorf("%s: sent %d times, want once", name, sent[name])
		}
	}
}

// Who lives is not robbed.
func TestTheLivingKeepTheirs(t *testing.T) {
	dir, d1, d2 := t.TempDir(), &destination{answer: down}, new(destination)
	first := open(t, dir, d1, quick(Options{}))
	export(t, first, "first's")
	second := open(t, dir, d2, quick(Options{}))
	export(t, second, "second's")
	second.disk.post(func(s *store) { s.tend() })
	if err := second.Flush(t.Context()); err != nil {
		t.Error(err)
	}
	d1.set(nil)
	d1.expect(t, []string{"first's"})
	d2.expect(t, []string{"second's"})
}
