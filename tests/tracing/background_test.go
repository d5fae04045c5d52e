// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tracing_test

import (
	"context"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/codes"

	"github.com/toolscope/toolscope/internal/canary"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

// A run in the background is the root of a trace of its own, linked to the call that caused it, and what
// it tells is redacted.
func TestARunInTheBackgroundIsLinkedToItsCall(t *testing.T) {
	h, r := newHarness(t, tracing.Options{}), registry(t)
	secret := canary.Secrets(1)[2].Value
	var end func(toolkit.Result, error)
	execute := toolkit.Observe(r.Lookup, h)(func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		call.Record = call.Record.Fork()
		_, end = call.Record.BeginBackground(ctx, call, "renewal")
		call.Record.Tag("limit.key", "of "+secret)
		return toolkit.Result{Output: "stale"}, nil
	})
	ctx := toolkit.WithSession(t.Context(), toolkit.Session{ID: "s", Tenant: "t"})
	if _, err := execute(ctx, toolkit.Call{Name: "echo"}); err != nil {
		t.Fatal(err)
	}
	end(toolkit.Result{}, &toolkit.Error{Kind: toolkit.ErrTimeout, Message: "with " + secret}) // after the call
	spans := h.spans.Ended()
	if len(spans) != 2 {
		t.Fatalf("got %d spans, want 2", len(spans))
	}
	call, run := spans[0], spans[1]
	if run.Name() != "toolscope.renewal" || run.Parent().IsValid() || run.SpanContext().TraceID() == call.SpanContext().TraceID() {
		t.Errorf("got %s below %v, want toolscope.renewal as a root", run.Name(), run.Parent())
	}
	if links := run.Links(); len(links) != 1 || links[0].SpanContext.SpanID() != call.SpanContext().SpanID() ||
		links[0].SpanContext.TraceID() != call.SpanContext().TraceID() {
		t.Errorf("got the links %v, want one to the call", links)
	}
	got := attributes(run.Attributes())
	if tag := got["toolscope.limit.key"]; tag == "" || strings.Contains(tag, secret) {
		t.Errorf("got the tag %q, want it redacted", tag)
	}
	delete(got, "toolscope.limit.key")
	compare(t, got, map[string]string{
		"toolscope.tool.name": "echo", "session.id": "s", "toolscope.tenant": "t", "toolscope.outcome": "executed",
		"error.type": "timeout",
	})
	if run.Status().Code != codes.Error || strings.Contains(run.Status().Description, secret) {
		t.Errorf("got status %v, want an error without the secret", run.Status())
	}
}
