// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

// sources is a source of what it holds.
func TestFigures(t *testing.T) {
	got, err := json.Marshal(Component{Name: "c", Figures: Figures{{"z", 1}, {"not a number", math.NaN()}, {"a\"", 2.5}}})
	if want := `{"name":"c","figures":{"z":1,"a\"":2.5}}`; err != nil || string(got) != want {
		t.Errorf("got %s (%v), want %s", got, err, want)
	}
	var back Component
	if err := json.Unmarshal(got, &back); err != nil || len(back.Figures) != 2 || back.Figures[1] != (Figure{"z", 1}) {
		t.Errorf("got %+v (%v)", back, err)
	}
	if err := json.Unmarshal([]byte(`{"figures":[1]}`), &back); err == nil {
		t.Error("figures as a list: want an error")
	}
}

func TestRecordersOwnProblems(t *testing.T) {
	dir := t.TempDir()
	r, err := New(Options{MaxTools: 1, Directory: dir})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Components()[0]; got.Problems != nil {
		t.Errorf("got %+v, want no problem", got)
	}
	a, b := &toolkit.Definition{Name: "a"}, &toolkit.Definition{Name: "b"}
	record(r, call(a, time.Millisecond), call(b, time.Millisecond))
	if got := r.Components()[0].Problems; len(got) != 1 || !strings.Contains(got[0], "more tools than the 1 of Options.MaxTools") {
		t.Errorf("got %q, want the overflow", got)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(t.Context()); err == nil {
		t.Fatal("the directory is gone: want an error")
	}
	if got := r.Components()[0].Problems; len(got) != 2 || !strings.Contains(got[1], "writing intervals") {
		t.Errorf("got %q, want what could not be written", got)
	}
}

func TestSlowerThan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder(t)
		busy, rare := &toolkit.Definition{Name: "busy"}, &toolkit.Definition{Name: "rare"}
		for i := range 1000 {
			record(r, call(busy, time.Duration(i+1)*time.Millisecond))
		}
		record(r, call(rare, time.Hour))
		r.SlowerThan("busy") // asks for the figure, and does not block
		synctest.Wait()
		if got := r.SlowerThan("busy"); got < 985*time.Millisecond || got > 995*time.Millisecond {
			t.Errorf("got %v, want the 99th percentile of 1 to 1000 ms", got)
		}
		if got := r.SlowerThan("rare") + r.SlowerThan("unknown") + (*Recorder)(nil).SlowerThan("busy"); got != 0 {
			t.Errorf("got %v for an unknown tool, want 0", got)
		}
		time.Sleep(time.Hour)
		r.SlowerThan("busy")
		synctest.Wait()
		if got := r.SlowerThan("busy"); got != 0 {
			t.Errorf("got %v an hour later, want 0", got)
		}
	})
	r := newRecorder(t)
	r.SlowerThan("x")
	if n := testing.AllocsPerRun(100, func() { r.SlowerThan("x") }); n != 0 {
		t.Errorf("got %v allocations, want none", n)
	}
}
