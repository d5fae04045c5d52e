// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tracing_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/codes"

	"github.com/toolscope/toolscope/internal/canary"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tracing"
)

// Each attempt is a child of the call's span, and what policies tell are the
// call's attributes, redacted.
func TestAttemptsAndTags(t *testing.T) {
	h, r := newHarness(t, tracing.Options{}), registry(t)
	secret := canary.Secrets(1)[2].Value
	execute := toolkit.Observe(r.Lookup, h)(func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		for call.Attempt = 1; call.Attempt <= 2; call.Attempt++ {
			_, end := call.Record.BeginAttempt(ctx, call, time.Time{})
			if call.Attempt == 1 {
				end(toolkit.Result{}, &toolkit.Error{Kind: toolkit.ErrTimeout, Message: "with " + secret})
			} else {
				end(toolkit.Result{Output: "ok"}, nil)
			}
		}
		call.Record.Tag("limit.key", "of "+secret)
		return toolkit.Result{Output: "ok"}, nil
	})
	if _, err := execute(t.Context(), toolkit.Call{Name: "echo"}); err != nil {
		t.Fatal(err)
	}
	spans := h.spans.Ended()
	if len(spans) != 3 {
		t.Fatalf("got %d spans, want 3", len(spans))
	}
	first, second, call := spans[0], spans[1], spans[2]
	for i, s := range spans[:2] {
		if s.Name() != "toolscope.attempt" || s.Parent().SpanID() != call.SpanContext().SpanID() {
			t.Errorf("span %d: got %s below %s, want toolscope.attempt below the call's", i, s.Name(), s.Parent().SpanID())
		}
	}
	compare(t, attributes(first.Attributes()),
		map[string]string{"toolscope.attempt": "1", "toolscope.tool.name": "echo", "error.type": "timeout"})
	compare(t, attributes(second.Attributes()), map[string]string{"toolscope.attempt": "2", "toolscope.tool.name": "echo"})
	if first.Status().Code != codes.Error || strings.Contains(first.Status().Description, secret) ||
		second.Status().Code != codes.Unset {
		t.Errorf("got status %v and %v, want an error without the secret, and none", first.Status(), second.Status())
	}
	if got := attributes(call.Attributes())["toolscope.limit.key"]; got == "" || strings.Contains(got, secret) {
		t.Errorf("got the tag %q, want it redacted", got)
	}
}

// TestAnAttemptKeepsTheReasonOfItsFailure: the fault of the result says no more than its kind.
func TestAnAttemptKeepsTheReasonOfItsFailure(t *testing.T) {
	h, r := newHarness(t, tracing.Options{}), registry(t)
	failed := toolkit.Result{Output: "disk full", Fault: toolkit.ErrTool}
	execute := toolkit.Observe(r.Lookup, h)(func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		call.Attempt = 1
		_, end := call.Record.BeginAttempt(ctx, call, time.Time{})
		end(failed, nil)
		call.Record = call.Record.Fork()
		_, end = call.Record.BeginBackground(ctx, call, "renewal")
		end(failed, nil)
		return failed, nil
	})
	if _, err := execute(t.Context(), toolkit.Call{Name: "echo"}); err != nil {
		t.Fatal(err)
	}
	spans := h.spans.Ended()
	if len(spans) != 3 {
		t.Fatalf("got %d spans, want 3", len(spans))
	}
	for _, s := range spans {
		kind := attributes(s.Attributes())["error.type"]
		if s.Status().Description != "disk full" || kind != "tool_error" {
			t.Errorf("%s: got %v of type %s, want the reason", s.Name(), s.Status(), kind)
		}
	}
}
