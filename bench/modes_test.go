// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package bench_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/bench"
	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/toolkit"
)

// TestModesAnswer: whatever is around the tool, it runs, and its answer comes back.
func TestModesAnswer(t *testing.T) {
	for _, m := range append(bench.Bare(), bench.Ours()...) {
		ran := 0
		w, err := m.Wrap(func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
			ran++
			return bench.FreshTool(ctx, call)
		})
		if err != nil {
			t.Fatal(m.Name, err)
		}
		for range 20 {
			res, err := w.Handler(w.Context, bench.FreshCall())
			if err != nil || res.Fault != nil || len(res.Output) != len(bench.Output) {
				t.Errorf("%s: got %v, %v and %d bytes", m.Name, err, res.Fault, len(res.Output))
			}
		}
		if ran != 20 {
			t.Errorf("%s: the tool ran %d times, want 20", m.Name, ran)
		}
		w.Close()
	}
}

// TestSameAttributes: the span by hand and ours have eleven attributes each, and ours holds no
// secret unless the redactor is off.
func TestSameAttributes(t *testing.T) {
	off, err := redact.New(redact.Options{Preset: redact.Off})
	if err != nil {
		t.Fatal(err)
	}
	spans := tracetest.NewSpanRecorder()
	tracers := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))
	for _, redactor := range []*redact.Redactor{off, nil} {
		scope, err := toolscope.New(toolscope.Options{Redactor: redactor, TracerProvider: tracers})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := scope.Wrap(bench.Tool, toolkit.Lookup(bench.Lookup))(bench.Context, bench.Call); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := bench.ByHand(tracers, nil, bench.Tool)(bench.Context, bench.Call); err != nil {
		t.Fatal(err)
	}
	ended := spans.Ended()
	ours, redacted, hand := ended[0].Attributes(), ended[1].Attributes(), ended[2].Attributes()
	if len(ours) != 11 || len(hand) != 11 {
		t.Errorf("got %d attributes of toolscope and %d by hand, want 11 each", len(ours), len(hand))
	}
	for _, a := range redacted {
		if strings.Contains(a.Value.String(), "aB3aB3") || strings.Contains(a.Value.String(), "0a1f0a1f") {
			t.Errorf("%s: a secret is in %s", a.Key, a.Value.String())
		}
	}
}

func TestSizes(t *testing.T) {
	for _, n := range bench.ArgumentSizes {
		if got := bench.Arguments(n); len(got) != n || !json.Valid(got) {
			t.Errorf("got %d bytes of arguments, want %d", len(got), n)
		}
	}
	for _, n := range bench.ResultSizes {
		if got := bench.Text(n); len(got) != n {
			t.Errorf("got %d bytes of text, want %d", len(got), n)
		}
		if got := bench.JSONText(n); len(got) > n+64 || !json.Valid([]byte(got)) {
			t.Errorf("got %d bytes of JSON, want about %d", len(got), n)
		}
	}
	a, b := bench.FreshCall(), bench.FreshCall()
	if string(a.Arguments) == string(b.Arguments) || !json.Valid(a.Arguments) || len(a.Arguments) != len(bench.Call.Arguments) {
		t.Errorf("got %s and %s, want valid JSON that differs", a.Arguments, b.Arguments)
	}
}
