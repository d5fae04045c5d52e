// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package approve_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/middleware/approve/approvetest"
	"github.com/toolscope/toolscope/toolkit"
)

func TestGrantsOfOneProcess(t *testing.T) { approvetest.Run(t, approve.NewGrants) }

type awayGrants struct {
	approve.Grants
	away bool
}

func (a *awayGrants) Take(ctx context.Context, key string) (string, bool, error) {
	if a.away {
		return "", false, errors.New("no answer")
	}
	return a.Grants.Take(ctx, key)
}

func (a *awayGrants) Give(ctx context.Context, key, grant string, keep time.Duration) error {
	if a.away {
		return errors.New("no answer")
	}
	return a.Grants.Give(ctx, key, grant, keep)
}

// TestACallDeferredInOneProcessIsMadeInAnother approves in one policy and calls in another.
func TestACallDeferredInOneProcessIsMadeInAnother(t *testing.T) {
	grants := &awayGrants{Grants: approve.NewGrants()}
	ran := 0
	policy := func() (*approve.Policy, toolkit.Handler) {
		p, err := approve.New(approve.Options{Defer: true, Askers: []approve.Asker{approve.External()}, Grants: grants, WorkDir: "/work",
			Needed: func(context.Context, toolkit.Call, *toolkit.Definition) (string, bool) { return "always", true }})
		if err != nil {
			t.Fatal(err)
		}
		return p, p.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) { ran++; return toolkit.Result{}, nil })
	}
	first, one := policy()
	_, two := policy()
	ctx := toolkit.WithSession(t.Context(), toolkit.Session{Tenant: "t", ID: "s"})
	call := toolkit.Call{Name: "send", Arguments: []byte(`{"to":"x"}`)}
	if res, err := one(ctx, call); err != nil || !res.Suspended {
		t.Fatalf("got %+v, %v, want the call suspended", res, err)
	}
	r := first.Pending()[0]
	grants.away = true
	if err := first.Decide(r.ID, r.Digest, approve.Answer{Approved: true, By: "Ann"}); err == nil || len(first.Pending()) != 1 {
		t.Errorf("store away: got %v and %d open requests, want an error and the request open", err, len(first.Pending()))
	}
	if _, err := two(ctx, call); toolkit.TypeOf(err) != "approval_denied" {
		t.Errorf("store away: got %v, want the call refused", err)
	}
	grants.away = false
	if err := first.Decide(r.ID, r.Digest, approve.Answer{Approved: true, By: "Ann"}); err != nil {
		t.Fatal(err)
	}
	if res, err := two(ctx, call); err != nil || res.Suspended || ran != 1 {
		t.Errorf("got %+v, %v and %d runs, want the approved call made", res, err, ran)
	}
	if res, _ := one(ctx, call); !res.Suspended || ran != 1 {
		t.Errorf("got %+v and %d runs, want a second call to be asked about", res, ran)
	}
}
