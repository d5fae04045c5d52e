// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/toolscope/toolscope/internal/arrival"
	"github.com/toolscope/toolscope/internal/sessions"
	"github.com/toolscope/toolscope/toolkit"
)

// Rates counts the calls that begin, for processes that share rate limits. [NewRates] makes one of this process.
// Package limittest has the tests that any must pass. Safe for concurrent use. It bounds its waits, and returns
// when the context ends.
type Rates interface {
	// Take counts a call in the windows of all asks if each allows it now, and else in none. blocked is the
	// position of the ask that allows the call last, -1 if the call is counted, and after is how long that takes
	// at least. In any window of an ask's length, wherever it is put, at most MaxCalls calls are counted.
	Take(ctx context.Context, asks []Ask) (blocked int, after time.Duration, err error)
}

// An Ask is one window that a call has to pass.
type Ask struct {
	Scope        Scope
	Tenant, Name string // of the tool or key; "" for all calls
	Limit        toolkit.RateLimit
}

// WhenAway is what happens to calls while a store that processes share does not answer.
type WhenAway uint8

// What may happen.
const (
	GoLocal WhenAway = iota // each process enforces the limits by itself
	Refuse                  // calls are refused as overloaded
)

// admitShared lets a call begin that all processes count; else end is how it ends. Without an answer of the store the
// call is the local windows' if decided is false.
func (r *rates) admitShared(ctx context.Context, call toolkit.Call, limit toolkit.RateLimit, key id,
) (end func() (toolkit.Result, error), decided bool) {
	asks := r.asks(call, limit, key)
	var patience time.Time // the zero time: the call does not wait
	began := time.Now()
	for {
		blocked, after, err := r.options.Store.Take(ctx, asks)
		switch {
		case ctx.Err() != nil && (err != nil || blocked >= 0):
			return func() (toolkit.Result, error) { return gaveUp(ctx, call) }, true
		case err != nil && r.options.WhenAway == Refuse:
			r.away(call, err)
			return func() (toolkit.Result, error) { return refuseAway(call, err) }, true
		case err != nil:
			r.away(call, err)
			return nil, false
		}
		r.health.Answered()
		if blocked < 0 {
			r.countLocally(call, limit, key)
			return nil, true
		}
		ask := asks[blocked]
		tell(call, "rate", ask.Scope)
		if patience.IsZero() {
			patience = r.patience(ctx, began)
		}
		after = max(after, time.Millisecond)
		if r.options.MaxWait == 0 || after > time.Until(patience) || !r.waitShared(ctx, call, after) {
			if ctx.Err() != nil {
				return func() (toolkit.Result, error) { return gaveUp(ctx, call) }, true
			}
			cause := &Error{Scope: ask.Scope, Rate: ask.Limit, After: after}
			return func() (toolkit.Result, error) { return refuse(call, toolkit.ErrRateLimited, cause) }, true
		}
	}
}

// away records that the store did not answer.
func (r *rates) away(call toolkit.Call, err error) {
	r.health.Failed(err)
	call.Record.Tag("limit.store", "away")
}

// asks are the windows that a call has to pass.
func (r *rates) asks(call toolkit.Call, limit toolkit.RateLimit, key id) []Ask {
	asks := make([]Ask, 0, 3)
	if l := r.options.Global; l.MaxCalls > 0 {
		asks = append(asks, Ask{Scope: ScopeGlobal, Limit: l})
	}
	if limit.MaxCalls > 0 {
		asks = append(asks, Ask{Scope: ScopeTool, Name: call.Name, Limit: limit})
	}
	if l := r.options.PerKey; key.name != "" {
		asks = append(asks, Ask{Scope: ScopeKey, Tenant: key.tenant, Name: key.name, Limit: l})
	}
	return asks
}

// patience is until when a call waits.
func (r *rates) patience(ctx context.Context, began time.Time) time.Time {
	until := began.Add(r.options.MaxWait)
	if deadline, ok := ctx.Deadline(); ok && deadline.Before(until) {
		return deadline
	}
	return until
}

// waitShared waits until a window may allow the call; false if too many wait or the caller gave up. Processes do
// not know of each other's waiting calls: the first one to ask again is served.
func (r *rates) waitShared(ctx context.Context, call toolkit.Call, after time.Duration) bool {
	r.mu.Lock()
	full := r.waiting >= r.options.Queue
	if !full {
		r.waiting++
	}
	r.mu.Unlock()
	if full {
		return false
	}
	began := time.Now()
	arrival.Pass(ctx)
	timer := time.NewTimer(after)
	defer timer.Stop()
	defer func() {
		waited := time.Since(began)
		call.Record.Note(func(n *toolkit.Disposition) { n.Queue += waited })
		r.mu.Lock()
		r.waiting--
		r.mu.Unlock()
	}()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// countLocally counts a call that the store has counted, for the time when the store does not answer.
func (r *rates) countLocally(call toolkit.Call, limit toolkit.RateLimit, key id) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	for _, w := range r.windowsOf(call, limit, key, now) {
		if w != nil {
			w.force(now.Sub(r.began))
		}
	}
}

// refuseAway ends a call whose rate limit cannot be checked.
func refuseAway(call toolkit.Call, err error) (toolkit.Result, error) {
	return refuseKind(call, toolkit.ErrOverloaded,
		"the rate limit, which several processes share, cannot be checked now: try again later", err)
}

// rateStore counts for policies of one process.
type rateStore struct {
	began time.Time
	mu    sync.Mutex
	logs  *sessions.Table[askKey, *rateLog]
}

type askKey struct {
	scope        Scope
	tenant, name string
}

// A rateLog is when the last calls of a window began, the oldest first, for limits that differ: it goes back as far as
// the longest window that was asked for, and at most maxLog calls.
type rateLog struct {
	times []time.Duration
	keep  time.Duration
}

// NewRates makes a store that counts for the policies of this process. It remembers about maxKeys windows, of which
// the longest unused is forgotten first; 0 is 10,000.
func NewRates(maxKeys int) Rates {
	return &rateStore{began: time.Now(), logs: sessions.New[askKey](maxKeys, never, func() *rateLog { return new(rateLog) })}
}

var errTooManyAsks = errors.New("limit: Take: got more than 3 windows, want the global one, the tool's and the key's")

// Take is that of [Rates].
func (s *rateStore) Take(ctx context.Context, asks []Ask) (blocked int, after time.Duration, err error) {
	if err := ctx.Err(); err != nil {
		return 0, 0, err
	}
	var logs [3]*rateLog
	if len(asks) > len(logs) {
		return 0, 0, errTooManyAsks
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	at := time.Now()
	now := at.Sub(s.began)
	blocked = -1
	for i, a := range asks {
		logs[i] = s.logs.Get(askKey{a.Scope, a.Tenant, a.Name}, at)
		if wait := logs[i].wait(a.Limit, now); wait > after {
			blocked, after = i, wait
		}
	}
	if blocked < 0 {
		for _, l := range logs[:len(asks)] {
			l.addCall(now)
		}
	}
	return blocked, after, nil
}

// wait is how long from now until the limit allows a call.
func (l *rateLog) wait(limit toolkit.RateLimit, now time.Duration) time.Duration {
	parts := 1 + (limit.MaxCalls-1)/maxLog
	n, span := limit.MaxCalls/parts, ceilDiv(limit.Window, time.Duration(parts))
	l.keep = max(l.keep, span)
	if len(l.times) < n {
		return 0
	}
	return span - (now - l.times[len(l.times)-n])
}

// addCall remembers a call that begins now, and forgets those that no limit asks for any more.
func (l *rateLog) addCall(now time.Duration) {
	old := max(0, len(l.times)+1-maxLog)
	for old < len(l.times) && now-l.times[old] >= l.keep {
		old++
	}
	l.times = append(l.times[old:], now)
}
