// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"hash/maphash"
	"slices"
	"time"
)

// suspended are calls that wait for input: the server has asked for it, and the client will make the
// call again with it. They are a session's, or those of all clients over HTTP that have none.
// They belong to the Watcher's goroutine.
type suspended struct{ calls []*operation } // oldest first

// The bounds of what waits.
const (
	maxSuspended  = 64
	maxSuspension = time.Hour // in which a client without a session comes back
)

// argumentSeed is of the hashes by which arguments are told apart.
var argumentSeed = maphash.MakeSeed()

// take is the call that a request carries on, nil if it begins one: the same tool with the same
// arguments and the state that the server gave.
func (s *suspended) take(p *params) *operation {
	if !p.carriesInput() {
		return nil
	}
	arguments := maphash.Bytes(argumentSeed, p.Arguments)
	i := slices.IndexFunc(s.calls, func(o *operation) bool {
		return o.name == p.Name && o.state == p.RequestState && o.arguments == arguments
	})
	if i < 0 {
		return nil
	}
	o := s.calls[i]
	s.calls = slices.Delete(s.calls, i, i+1)
	return o
}

// put keeps a call that waits for input; of too many the oldest ends.
func (s *suspended) put(o *operation, state string, at time.Time) {
	o.state, o.asked = state, at
	if len(s.calls) >= maxSuspended {
		s.end(1, at)
	}
	s.calls = append(s.calls, o)
}

// old is how many have waited for longer than a client may take.
func (s *suspended) old(now time.Time) (n int) {
	for n < len(s.calls) && now.Sub(s.calls[n].asked) > maxSuspension {
		n++
	}
	return n
}

// end ends the oldest n calls, which nobody carries on.
func (s *suspended) end(n int, at time.Time) {
	for _, o := range s.calls[:n] {
		o.finish(at, &outcome{suspended: true})
	}
	s.calls = slices.Delete(s.calls, 0, n)
}
