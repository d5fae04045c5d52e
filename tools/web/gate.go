// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package web

import (
	"context"
	"sync"
	"time"
)

// gate lets one request at a time go to each host, and waits between two. It
// knows only the hosts that are in use or were a moment ago.
type gate struct {
	delay time.Duration
	mu    sync.Mutex
	hosts map[string]*turn
}

// turn is whose turn it is at one host.
type turn struct {
	slot  chan struct{} // holds one value while a caller has the turn
	users int           // who has it or waits for it
	ended time.Time     // when it was last given back
}

// enter waits for the turn at a host. leave gives it back; it must be called once
// if err is nil.
func (g *gate) enter(ctx context.Context, host string) (leave func(), err error) {
	t := g.join(host)
	select {
	case t.slot <- struct{}{}:
	case <-ctx.Done():
		g.part(t, false)
		return nil, ctx.Err()
	}
	g.mu.Lock()
	wait := time.Until(t.ended.Add(g.delay))
	g.mu.Unlock()
	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
			<-t.slot
			g.part(t, false)
			return nil, ctx.Err()
		}
	}
	return func() {
		g.part(t, true)
		<-t.slot
	}, nil
}

// join counts a user of a host's turn in, and forgets hosts that are not in use
// and whose time to wait is over.
func (g *gate) join(host string) *turn {
	g.mu.Lock()
	defer g.mu.Unlock()
	for name, t := range g.hosts {
		if t.users == 0 && name != host && time.Since(t.ended) >= g.delay {
			delete(g.hosts, name)
		}
	}
	t := g.hosts[host]
	if t == nil {
		if g.hosts == nil {
			g.hosts = make(map[string]*turn)
		}
		t = &turn{slot: make(chan struct{}, 1)}
		g.hosts[host] = t
	}
	t.users++
	return t
}

func (g *gate) part(t *turn, asked bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	t.users--
	if asked {
		t.ended = time.Now()
	}
}
