// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package approve

import (
	"context"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/toolkit"
)

// Grants keeps approvals of deferred calls, for processes that share them. [NewGrants] makes one of this process.
// Package approvetest has the tests that any must pass. Safe for concurrent use. It bounds its waits, and returns when
// the context ends.
type Grants interface {
	// Give keeps a grant under a key, in the place of an older one.
	Give(ctx context.Context, key, grant string, keep time.Duration) error
	// Take returns the key's grant and removes it, so that each is taken once; false if there is none.
	Take(ctx context.Context, key string) (grant string, ok bool, err error)
}

// name is different for each call that an approval is for.
func (k grantKey) name() string {
	return strconv.Quote(k.owner.Tenant) + strconv.Quote(k.owner.Session) + k.digest
}

// giveShared keeps an approval for all processes.
func (p *Policy) giveShared(key grantKey, g grant) error {
	err := p.options.Grants.Give(context.Background(), key.name(), g.id+"\n"+g.by, time.Until(g.expires))
	if err != nil {
		p.health.Failed(err)
	}
	return err
}

// takeGrant uses up an approval that was given for the call.
func (p *Policy) takeGrant(ctx context.Context, req *pending) (grant, bool, error) {
	if p.options.Grants == nil {
		g, ok := p.desk.takeGrant(req.owner, req.Created)
		return g, ok, nil
	}
	text, ok, err := p.options.Grants.Take(ctx, req.owner.name())
	if err != nil {
		return grant{}, false, err
	}
	p.health.Answered()
	id, by, _ := strings.Cut(text, "\n")
	return grant{by: by, id: id}, ok, nil
}

// refuseAway ends a call whose approval cannot be looked for.
func (p *Policy) refuseAway(call toolkit.Call, err error) (toolkit.Result, error) {
	p.health.Failed(err)
	call.Record.Tag("approval.store", "away")
	call.Record.Tag("approval", "unavailable")
	return middleware.Refuse(call, &toolkit.Error{Kind: toolkit.ErrApprovalDenied, Cause: err, Message: "a person must " +
		"approve this call, and approvals, which several processes share, cannot be read now: try again later"})
}

// Problems are what the health report says while the grants that processes share do not answer.
func (p *Policy) Problems() []string { return p.health.Problems() }

// grantStore keeps grants of one process.
type grantStore struct {
	mu     sync.Mutex
	grants map[string]storedGrant
}

type storedGrant struct {
	text  string
	until time.Time
}

// NewGrants makes grants that policies of this process share.
func NewGrants() Grants { return &grantStore{grants: map[string]storedGrant{}} }

// Give is that of [Grants].
func (s *grantStore) Give(ctx context.Context, key, grant string, keep time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	for k, g := range s.grants {
		if !now.Before(g.until) {
			delete(s.grants, k)
		}
	}
	s.grants[key] = storedGrant{grant, now.Add(keep)}
	return nil
}

// Take is that of [Grants].
func (s *grantStore) Take(ctx context.Context, key string) (string, bool, error) {
	if err := ctx.Err(); err != nil {
		return "", false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	g, ok := s.grants[key]
	delete(s.grants, key)
	if !ok || !time.Now().Before(g.until) {
		return "", false, nil
	}
	return g.text, true, nil
}
