// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package approve

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Requests keeps the requests and the unused approvals of processes that share them, so that a person can answer in
// one process for a call of another. [NewRequests] makes one of this process. Package approvetest has the tests that any
// must pass. Safe for concurrent use. It bounds its waits, and returns when the context ends.
type Requests interface {
	// Open keeps a request, with the revision 1, and returns its id. If another open one has the same Call, which is not
	// "", it returns that one's id and keeps nothing. [ErrFull] says that too many are kept.
	Open(ctx context.Context, r Kept) (id string, err error)
	// Change puts r in the place of the revision before its own; false if another one is kept, or none. A grant that is
	// not nil is kept with it, in the place of an older one, or neither is.
	Change(ctx context.Context, r Kept, g *Grant) (changed bool, err error)
	// Read returns what is kept of the requests with these ids, except those whose revision is the one here; nil is all.
	// One that has a revision here, and is not kept any more, has the revision 0.
	Read(ctx context.Context, known map[string]uint64) ([]Kept, error)
	// Take returns the grant for a call and removes it, so that each is taken once; false if there is none.
	Take(ctx context.Context, call string) (grant string, ok bool, err error)
}

// Kept is a request as [Requests] keep it.
type Kept struct {
	ID       string
	Revision uint64
	Call     string        // call that is made again once it is approved: only one open request is for it; "" for none
	Closed   bool          // whether another request for Call may be opened
	Text     []byte        // what the policy says of it; [Requests.Read] returns it, ID and Revision
	Keep     time.Duration // how long it is kept
}

// Grant is an approval of a call that is made again.
type Grant struct {
	Call string
	Text string
	Keep time.Duration
}

// ErrFull says that as many requests are kept as may be.
var ErrFull = errors.New("approve: as many requests are open as may be")

// The bounds of [NewRequests], and of what one should keep.
const (
	maxKept      = 2000
	maxKeptBytes = maxOpenBytes
)

// requestStore keeps requests of one process.
type requestStore struct {
	mu     sync.Mutex
	kept   map[string]storedRequest
	calls  map[string]string // id of the open request by call
	grants map[string]storedGrant
	bytes  int
}

type storedRequest struct {
	Kept
	until time.Time
}

type storedGrant struct {
	text  string
	until time.Time
}

// NewRequests makes requests that policies of this process share: at most 2,000, of 16 MiB together.
func NewRequests() Requests {
	return &requestStore{kept: map[string]storedRequest{}, calls: map[string]string{}, grants: map[string]storedGrant{}}
}

// Open is that of [Requests].
func (s *requestStore) Open(ctx context.Context, r Kept) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire(time.Now())
	if id := s.calls[r.Call]; r.Call != "" && id != "" {
		return id, nil
	}
	if len(s.kept) >= maxKept || s.bytes+len(r.Text) > maxKeptBytes {
		return "", ErrFull
	}
	r.Revision = 1
	s.store(r)
	return r.ID, nil
}

// store keeps a request; the lock is held.
func (s *requestStore) store(r Kept) {
	s.bytes += len(r.Text) - len(s.kept[r.ID].Text)
	s.kept[r.ID] = storedRequest{r, time.Now().Add(r.Keep)}
	switch {
	case r.Call == "":
	case !r.Closed:
		s.calls[r.Call] = r.ID
	case s.calls[r.Call] == r.ID:
		delete(s.calls, r.Call)
	}
}

// expire forgets what was kept for long enough; the lock is held.
func (s *requestStore) expire(now time.Time) {
	for id, r := range s.kept {
		if !now.Before(r.until) {
			s.bytes -= len(r.Text)
			delete(s.kept, id)
			if s.calls[r.Call] == id {
				delete(s.calls, r.Call)
			}
		}
	}
	for call, g := range s.grants {
		if !now.Before(g.until) {
			delete(s.grants, call)
		}
	}
}

// Change is that of [Requests].
func (s *requestStore) Change(ctx context.Context, r Kept, g *Grant) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire(time.Now())
	if old, ok := s.kept[r.ID]; !ok || old.Revision+1 != r.Revision {
		return false, nil
	}
	s.store(r)
	if g != nil {
		s.grants[g.Call] = storedGrant{g.Text, time.Now().Add(g.Keep)}
	}
	return true, nil
}

// Read is that of [Requests].
func (s *requestStore) Read(ctx context.Context, known map[string]uint64) (all []Kept, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire(time.Now())
	for id, r := range s.kept {
		if revision, asked := known[id]; known == nil || asked && revision != r.Revision {
			all = append(all, Kept{ID: id, Revision: r.Revision, Text: r.Text})
		}
	}
	for id, revision := range known {
		if _, kept := s.kept[id]; revision > 0 && !kept {
			all = append(all, Kept{ID: id})
		}
	}
	return all, nil
}

// Take is that of [Requests].
func (s *requestStore) Take(ctx context.Context, call string) (string, bool, error) {
	if err := ctx.Err(); err != nil {
		return "", false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.expire(time.Now())
	g, ok := s.grants[call]
	delete(s.grants, call)
	return g.text, ok, nil
}
