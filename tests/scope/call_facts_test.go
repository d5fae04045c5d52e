// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/internal/canary"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/middleware/budget"
	"github.com/toolscope/toolscope/middleware/cache"
	"github.com/toolscope/toolscope/middleware/retry"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

var withoutErrorText = toolscope.Options{Tracing: tracing.Options{NoErrorText: true}}

// TestTheCostOfACallIsOnItsSpan: the cost of each run of the tool, as the statistics and the budget count it;
// none for a call that did not run it.
func TestTheCostOfACallIsOnItsSpan(t *testing.T) {
	again, err := retry.New(retry.Options{On: []toolkit.Kind{toolkit.ErrTimeout}, Attempts: 2, BaseDelay: time.Nanosecond})
	stored, err2 := cache.New(cache.Options{})
	limits, err3 := budget.New(budget.Options{Session: budget.Limits{Cost: 1.5}})
	policies := []middleware.Policy{must(t, again, err), must(t, stored, err2), must(t, limits, err3)}
	scope, spans := newScope(t, toolscope.Options{Policies: policies})
	tool := &toolkit.Definition{Name: "search", ReadOnly: toolkit.Yes, Idempotent: toolkit.Yes, CacheTTL: time.Hour, Cost: 0.5}
	free := &toolkit.Definition{Name: "free"}
	runs := 0
	execute := scope.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) {
		if runs++; runs == 1 {
			return toolkit.Result{}, toolkit.ErrTimeout
		}
		return toolkit.Result{Output: "ok"}, nil
	}, toolkit.Lookup(func(name string) *toolkit.Definition {
		if name == free.Name {
			return free
		}
		return tool
	}))
	ctx := toolkit.WithSession(t.Context(), toolkit.Session{ID: "s"})
	for _, c := range []struct{ name, arguments, outcome, cost string }{
		{"search", `{"q":1}`, "executed", "1"}, // twice
		{"search", `{"q":1}`, "cache_hit", ""},
		{"search", `{"q":2}`, "executed", "0.5"},
		{"search", `{"q":3}`, "refused", ""}, // the budget is used up: it counts the same
		{"free", `{}`, "executed", ""},
	} {
		_, _ = execute(ctx, toolkit.Call{ID: c.arguments, Name: c.name, Arguments: []byte(c.arguments)})
		ended := spans.Ended()
		span := ended[len(ended)-1]
		if got := valueOf(span, "toolscope.cost"); got != c.cost || valueOf(span, "toolscope.outcome") != c.outcome {
			t.Errorf("%s(%s): got the cost %q of a call that was %s, want %q of one that was %s",
				c.name, c.arguments, got, valueOf(span, "toolscope.outcome"), c.cost, c.outcome)
		}
	}
	if got := scope.Stats().Summary(stats.Window{}).Overall.Cost; got != 1.5 {
		t.Errorf("the statistics say %v, want 1.5", got)
	}
}

// TestTheIntentOfACall: it is on the span, redacted and truncated, within the content settings, and no part of
// the call's identity.
func TestTheIntentOfACall(t *testing.T) {
	secret := canary.Secrets(3)[0]
	stored, err := cache.New(cache.Options{})
	call := func(intent string, o toolscope.Options) (got []string) {
		o.Policies = []middleware.Policy{must(t, stored, err)}
		scope, spans := newScope(t, o)
		tool := &toolkit.Definition{Name: "search", ReadOnly: toolkit.Yes, CacheTTL: time.Hour}
		execute := scope.Wrap(func(context.Context, toolkit.Call) (toolkit.Result, error) {
			return toolkit.Result{Output: "ok"}, nil
		}, toolkit.Lookup(func(string) *toolkit.Definition { return tool }))
		ctx := toolkit.WithSession(t.Context(), toolkit.Session{ID: t.Name() + intent})
		_, _ = execute(ctx, toolkit.Call{Name: "search"})
		_, _ = execute(ctx, toolkit.Call{Name: "search", Intent: intent})
		span := spans.Ended()[1]
		if outcome := valueOf(span, "toolscope.outcome"); outcome != "cache_hit" {
			t.Errorf("the outcome is %s, want cache_hit: the intent is no part of the identity", outcome)
		}
		return []string{valueOf(span, "toolscope.intent"), valueOf(spans.Ended()[0], "toolscope.intent")}
	}
	if got := call("to find the invoice", toolscope.Options{}); got[0] != "to find the invoice" || got[1] != "" {
		t.Errorf("got %q, want the intent of the second call only", got)
	}
	if got := call("as "+secret.Text, toolscope.Options{})[0]; !strings.HasPrefix(got, "as ") ||
		canary.Find(got, []canary.Secret{secret}) != nil {
		t.Errorf("got %q, want it without %v", got, secret)
	}
	if got := call(strings.Repeat("because ", 1000), toolscope.Options{})[0]; len(got) > 1024 || len(got) < 900 {
		t.Errorf("got %d bytes, want about 1024", len(got))
	}
	if got := call("hidden", toolscope.Options{Content: tracing.ContentOff})[0]; got != "" {
		t.Errorf("content off: got %q, want none", got)
	}
}
