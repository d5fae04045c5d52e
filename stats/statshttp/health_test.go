// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package statshttp

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/stats/statshttp/internal/api"
)

type sources []stats.Component

func (s sources) Components() []stats.Component { return s }

// panicking is a source that panics.
type panicking struct{}

func (panicking) Components() []stats.Component { panic("the application's source") }

func TestHealthz(t *testing.T) {
	fine := sources{{Name: "queue", Figures: []stats.Figure{{Name: "spans", Value: 3}}}}
	broken := sources{{Name: "exporter", Problems: []string{"the last 3 batches could not be sent (Unavailable)"}}}
	for _, c := range []struct {
		name    string
		sources []stats.HealthSource
		target  string
		code    int
		status  string
		problem string
	}{
		{"alone", nil, "/healthz", 200, "ok", ""},
		{"fine", []stats.HealthSource{fine, nil}, "/healthz?fail=degraded", 200, "ok", ""},
		{"broken, and alive", []stats.HealthSource{fine, broken}, "/healthz", 200, "degraded", "could not be sent"},
		{"broken, and asked to fail", []stats.HealthSource{fine, broken}, "/healthz?fail=degraded", 503, "",
			"exporter: the last 3 batches could not be sent (Unavailable)"},
		{"panics", []stats.HealthSource{panicking{}, fine}, "/healthz", 200, "degraded", "panicked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := handlerOf(t, newRecorder(t), Options{Health: c.sources})
			w := ask(h, c.target)
			if w.Code != c.code || !strings.Contains(w.Body.String(), c.problem) {
				t.Errorf("got %d %s, want %d with %q", w.Code, w.Body, c.code, c.problem)
			}
			if c.code != http.StatusOK {
				asProblem(t, w, c.code)
				return
			}
			var got api.HealthAnswer
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || got.Status != c.status ||
				got.Components[0].Name != "statistics" {
				t.Errorf("got %+v (%v), want %s", got, err, c.status)
			}
			for _, target := range []string{"/api/v1/view", "/api/v1/summary"} {
				if body := ask(h, target).Body.String(); !strings.Contains(body, "statistics") || !strings.Contains(body, c.problem) {
					t.Errorf("%s: want the components in it, got %s", target, body)
				}
			}
		})
	}
	asProblem(t, ask(handlerOf(t, newRecorder(t)), "/healthz?fail=now"), http.StatusBadRequest)
}

func TestManyComponents(t *testing.T) {
	h := handlerOf(t, newRecorder(t), Options{Health: []stats.HealthSource{make(sources, 10_000)}})
	if n := strings.Count(ask(h, "/healthz").Body.String(), `"name"`); n != 1+64 {
		t.Errorf("got %d names, want %d", n, 1+64)
	}
}
