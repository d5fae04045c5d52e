// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package breaker_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/breaker"
	"github.com/toolscope/toolscope/toolkit"
)

func TestKeys(t *testing.T) {
	p := policy(t, breaker.Options{Consecutive: 1, Key: func(_ context.Context, call toolkit.Call) string { return call.ID }})
	h := p.Wrap(down)
	for _, id := range []string{"b", "a", ""} {
		for range 2 {
			_, err := h(t.Context(), toolkit.Call{ID: id})
			if id == "" && !errors.Is(err, errDown) {
				t.Errorf("a call without a circuit: got %v", err)
			}
		}
	}
	if s := p.States(); len(s) != 2 || s[0].Key != "a" || s[1].Key != "b" || p.Stage() != middleware.StageBreaker {
		t.Errorf("got %+v, want a and b", s)
	}
}

// A name that reaches no tool gets no circuit, and neither does one that is too long.
func TestNamesThatReachNoTool(t *testing.T) {
	p := policy(t, breaker.Options{})
	registry := new(toolkit.Registry)
	for i := range 100 {
		name := fmt.Sprint("made up ", i)
		ask(t, p, func(ctx context.Context, _ toolkit.Call) (toolkit.Result, error) {
			return registry.Handle(ctx, toolkit.Call{Name: name})
		})
		p.Wrap(registry.Handle)(t.Context(), toolkit.Call{Name: name})
	}
	e := askAs(t, p, strings.Repeat("x", 1000), well)
	if n := len(p.States()); n != 0 || tag(e, "breaker") != "full" || p.Stats().Without != 1 {
		t.Errorf("got %d circuits, %v, %+v, want none, full, once", n, e.Disposition.Tags, p.Stats())
	}
}

// Many more keys than are kept: what lies idle is forgotten, an open circuit never is.
func TestManyKeys(t *testing.T) {
	const n = 50_000 // five hundred times what is kept
	synctest.Test(t, func(t *testing.T) {
		p := policy(t, breaker.Options{Consecutive: 1, MaxKeys: 100, OpenFor: time.Hour})
		broken, fine := p.Wrap(down), p.Wrap(well)
		for i := range 10 {
			broken(t.Context(), toolkit.Call{Name: fmt.Sprint("broken", i)})
		}
		for i := range n {
			fine(t.Context(), toolkit.Call{Name: fmt.Sprint(i)})
			if i%50 == 0 {
				time.Sleep(time.Second)
			}
		}
		if s := p.States(); len(s) != 100 || s[99].State != breaker.Open || s[90].State != breaker.Open || p.Stats().Without == 0 {
			t.Errorf("got %d circuits, the last ones %v and %v, %+v", len(s), s[90], s[99], p.Stats())
		}
		time.Sleep(2 * time.Minute)
		fine(t.Context(), toolkit.Call{Name: "new"})
		if s := p.States(); len(s) != 11 || s[10].Key != "new" {
			t.Errorf("got %d circuits, want the ten that are open and a new one", len(s))
		}
	})
}
