// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package stats

import (
	"encoding/json"
	"math"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

// sources is a source of what it holds.
type sources []Component

func (s sources) Components() []Component { return s }

// panicking is a source that panics.
type panicking struct{}

func (panicking) Components() []Component { panic("the host's source") }

func TestHealthz(t *testing.T) {
	fine := sources{{Name: "queue", Figures: []Figure{{"spans", 3}}}}
	broken := sources{{Name: "exporter", Problems: []string{"the last 3 batches could not be sent (Unavailable)"}}}
	for _, c := range []struct {
		name    string
		sources []HealthSource
		target  string
		code    int
		status  string
		problem string
	}{
		{"alone", nil, "/healthz", 200, "ok", ""},
		{"fine", []HealthSource{fine, nil}, "/healthz?fail=degraded", 200, "ok", ""},
		{"broken, and alive", []HealthSource{fine, broken}, "/healthz", 200, "degraded", "could not be sent"},
		{"broken, and asked to fail", []HealthSource{fine, broken}, "/healthz?fail=degraded", 503, "", "exporter: the last 3 batches could not be sent (Unavailable)"},
		{"panics", []HealthSource{panicking{}, fine}, "/healthz", 200, "degraded", "panicked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := handlerOf(t, newRecorder(t), HandlerOptions{Health: c.sources})
			w := ask(h, c.target)
			if w.Code != c.code || !strings.Contains(w.Body.String(), c.problem) {
				t.Errorf("got %d %s, want %d with %q", w.Code, w.Body, c.code, c.problem)
			}
			if c.code != http.StatusOK {
				asProblem(t, w, c.code)
				return
			}
			var got healthAnswer
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || got.Status != c.status || got.Components[0].Name != "statistics" {
				t.Errorf("got %+v (%v), want %s", got, err, c.status)
			}
			for _, target := range []string{"/", "/api/v1/summary"} {
				if body := ask(h, target).Body.String(); !strings.Contains(body, "statistics") || !strings.Contains(body, c.problem) {
					t.Errorf("%s: want the components in it, got %s", target, body)
				}
			}
		})
	}
	asProblem(t, ask(handlerOf(t, newRecorder(t)), "/healthz?fail=now"), http.StatusBadRequest)
}

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

func TestManyComponents(t *testing.T) {
	h := handlerOf(t, newRecorder(t), HandlerOptions{Health: []HealthSource{make(sources, 10_000)}})
	if n := strings.Count(ask(h, "/healthz").Body.String(), `"name"`); n != 1+maxComponents {
		t.Errorf("got %d names, want %d", n, 1+maxComponents)
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
		r.SlowerThan("busy") // asks for the figure, and waits for nobody
		synctest.Wait()
		if got := r.SlowerThan("busy"); got < 985*time.Millisecond || got > 995*time.Millisecond {
			t.Errorf("got %v, want the 99th percentile of 1 to 1000 ms", got)
		}
		if got := r.SlowerThan("rare") + r.SlowerThan("unknown") + (*Recorder)(nil).SlowerThan("busy"); got != 0 {
			t.Errorf("got %v of what nobody knows, want 0", got)
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
