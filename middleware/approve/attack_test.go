// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package approve_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/toolkit"
)

// deferring is a house whose approvals are given later, and a session's context.
func deferring(t *testing.T) (*house, context.Context) {
	return newHouse(t, approve.Options{Askers: []approve.Asker{approve.External()}, Defer: true}),
		toolkit.WithSession(t.Context(), toolkit.Session{ID: "s1", Tenant: "acme"})
}

// suspended makes a call that must wait, and returns its request.
func (h *house) suspended(t *testing.T, ctx context.Context, arguments string) approve.Request {
	t.Helper()
	res, err := h.call(ctx, "pay", arguments)
	if err != nil || !res.Suspended {
		t.Fatalf("got %+v, %v, want a suspended result", res, err)
	}
	tags, e := h.last()
	if tags["approval"] != "deferred" || e.Disposition.Outcome != toolkit.OutcomeRefused || e.ErrorType != "" {
		t.Fatalf("got %v, %v, %s", tags, e.Disposition.Outcome, e.ErrorType)
	}
	for _, r := range h.Pending() {
		if r.ID == tags["approval.id"] {
			return r
		}
	}
	t.Fatal("the request is not pending")
	return approve.Request{}
}

func TestAnApprovalHoldsOnceAndForThisCallOnly(t *testing.T) {
	h, ctx := deferring(t)
	r := h.suspended(t, ctx, `{"amount":1}`)
	if again := h.suspended(t, ctx, `{"amount":1}`); again.ID != r.ID {
		t.Errorf("the same call opened a second request")
	}
	if err := h.Decide(r.ID, r.Digest, approve.Answer{Approved: true, By: "ada"}); err != nil {
		t.Fatal(err)
	}
	h.suspended(t, ctx, `{"amount":2}`)  // changed by one byte
	h.suspended(t, ctx, `{"amount":1 }`) // the same to a reader, not the same bytes
	other := toolkit.WithSession(ctx, toolkit.Session{ID: "s2", Tenant: "acme"})
	h.suspended(t, other, `{"amount":1}`) // another session's
	tenant := toolkit.WithSession(ctx, toolkit.Session{ID: "s1", Tenant: "evil"})
	h.suspended(t, tenant, `{"amount":1}`) // another tenant's
	if h.ran.Load() != 0 {
		t.Fatalf("%d calls ran, want none so far", h.ran.Load())
	}
	if res, err := h.call(ctx, "pay", `{"amount":1}`); err != nil || res.Suspended || h.ran.Load() != 1 {
		t.Fatalf("the approved call: got %+v, %v", res, err)
	}
	if tags, _ := h.last(); tags["approval"] != "approved" || tags["approval.by"] != "ada" || tags["approval.id"] != r.ID {
		t.Errorf("got %v", tags)
	}
	h.suspended(t, ctx, `{"amount":1}`) // replayed
	if h.ran.Load() != 1 {
		t.Errorf("%d calls ran, want 1", h.ran.Load())
	}
}

func TestAnApprovalOfManyCallsAtOnceLetsOneThrough(t *testing.T) {
	h, ctx := deferring(t)
	r := h.suspended(t, ctx, `{}`)
	if err := h.Decide(r.ID, r.Digest, approve.Answer{Approved: true}); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() { _, _ = h.call(ctx, "pay", `{}`) })
	}
	wg.Wait()
	if h.ran.Load() != 1 {
		t.Errorf("%d calls ran on one approval", h.ran.Load())
	}
}

func TestAnApprovalExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, ctx := deferring(t)
		r := h.suspended(t, ctx, `{}`)
		time.Sleep(5 * time.Minute)
		if err := h.Decide(r.ID, r.Digest, approve.Answer{Approved: true}); !errors.Is(err, approve.ErrClosed) {
			t.Errorf("an answer after the expiry: got %v", err)
		}
		r = h.suspended(t, ctx, `{}`)
		if err := h.Decide(r.ID, r.Digest, approve.Answer{Approved: true}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Minute)
		h.suspended(t, ctx, `{}`)
		if h.ran.Load() != 0 {
			t.Error("an expired approval let a call through")
		}
	})
}

func TestTheFirstAnswerStands(t *testing.T) {
	h, ctx := deferring(t)
	r := h.suspended(t, ctx, `{}`)
	var won, lost atomic.Int64
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			switch err := h.Decide(r.ID, r.Digest, approve.Answer{Approved: i%2 == 0}); {
			case err == nil:
				won.Add(1)
			case errors.Is(err, approve.ErrClosed):
				lost.Add(1)
			}
		})
	}
	wg.Wait()
	if won.Load() != 1 || lost.Load() != 49 || len(h.Decided()) != 1 {
		t.Errorf("%d answers won, %d lost", won.Load(), lost.Load())
	}
}

func TestAnAnswerIsForWhatWasShown(t *testing.T) {
	h, ctx := deferring(t)
	r, other := h.suspended(t, ctx, `{"a":1}`), h.suspended(t, ctx, `{"a":2}`)
	for _, digest := range []string{"", other.Digest, r.Digest[:63], r.Digest + "0"} {
		if err := h.Decide(r.ID, digest, approve.Answer{Approved: true}); !errors.Is(err, approve.ErrDigest) {
			t.Errorf("%q: got %v", digest, err)
		}
	}
	if err := h.Decide("none", r.Digest, approve.Answer{Approved: true}); !errors.Is(err, approve.ErrUnknown) {
		t.Errorf("got %v", err)
	}
}

func TestNothingIsApprovedAfterARestart(t *testing.T) {
	h, ctx := deferring(t)
	r := h.suspended(t, ctx, `{}`)
	if err := h.Decide(r.ID, r.Digest, approve.Answer{Approved: true}); err != nil {
		t.Fatal(err)
	}
	again, _ := deferring(t)
	if err := again.Decide(r.ID, r.Digest, approve.Answer{Approved: true}); !errors.Is(err, approve.ErrUnknown) {
		t.Errorf("an old request: got %v", err)
	}
	again.suspended(t, ctx, `{}`)
	if again.ran.Load() != 0 {
		t.Error("an approval outlived its process")
	}
}

func TestDeferredCallsNeedASession(t *testing.T) {
	h, _ := deferring(t)
	if _, err := h.call(t.Context(), "pay", `{}`); !errors.Is(err, toolkit.ErrApprovalDenied) || len(h.Pending()) != 0 {
		t.Errorf("got %v", err)
	}
}

func TestDigestLeavesNothingOut(t *testing.T) {
	base := approve.Digest("pay", []byte(`{}`), "/srv/a", "v1")
	for name, d := range map[string]string{
		"tool":      approve.Digest("pai", []byte(`{}`), "/srv/a", "v1"),
		"arguments": approve.Digest("pay", []byte(`{ }`), "/srv/a", "v1"),
		"directory": approve.Digest("pay", []byte(`{}`), "/srv/b", "v1"),
		"rules":     approve.Digest("pay", []byte(`{}`), "/srv/a", "v2"),
		"borders":   approve.Digest("pay{", []byte(`}`), "/srv/a", "v1"),
	} {
		if d == base || len(d) != 64 {
			t.Errorf("%s: got %s for another call", name, d)
		}
	}
}

func TestASuccessorAnswersWhatIsOpen(t *testing.T) {
	h, ctx := deferring(t)
	r := h.suspended(t, ctx, `{}`)
	next, err := approve.New(approve.Options{Askers: []approve.Asker{approve.External()}, Defer: true})
	if err != nil {
		t.Fatal(err)
	}
	next.Inherit(nil)
	next.Inherit(h.Policy)
	if err := next.Decide(r.ID, r.Digest, approve.Answer{Approved: true}); err != nil || len(next.Pending()) != 0 {
		t.Errorf("got %v", err)
	}
	if res, err := h.call(ctx, "pay", `{}`); err != nil || res.Suspended {
		t.Errorf("the approved call: got %+v, %v", res, err)
	}
}
