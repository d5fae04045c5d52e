// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package approve_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/toolscope/toolscope/internal/canary"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/approve"
	"github.com/toolscope/toolscope/middleware/internal/handoff"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/toolkit/tooltest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// house is a registry with a harmless and a dangerous tool behind a policy.
type house struct {
	*approve.Policy
	handle toolkit.Handler
	seen   tooltest.Recorder
	ran    atomic.Int64
}

func newHouse(t testing.TB, o approve.Options) *house {
	t.Helper()
	p, err := approve.New(o)
	if err != nil {
		t.Fatal(err)
	}
	h := &house{Policy: p}
	r := new(toolkit.Registry)
	for _, def := range []toolkit.Definition{{Name: "read"},
		{Name: "wipe", Risk: toolkit.RiskHigh, Title: "Wipe a disk"}, {Name: "pay", RequiresApproval: true}} {
		err := r.Register(toolkit.ToolFunc(def, func(_ context.Context, call toolkit.Call) (toolkit.Result, error) {
			h.ran.Add(1)
			return toolkit.Result{Output: string(call.Arguments)}, nil
		}))
		if err != nil {
			t.Fatal(err)
		}
	}
	h.handle = toolkit.Observe(r.Lookup, &h.seen)(middleware.Wrap(r.Handle, p))
	return h
}

func (h *house) call(ctx context.Context, tool, arguments string) (toolkit.Result, error) {
	return h.handle(ctx, toolkit.Call{ID: "c1", Name: tool, Arguments: json.RawMessage(arguments)})
}

// last is what the observer recorded of the last call.
func (h *house) last() (tags map[string]string, e toolkit.Ended) {
	all := h.seen.All()
	e = all[len(all)-1]
	tags = map[string]string{}
	for _, t := range e.Disposition.Tags {
		tags[t.Key] = t.Value
	}
	return tags, e
}

// settled is a call that a rule allows by name.
func settled(ctx context.Context) context.Context {
	return handoff.WithQuestion(ctx, handoff.Question{Rule: "reads", Settled: true})
}

func says(approved bool, note string) approve.Asker {
	return approve.AskerFunc(func(context.Context, approve.Request) (approve.Answer, error) {
		return approve.Answer{Approved: approved, By: "ada", Note: note}, nil
	})
}

func TestWhoIsAskedAbout(t *testing.T) {
	for _, c := range []struct {
		name, tool, arguments, trigger string
		o                              approve.Options
		ctx                            func(context.Context) context.Context
	}{
		{name: "harmless", tool: "read"},
		{name: "sensitive words can be off", tool: "read", arguments: `{"password":1}`, o: approve.Options{WithoutSensitive: true}},
		{name: "high risk", tool: "wipe", trigger: "risk"},
		{name: "the tool asks", tool: "pay", trigger: "tool"},
		{name: "a rule asks", tool: "read", trigger: "rule", ctx: func(ctx context.Context) context.Context {
			return handoff.WithQuestion(ctx, handoff.Question{Rule: "outside", Reason: "outside the workspace"})
		}},
		{name: "a rule allows a risky one", tool: "wipe", ctx: settled},
		{name: "a rule allows sensitive words", tool: "read", arguments: `{"password":1}`, ctx: settled},
		{name: "a rule allows what the tool asks about", tool: "pay", trigger: "tool", ctx: settled},
		{name: "sensitive name", tool: "read", arguments: `{"API_Key":1}`, trigger: "arguments"},
		{name: "sensitive value", tool: "read", arguments: `{"sql":"DROP TABLE x"}`, trigger: "arguments"},
		{name: "escaped", tool: "read", arguments: `{"sql":"dr\u006Fp TABLE x"}`, trigger: "arguments"},
		{name: "the host asks", tool: "read", trigger: "host",
			o: approve.Options{Needed: func(context.Context, toolkit.Call, *toolkit.Definition) (string, bool) { return "monday", true }}},
	} {
		t.Run(c.name, func(t *testing.T) {
			asked := 0
			c.o.Askers = []approve.Asker{approve.AskerFunc(func(context.Context, approve.Request) (approve.Answer, error) {
				asked++
				return approve.Answer{Approved: true, By: "ada"}, nil
			})}
			h := newHouse(t, c.o)
			ctx := t.Context()
			if c.ctx != nil {
				ctx = c.ctx(ctx)
			}
			if _, err := h.call(ctx, c.tool, c.arguments); err != nil {
				t.Fatal(err)
			}
			tags, e := h.last()
			if tags["approval.trigger"] != c.trigger || (c.trigger != "") != (asked == 1) ||
				e.Disposition.Outcome != toolkit.OutcomeExecuted {
				t.Errorf("asked %d times, tags %v, want the trigger %q", asked, tags, c.trigger)
			}
			if c.trigger != "" && (tags["approval"] != "approved" || tags["approval.by"] != "ada" || tags["approval.id"] == "") {
				t.Errorf("got the tags %v", tags)
			}
		})
	}
}

// What a rule said of a call says nothing of the calls that its tool makes.
func TestAQuestionIsForOneCall(t *testing.T) {
	for name, q := range map[string]handoff.Question{"allowed": {Rule: "reads", Settled: true}, "asked": {Rule: "writes"}} {
		var triggers []string
		p, err := approve.New(approve.Options{
			Askers: []approve.Asker{approve.AskerFunc(func(_ context.Context, r approve.Request) (approve.Answer, error) {
				triggers = append(triggers, r.Trigger+" "+r.Tool)
				return approve.Answer{Approved: true}, nil
			})}})
		if err != nil {
			t.Fatal(err)
		}
		risky := toolkit.Definition{Risk: toolkit.RiskHigh}
		var handle toolkit.Handler
		handle = toolkit.Observe(func(string) *toolkit.Definition { return &risky },
			new(tooltest.Recorder))(p.Wrap(func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
			if call.Name == "outer" {
				return handle(ctx, toolkit.Call{Name: "inner"})
			}
			return toolkit.Result{}, nil
		}))
		if _, err := handle(handoff.WithQuestion(t.Context(), q), toolkit.Call{Name: "outer"}); err != nil {
			t.Fatal(err)
		}
		want := []string{"risk inner"}
		if !q.Settled {
			want = []string{"rule outer", "risk inner"}
		}
		if !slices.Equal(triggers, want) {
			t.Errorf("%s: asked about %q, want %q", name, triggers, want)
		}
	}
}

func TestANoIsARefusalWithTheReason(t *testing.T) {
	h := newHouse(t, approve.Options{Askers: []approve.Asker{says(false, "use the test account")}})
	_, err := h.call(t.Context(), "pay", `{}`)
	if !errors.Is(err, toolkit.ErrApprovalDenied) || !strings.Contains(err.Error(), "use the test account") || h.ran.Load() != 0 {
		t.Errorf("got %v, ran %d times", err, h.ran.Load())
	}
	tags, e := h.last()
	if tags["approval"] != "rejected" || tags["approval.by"] != "ada" ||
		e.Disposition.Outcome != toolkit.OutcomeRefused || e.ErrorType != "approval_denied" {
		t.Errorf("got %v, %v, %s", tags, e.Disposition.Outcome, e.ErrorType)
	}
}

func TestNobodyAnswersInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, approve.Options{Askers: []approve.Asker{approve.External(),
			approve.AskerFunc(func(ctx context.Context, _ approve.Request) (approve.Answer, error) {
				<-ctx.Done()
				return approve.Answer{Approved: true}, nil // too late
			})}})
		start := time.Now()
		_, err := h.call(t.Context(), "pay", `{}`)
		if !errors.Is(err, toolkit.ErrApprovalExpired) || time.Since(start) != 5*time.Minute || h.ran.Load() != 0 {
			t.Errorf("got %v after %v", err, time.Since(start))
		}
		tags, e := h.last()
		if tags["approval"] != "expired" || e.ErrorType != "approval_expired" || e.Disposition.Approval != 5*time.Minute ||
			e.Disposition.Run != 0 {
			t.Errorf("got %v, waited %v, ran %v", tags, e.Disposition.Approval, e.Disposition.Run)
		}
		if n := len(h.Pending()); n != 0 {
			t.Errorf("%d requests stay", n)
		}
	})
}

func TestWaitingIsNotRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, approve.Options{Askers: []approve.Asker{
			approve.AskerFunc(func(context.Context, approve.Request) (approve.Answer, error) {
				time.Sleep(time.Minute)
				return approve.Answer{Approved: true}, nil
			})}})
		if _, err := h.call(t.Context(), "pay", `{}`); err != nil {
			t.Fatal(err)
		}
		if _, e := h.last(); e.Disposition.Approval != time.Minute || e.Disposition.Run != 0 {
			t.Errorf("waited %v, ran %v", e.Disposition.Approval, e.Disposition.Run)
		}
	})
}

func TestTheCallerGoesAway(t *testing.T) {
	cause := errors.New("the user left")
	ctx, cancel := context.WithCancelCause(t.Context())
	h := newHouse(t, approve.Options{Askers: []approve.Asker{
		approve.AskerFunc(func(ctx context.Context, _ approve.Request) (approve.Answer, error) {
			cancel(cause)
			<-ctx.Done()
			return approve.Answer{}, ctx.Err()
		})}})
	_, err := h.call(ctx, "pay", `{}`)
	if !errors.Is(err, toolkit.ErrCanceled) || !errors.Is(err, cause) {
		t.Errorf("got %v, want the cause", err)
	}
	if tags, _ := h.last(); tags["approval"] != "withdrawn" {
		t.Errorf("got %v", tags)
	}
}

func TestWithoutAnybodyToAskCallsAreDenied(t *testing.T) {
	broken := approve.AskerFunc(func(context.Context, approve.Request) (approve.Answer, error) {
		return approve.Answer{Approved: true}, errors.New("no terminal")
	})
	panics := approve.AskerFunc(func(context.Context, approve.Request) (approve.Answer, error) { panic("boom") })
	h := newHouse(t, approve.Options{Askers: []approve.Asker{broken, panics}})
	_, err := h.call(t.Context(), "pay", `{}`)
	if !errors.Is(err, toolkit.ErrApprovalDenied) || !strings.Contains(err.Error(), "no terminal") ||
		!strings.Contains(err.Error(), "panicked") {
		t.Errorf("got %v", err)
	}
	if tags, _ := h.last(); tags["approval"] != "unavailable" {
		t.Errorf("got %v", tags)
	}
	// One that works is enough.
	h = newHouse(t, approve.Options{Askers: []approve.Asker{broken, says(true, "")}})
	if _, err := h.call(t.Context(), "pay", `{}`); err != nil {
		t.Error(err)
	}
}

// What runs is what was shown, whatever happens to the slice while it waits.
func TestArgumentsChangedWhileWaitingDoNotRun(t *testing.T) {
	arguments := []byte(`{"amount":1}`)
	h := newHouse(t, approve.Options{Askers: []approve.Asker{
		approve.AskerFunc(func(context.Context, approve.Request) (approve.Answer, error) {
			copy(arguments, `{"amount":9}`)
			return approve.Answer{Approved: true}, nil
		})}})
	res, err := h.handle(t.Context(), toolkit.Call{Name: "pay", Arguments: arguments})
	if err != nil || res.Output != `{"amount":1}` {
		t.Errorf("%s ran, %v; want what was approved", res.Output, err)
	}
}

func TestRequestsAreRedacted(t *testing.T) {
	secrets := canary.Secrets(7)
	var all strings.Builder
	var asked approve.Request
	h := newHouse(t, approve.Options{
		Needed: func(context.Context, toolkit.Call, *toolkit.Definition) (string, bool) {
			return "because of " + secrets[2].Text, true
		},
		Tell: func(d approve.Decision) { fmt.Fprintf(&all, "%+v\n", d) },
		Askers: []approve.Asker{approve.AskerFunc(func(_ context.Context, r approve.Request) (approve.Answer, error) {
			asked = r
			return approve.Answer{By: secrets[2].Text, Note: secrets[3].Text}, nil
		})},
	})
	text, _ := json.Marshal(secrets[2].Text + "\n" + secrets[3].Text)
	_, _ = h.call(toolkit.WithSession(t.Context(), toolkit.Session{ID: secrets[2].Text}), "read", `{"text":`+string(text)+`}`)
	fmt.Fprintf(&all, "%+v\n%+v\n", asked, h.Decided())
	if leaked := canary.Find(all.String(), secrets); len(leaked) != 0 {
		t.Errorf("leaked %v", leaked)
	}
	if asked.Tool != "read" || asked.Arguments == "" || !strings.Contains(all.String(), "pending") ||
		!strings.Contains(all.String(), "rejected") {
		t.Errorf("got %s", all.String())
	}
}

func TestPatternsApproveBeforehand(t *testing.T) {
	past, future := time.Now().Add(-time.Second), time.Now().Add(time.Hour)
	for _, c := range []struct {
		pattern   approve.Pattern
		arguments string
		approved  bool
	}{
		{approve.Pattern{Tool: "pay", Approver: "ada"}, `{}`, true},
		{approve.Pattern{Tool: "p*", Approver: "ada", Expires: future}, `{}`, true},
		{approve.Pattern{Tool: "pay", Approver: "ada", Expires: past}, `{}`, false},
		{approve.Pattern{Tool: "wipe", Approver: "ada"}, `{}`, false},
		{approve.Pattern{Tool: "pay", Approver: "ada", Arguments: map[string]string{"/to": "acme-*", "/n/0": "7"}},
			`{"to":"acme-1","n":[7],"x":1}`, true},
		{approve.Pattern{Tool: "pay", Approver: "ada", Arguments: map[string]string{"/to": "acme-*"}}, `{"to":"evil"}`, false},
		{approve.Pattern{Tool: "pay", Approver: "ada", Arguments: map[string]string{"/to": "acme-*"}},
			`{"to":"acme-1","TO":"evil"}`, false},
		{approve.Pattern{Tool: "pay", Approver: "ada", Arguments: map[string]string{"/k": "1"}}, `{"k":1,"\u212a":2}`, false},
		{approve.Pattern{Tool: "pay", Approver: "ada", Arguments: map[string]string{"/to": "*"}}, `{"to":"a/b"}`, false},
		{approve.Pattern{Tool: "pay", Approver: "ada", Arguments: map[string]string{"/to": "*"}}, `{"to":{"a":1}}`, false},
		{approve.Pattern{Tool: "pay", Approver: "ada", Arguments: map[string]string{"/to": "*"}}, `{}`, false},
		{approve.Pattern{Tool: "pay", Approver: "ada", Arguments: map[string]string{"/to": "a"}}, `{"to":"evil","to":"a"}`, false},
		{approve.Pattern{Tool: "pay", Approver: "ada", Arguments: map[string]string{"/to": "a"}}, `{"to":"a"} {}`, false},
		{approve.Pattern{Tool: "pay", Approver: "ada", Arguments: map[string]string{"/a~1b": "true", "/z": "null"}},
			`{"a/b":true,"z":null}`, true},
	} {
		h := newHouse(t, approve.Options{Patterns: []approve.Pattern{c.pattern}, Askers: []approve.Asker{says(false, "")}})
		_, err := h.call(t.Context(), "pay", c.arguments)
		tags, _ := h.last()
		if (err == nil) != c.approved || c.approved && (tags["approval"] != "pattern" || tags["approval.by"] != "ada") {
			t.Errorf("%+v for %s: got %v, %v, want approved: %t", c.pattern, c.arguments, err, tags, c.approved)
		}
	}
}

func TestTooManyWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, approve.Options{Askers: []approve.Asker{approve.External()}, MaxPending: 50})
		var refused, expired atomic.Int64
		var wg sync.WaitGroup
		for i := range 2000 {
			wg.Go(func() {
				switch _, err := h.call(t.Context(), "pay", fmt.Sprint(i)); {
				case errors.Is(err, toolkit.ErrOverloaded):
					refused.Add(1)
				case errors.Is(err, toolkit.ErrApprovalExpired):
					expired.Add(1)
				}
			})
		}
		wg.Wait()
		if refused.Load() != 1950 || expired.Load() != 50 || len(h.Pending()) != 0 || len(h.Decided()) != 50 {
			t.Errorf("%d refused, %d expired, %d pending", refused.Load(), expired.Load(), len(h.Pending()))
		}
	})
}

func TestNewNamesWhatIsWrong(t *testing.T) {
	for want, o := range map[string]approve.Options{
		"Expiry: got -1s":                    {Expiry: -time.Second},
		"MaxPending: got -1":                 {MaxPending: -1},
		"Askers: got Unattended with Defer":  {Defer: true, Askers: []approve.Asker{approve.Unattended()}},
		"Askers: got Unattended and 1 more":  {Askers: []approve.Asker{approve.HTTP(), approve.Unattended()}},
		"Askers: got 1, want only HTTP":      {Defer: true, Askers: []approve.Asker{says(true, "")}},
		"Askers[0]: got nil":                 {Askers: []approve.Asker{nil}},
		`Patterns[0]: field Tool: got ""`:    {Patterns: []approve.Pattern{{Approver: "a"}}},
		"Patterns[0]: field Approver":        {Patterns: []approve.Pattern{{Tool: "*"}}},
		"Patterns[0]: field Tool: got \"[\"": {Patterns: []approve.Pattern{{Tool: "[", Approver: "a"}}},
		`Arguments: got "to"`: {
			Patterns: []approve.Pattern{{Tool: "*", Approver: "a", Arguments: map[string]string{"to": "x"}}}},
	} {
		if _, err := approve.New(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q in it", err, want)
		}
	}
}

func TestCallsThatNeedNoApprovalAllocateNothing(t *testing.T) {
	p, err := approve.New(approve.Options{Askers: []approve.Asker{approve.External()}})
	if err != nil {
		t.Fatal(err)
	}
	h := p.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) { return toolkit.Result{}, nil })
	ctx, call := context.Background(), toolkit.Call{Name: "read"}
	if n := testing.AllocsPerRun(100, func() { _, _ = h(ctx, call) }); n != 0 {
		t.Errorf("got %v allocations, want none", n)
	}
}
