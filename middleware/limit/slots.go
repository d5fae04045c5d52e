// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"context"
	"sync"

	"github.com/toolscope/toolscope/middleware/internal/handoff"
	"github.com/toolscope/toolscope/toolkit"
)

// slots holds the limits on calls that run at once. A call passes up to three gates: its
// key's, its tool's, and the one of all calls, and waits at the first that is
// full while it is inside the ones before. The order is the same for all, so no caller waits
// in a circle; each gate is fair, so no caller waits for ever at one.
type slots struct {
	options Concurrency
	keyOf   func(context.Context, toolkit.Call) id

	mu        sync.Mutex
	global    gate
	tools     gates
	keys      gates
	running   int
	left      int // those of them whose tool was abandoned and runs on
	waiting   int
	waitingBy map[id]int // the waiting of each key
}

func newSlots(c Concurrency, keyOf func(context.Context, toolkit.Call) id) *slots {
	return &slots{
		options:   c,
		keyOf:     keyOf,
		global:    gate{scope: ScopeGlobal, limit: c.Global},
		tools:     gates{scope: ScopeTool, all: make(map[id]*gate)},
		keys:      gates{scope: ScopeKey, all: make(map[id]*gate)},
		waitingBy: make(map[id]int),
	}
}

// A path is the gates a call passes, in order. The call is inside the first passed ones.
type path struct {
	gates  [3]*gate
	n      int
	passed int
	left   bool // the tool was abandoned: its end gives the slot back, and not that of the call
}

func (p *path) addGate(g *gate) { p.gates[p.n], p.n = g, p.n+1 }

// open reports whether no gate is full.
func (p *path) open() bool {
	for _, g := range p.gates[:p.n] {
		if g.full() {
			return false
		}
	}
	return true
}

func (s *slots) wrap(next toolkit.Handler) toolkit.Handler {
	return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		if d := call.Record.Tool(); d != nil && d.CallsTools {
			return next(ctx, call)
		}
		var key id
		if s.options.PerKey > 0 {
			key = s.keyOf(ctx, call)
		}
		var p path
		if !s.enter(&p, call.Name, key) {
			if s.options.PerKey <= 0 { // asked only when it matters: it may be the application's function
				key = s.keyOf(ctx, call)
			}
			w, end := s.wait(ctx, call, key)
			if end != nil {
				return end()
			}
			p = w.path
		}
		defer s.leave(&p)
		res, err := next(ctx, call)
		if tool := handoff.AbandonedOf(call, err); tool != nil {
			p.left = s.hold(p, call, tool)
		}
		return res, err
	}
}

// enter takes a slot if nothing is in the way.
func (s *slots) enter(p *path, tool string, key id) bool {
	s.mu.Lock()
	s.find(p, tool, key)
	free := p.open()
	if free {
		s.advance(p)
	} else {
		s.tidy(p)
	}
	s.mu.Unlock()
	return free
}

// find fills in the gates of a call. They are kept as long as the call is in them or
// waits.
func (s *slots) find(p *path, tool string, key id) {
	if s.options.PerKey > 0 && key.name != "" {
		p.addGate(s.keys.get(key, s.options.PerKey))
	}
	limit := s.options.PerTool
	if len(s.options.Tools) > 0 {
		if own, ok := s.options.Tools[tool]; ok {
			limit = own
		}
	}
	if limit > 0 {
		p.addGate(s.tools.get(id{name: tool}, limit))
	}
	if s.options.Global > 0 {
		p.addGate(&s.global)
	}
}

// advance passes gates until one is full, and reports whether there was none.
func (s *slots) advance(p *path) bool {
	for ; p.passed < p.n; p.passed++ {
		g := p.gates[p.passed]
		if g.full() {
			return false
		}
		g.in++
	}
	s.running++
	return true
}

// leave gives a slot back, unless the tool still needs it.
func (s *slots) leave(p *path) {
	if p.left {
		return
	}
	s.mu.Lock()
	s.running--
	s.release(p)
	s.mu.Unlock()
}

// hold keeps the slot of a call whose tool was abandoned until that has ended; false if it has.
func (s *slots) hold(p path, call toolkit.Call, tool *handoff.Abandoned) bool {
	s.countLeft(&p, 1)
	ended := func() {
		s.countLeft(&p, -1)
		s.leave(&p)
	}
	if !tool.OnEnd(ended) {
		s.countLeft(&p, -1)
		return false
	}
	call.Record.Tag("limit", "held")
	return true
}

func (s *slots) countLeft(p *path, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left += n
	for _, g := range p.gates[:p.passed] {
		g.left += n
	}
}

// release leaves the gates that p has passed. At each, the next waiter comes in, and on to
// the gates behind.
func (s *slots) release(p *path) {
	for i := p.passed - 1; i >= 0; i-- {
		g := p.gates[i]
		g.in--
		if g.queue.empty() {
			continue
		}
		w := g.queue.pop()
		g.in++
		w.passed++
		if s.advance(&w.path) {
			s.stopWaiting(w)
			w.through = true
			close(w.ready)
		} else {
			w.gates[w.passed].queue.push(w)
		}
	}
	s.tidy(p)
}

// tidy forgets the gates of p that no caller needs.
func (s *slots) tidy(p *path) {
	for _, g := range p.gates[:p.n] {
		switch g.scope {
		case ScopeKey:
			s.keys.tidy(g)
		case ScopeTool:
			s.tools.tidy(g)
		}
	}
}

func (s *slots) figures(f *figures) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f.running, f.abandoned = s.running, s.left
	f.waiting += s.waiting
}
