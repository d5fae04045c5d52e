// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package approve_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/middleware/approve/approvetest"
	"github.com/toolscope/toolscope/toolkit"
)

func TestRequestsOfOneProcess(t *testing.T) { approvetest.Run(t, approve.NewRequests) }

type awayRequests struct {
	kept atomic.Pointer[approve.Requests]
	away atomic.Bool
}

// lose begins again without what is kept.
func (a *awayRequests) lose() {
	empty := approve.NewRequests()
	a.kept.Store(&empty)
}

var errNoAnswer = errors.New("no answer")

func (a *awayRequests) Open(ctx context.Context, r approve.Kept) (string, error) {
	if a.away.Load() {
		return "", errNoAnswer
	}
	return (*a.kept.Load()).Open(ctx, r)
}

func (a *awayRequests) Take(ctx context.Context, call string) (string, bool, error) {
	if a.away.Load() {
		return "", false, errNoAnswer
	}
	return (*a.kept.Load()).Take(ctx, call)
}

func (a *awayRequests) Read(ctx context.Context, known map[string]uint64) ([]approve.Kept, error) {
	if a.away.Load() {
		return nil, errNoAnswer
	}
	return (*a.kept.Load()).Read(ctx, known)
}

func (a *awayRequests) Change(ctx context.Context, r approve.Kept, g *approve.Grant) (bool, error) {
	if a.away.Load() {
		return false, errNoAnswer
	}
	return (*a.kept.Load()).Change(ctx, r, g)
}

// fleet makes policies of processes that share requests.
type fleet struct {
	requests *awayRequests
	ran      atomic.Int64
	mu       sync.Mutex
	told     []string
}

func newFleet() *fleet {
	f := &fleet{requests: new(awayRequests)}
	f.requests.lose()
	return f
}

func (f *fleet) process(t *testing.T, name string, o approve.Options) (*approve.Policy, toolkit.Handler) {
	t.Helper()
	o.Askers, o.Requests, o.WorkDir = []approve.Asker{approve.External()}, f.requests, "/work"
	o.Needed = func(context.Context, toolkit.Call, *toolkit.Definition) (string, bool) { return "always", true }
	o.Tell = func(d approve.Decision) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.told = append(f.told, strings.TrimSpace(fmt.Sprintf("%s %s %s", name, d.State, d.By)))
	}
	p, err := approve.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return p, p.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) {
		f.ran.Add(1)
		return toolkit.Result{}, nil
	})
}

func (f *fleet) wantTold(t *testing.T, want ...string) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if got := strings.Join(f.told, ", "); got != strings.Join(want, ", ") {
		t.Errorf("got told %q, want %q", got, want)
	}
	f.told = nil
}

var sending = toolkit.Call{ID: "1", Name: "send", Arguments: []byte(`{"to":"x"}`)}

func inSession(t *testing.T) context.Context {
	return toolkit.WithSession(t.Context(), toolkit.Session{Tenant: "t", ID: "s"})
}

// waiting makes a call, and returns its request as another process sees it.
func waiting(t *testing.T, ctx context.Context, handle toolkit.Handler, other *approve.Policy) (approve.Request, chan error) {
	t.Helper()
	done := make(chan error, 1)
	go func() { _, err := handle(ctx, sending); done <- err }()
	for range 1000 {
		if open := other.Pending(); len(open) == 1 {
			return open[0], done
		}
		time.Sleep(5 * time.Millisecond) // the call runs in another goroutine, which says nothing before it waits
	}
	t.Fatal("got no request")
	return approve.Request{}, nil
}

// TestACallIsDecidedInAnotherProcess answers in one policy the calls that wait in another.
func TestACallIsDecidedInAnotherProcess(t *testing.T) {
	f := newFleet()
	_, one := f.process(t, "one", approve.Options{})
	second, _ := f.process(t, "two", approve.Options{})
	third, _ := f.process(t, "three", approve.Options{})

	r, done := waiting(t, inSession(t), one, second)
	if text := r.View().Text(); !strings.Contains(text, `to`) || r.View().Cut || r.Session != "s" {
		t.Errorf("got the view %q of %+v, want the call", text, r)
	}
	if err := second.Decide(r.ID, "x", approve.Answer{Approved: true}); !errors.Is(err, approve.ErrDigest) {
		t.Errorf("got %v, want ErrDigest", err)
	}
	if err := second.Decide(r.ID, r.Digest, approve.Answer{Approved: true, By: "Ann"}); err != nil {
		t.Fatal(err)
	}
	if err := third.Decide(r.ID, r.Digest, approve.Answer{By: "Bob"}); !errors.Is(err, approve.ErrClosed) {
		t.Errorf("got %v, want ErrClosed", err)
	}
	if err := third.Decide("unknown", r.Digest, approve.Answer{By: "Bob"}); !errors.Is(err, approve.ErrUnknown) {
		t.Errorf("got %v, want ErrUnknown", err)
	}
	if err := <-done; err != nil || f.ran.Load() != 1 {
		t.Errorf("got %v and %d runs, want the call made", err, f.ran.Load())
	}
	f.wantTold(t, "one pending", "two approved Ann")

	r, done = waiting(t, inSession(t), one, third)
	if text := r.View().Earlier; text != "" {
		t.Errorf("got the view compared with %q, want no call of another process", text)
	}
	if err := third.Decide(r.ID, r.Digest, approve.Answer{By: "Bob", Note: "not today"}); err != nil {
		t.Fatal(err)
	}
	if err := <-done; toolkit.TypeOf(err) != "approval_denied" || !strings.Contains(err.Error(), "not today") {
		t.Errorf("got %v, want the refusal with its note", err)
	}
	f.wantTold(t, "one pending", "three rejected Bob")

	ctx, cancel := context.WithCancel(inSession(t))
	r, done = waiting(t, ctx, one, second)
	cancel()
	if err := <-done; toolkit.TypeOf(err) != "cancelled" && err == nil {
		t.Errorf("got %v, want the call withdrawn", err)
	}
	if err := second.Decide(r.ID, r.Digest, approve.Answer{Approved: true}); !errors.Is(err, approve.ErrClosed) {
		t.Errorf("got %v, want ErrClosed for a call that was withdrawn", err)
	}
	f.wantTold(t, "one pending", "one withdrawn")
}

// TestTwoPeopleInTwoProcesses has two people approve, each in another process than the call's.
func TestTwoPeopleInTwoProcesses(t *testing.T) {
	f := newFleet()
	_, one := f.process(t, "one", approve.Options{TwoPeople: []string{"send"}})
	second, _ := f.process(t, "two", approve.Options{TwoPeople: []string{"send"}})
	third, _ := f.process(t, "three", approve.Options{TwoPeople: []string{"send"}})
	r, done := waiting(t, inSession(t), one, second)
	for _, step := range []struct {
		policy *approve.Policy
		by     string
		ok     bool
	}{{second, "Ann", true}, {third, "Ann", false}, {third, "", false}, {third, "Bob", true}} {
		err := step.policy.Decide(r.ID, r.Digest, approve.Answer{Approved: true, By: step.by})
		if (err == nil) != step.ok {
			t.Errorf("%q: got %v, want it counted: %t", step.by, err, step.ok)
		}
	}
	if err := <-done; err != nil || f.ran.Load() != 1 {
		t.Errorf("got %v and %d runs, want the call made", err, f.ran.Load())
	}
	f.wantTold(t, "one pending", "two pending Ann", "three approved Ann, Bob")
}

// TestAStopRejectsInAllProcesses stops a session while its call waits.
func TestAStopRejectsInAllProcesses(t *testing.T) {
	f := newFleet()
	first, one := f.process(t, "one", approve.Options{})
	second, _ := f.process(t, "two", approve.Options{})
	r, done := waiting(t, inSession(t), one, second)
	if _, err := first.Stop(approve.Stop{Kind: "session", Name: "s", By: "Ann"}); err != nil {
		t.Fatal(err)
	}
	if err := <-done; toolkit.TypeOf(err) != "approval_denied" {
		t.Errorf("got %v, want the call rejected", err)
	}
	if err := second.Decide(r.ID, r.Digest, approve.Answer{Approved: true}); !errors.Is(err, approve.ErrClosed) {
		t.Errorf("got %v, want ErrClosed", err)
	}
}

// TestACallDeferredInOneProcessIsMadeInAnother defers a call in one process, approves it in the second and makes it in the
// third.
func TestACallDeferredInOneProcessIsMadeInAnother(t *testing.T) {
	f := newFleet()
	first, one := f.process(t, "one", approve.Options{Defer: true})
	second, two := f.process(t, "two", approve.Options{Defer: true})
	_, three := f.process(t, "three", approve.Options{Defer: true})
	ctx := inSession(t)
	for _, handle := range []toolkit.Handler{one, two, one} {
		if res, err := handle(ctx, sending); err != nil || !res.Suspended {
			t.Fatalf("got %+v, %v, want the call suspended", res, err)
		}
	}
	open := second.Pending()
	if len(open) != 1 {
		t.Fatalf("got %d open requests, want one for the call", len(open))
	}
	r := open[0]
	f.requests.away.Store(true)
	if err := second.Decide(r.ID, r.Digest, approve.Answer{Approved: true, By: "Ann"}); !errors.Is(err, approve.ErrAway) {
		t.Errorf("store away: got %v, want ErrAway", err)
	}
	for name, handle := range map[string]toolkit.Handler{"one": one, "three": three} {
		if _, err := handle(ctx, sending); toolkit.TypeOf(err) != "approval_denied" {
			t.Errorf("store away: %s: got %v, want the call refused", name, err)
		}
	}
	if p := first.Problems(); len(p) != 1 || !strings.Contains(p[0], "no answer") {
		t.Errorf("got the problems %q, want the cause", p)
	}
	errs := 0.0
	first.Figures(func(name string, value float64) {
		if name == "store_errors" {
			errs = value
		}
	})
	if errs < 1 {
		t.Errorf("got %v store_errors, want some", errs)
	}
	f.requests.away.Store(false)
	if err := second.Decide(r.ID, r.Digest, approve.Answer{Approved: true, By: "Ann"}); err != nil {
		t.Fatal(err)
	}
	if res, err := three(ctx, sending); err != nil || res.Suspended || f.ran.Load() != 1 {
		t.Errorf("got %+v, %v and %d runs, want the approved call made", res, err, f.ran.Load())
	}
	if res, _ := one(ctx, sending); !res.Suspended || f.ran.Load() != 1 {
		t.Errorf("got %+v and %d runs, want a second call to be asked about", res, f.ran.Load())
	}
}

// TestAWaitingCallIsRefusedWhileRequestsAreAway keeps no call waiting for an answer that cannot come.
func TestAWaitingCallIsRefusedWhileRequestsAreAway(t *testing.T) {
	f := newFleet()
	_, one := f.process(t, "one", approve.Options{})
	f.requests.away.Store(true)
	if _, err := one(inSession(t), sending); toolkit.TypeOf(err) != "approval_denied" {
		t.Errorf("got %v, want the call refused", err)
	}
	f.wantTold(t)
}

// TestALostRequestIsOpenedAgain: the store loses its requests while a call waits, and a person can still answer.
func TestALostRequestIsOpenedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFleet()
		_, handle := f.process(t, "one", approve.Options{})
		other, _ := f.process(t, "two", approve.Options{})
		done := make(chan error, 1)
		go func() { _, err := handle(inSession(t), sending); done <- err }()
		synctest.Wait()
		lost := other.Pending()
		f.requests.lose()
		if open := other.Pending(); len(lost) != 1 || len(open) != 0 {
			t.Fatalf("got %d requests and then %d, want one and none", len(lost), len(open))
		}
		time.Sleep(time.Second)
		open := other.Pending()
		if len(open) != 1 || open[0].ID != lost[0].ID || open[0].Digest != lost[0].Digest {
			t.Fatalf("got %+v, want the request again", open)
		}
		if err := other.Decide(open[0].ID, open[0].Digest, approve.Answer{Approved: true, By: "Ann"}); err != nil {
			t.Fatal(err)
		}
		if err := <-done; err != nil || f.ran.Load() != 1 {
			t.Errorf("got %v and %d runs, want one", err, f.ran.Load())
		}
		time.Sleep(time.Second) // until no answer is looked for
	})
}
