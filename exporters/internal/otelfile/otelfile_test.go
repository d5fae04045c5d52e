// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package otelfile_test

import (
	"context"
	"os"
	"testing"

	"go.opentelemetry.io/contrib/otelconf"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/exporters/internal/otelfile"
)

// OpenTelemetry's package, asked for a whole tracer provider, has the same resource and decides the same.
func TestLikeOtelconf(t *testing.T) {
	os.Unsetenv("OTEL_CONFIG_FILE")
	const head = `
file_format: "1.0"
resource:
  schema_url: https://opentelemetry.io/schemas/1.40.0
  attributes:
    - {name: service.name, value: declared}
    - {name: on, value: true, type: bool}
    - {name: whole, value: 3, type: int}
    - {name: half, value: 0.5, type: double}
    - {name: one, value: 1, type: double}
    - {name: list, value: [a, b], type: string_array}
tracer_provider:
  limits: {attribute_count_limit: 3, attribute_value_length_limit: 5}
  processors: []
`
	for _, sampler := range []string{
		"", "{always_off: }", "{always_on: }", "{trace_id_ratio_based: {ratio: 0}}", "{trace_id_ratio_based: }", "{trace_id_ratio_based: {}}",
		"{parent_based: {}}", "{parent_based: {root: {always_off: }}}",
		"{parent_based: {root: {trace_id_ratio_based: {ratio: 0.5}}, remote_parent_sampled: {always_off: }, " +
			"remote_parent_not_sampled: {always_on: }}}",
		"{parent_based: {local_parent_sampled: {always_off: }, local_parent_not_sampled: {parent_based: {root: {always_on: }}}}}",
	} {
		text := head
		if sampler != "" {
			text += "  sampler: " + sampler + "\n"
		}
		file, err := otelconf.ParseYAML([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		sdk, wantErr := otelconf.NewSDK(otelconf.WithOpenTelemetryConfiguration(*file))
		mine, err := otelfile.Sampler(file.TracerProvider.Sampler)
		if (err == nil) != (wantErr == nil) {
			t.Errorf("%q: got %v, otelconf has %v", sampler, err, wantErr)
		}
		if err != nil {
			continue
		}
		res, err := otelfile.Resource(t.Context(), file.Resource)
		if err != nil {
			t.Fatal(err)
		}
		got := sdktrace.NewTracerProvider(sdktrace.WithResource(res), sdktrace.WithSampler(mine),
			sdktrace.WithRawSpanLimits(otelfile.Limits(file.TracerProvider.Limits)))
		same(t, sampler, got, sdk.TracerProvider())
	}
	if _, err := otelfile.Sampler(&otelconf.Sampler{}); err == nil {
		t.Error("an empty sampler: got no error")
	}
}

// same compares the spans of two providers, below every kind of parent.
func same(t *testing.T, name string, got, want trace.TracerProvider) {
	t.Helper()
	for i := range 64 {
		parent := trace.SpanContextConfig{TraceID: trace.TraceID{1, 15: byte(i)}, SpanID: trace.SpanID{1}}
		parent.TraceID[8] = byte(i << 2) // what ratios compare
		parent.Remote = i%2 == 0
		parent.TraceFlags = trace.TraceFlags(i / 2 % 2)
		ctx := trace.ContextWithSpanContext(context.Background(), trace.NewSpanContext(parent))
		if i%8 > 3 {
			ctx = context.Background()
		}
		_, a := got.Tracer("").Start(ctx, "span")
		_, b := want.Tracer("").Start(ctx, "span")
		if ctx != context.Background() && a.SpanContext().IsSampled() != b.SpanContext().IsSampled() {
			t.Errorf("%q, parent %+v: got %v, otelconf has %v", name, parent, a.SpanContext().IsSampled(), b.SpanContext().IsSampled())
		}
		mine, ok := a.(sdktrace.ReadOnlySpan)
		other, ok2 := b.(sdktrace.ReadOnlySpan)
		if ok && ok2 && !mine.Resource().Equal(other.Resource()) {
			t.Errorf("%q: got the resource %v, otelconf has %v", name, mine.Resource(), other.Resource())
		}
		a.End()
		b.End()
	}
}
