// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package spool

import (
	"context"
	"reflect"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
)

// full is a span that has everything.
func full(t *testing.T) tracetest.SpanStub {
	t.Helper()
	state, err := trace.ParseTraceState("ot=th:8,vendor=x")
	if err != nil {
		t.Fatal(err)
	}
	id := trace.TraceID{1, 2, 3}
	return tracetest.SpanStub{
		Name: "execute_tool search",
		SpanContext: trace.NewSpanContext(
			trace.SpanContextConfig{TraceID: id, SpanID: trace.SpanID{4}, TraceFlags: trace.FlagsSampled, TraceState: state}),
		Parent: trace.NewSpanContext(
			trace.SpanContextConfig{TraceID: id, SpanID: trace.SpanID{5}, TraceFlags: trace.FlagsSampled, Remote: true}),
		SpanKind:  trace.SpanKindClient,
		StartTime: time.Unix(100, 5), EndTime: time.Unix(101, 6),
		Attributes: []attribute.KeyValue{
			attribute.String("s", "text"), attribute.Bool("b", true), attribute.Int("i", -7), attribute.Float64("f", 0.5),
			attribute.StringSlice("ss", []string{"a", "b"}), attribute.BoolSlice("bs", []bool{true, false}),
			attribute.IntSlice("is", []int{1, 2}), attribute.Float64Slice("fs", []float64{1, 2.5}),
			{Key: "bytes", Value: attribute.ByteSliceValue([]byte{0, 255})},
			{Key: "map", Value: attribute.MapValue(attribute.String("k", "v"), attribute.Int("n", 1))},
			{Key: "mixed", Value: attribute.SliceValue(attribute.StringValue("a"), attribute.IntValue(1))},
			{Key: "empty"},
		},
		Events: []sdktrace.Event{
			{Name: "event", Time: time.Unix(100, 6), Attributes: []attribute.KeyValue{attribute.String("k", "v")},
				DroppedAttributeCount: 1}},
		Links: []sdktrace.Link{{
			SpanContext: trace.NewSpanContext(
				trace.SpanContextConfig{TraceID: trace.TraceID{9}, SpanID: trace.SpanID{8},
					TraceFlags: trace.FlagsSampled, Remote: true}),
			Attributes: []attribute.KeyValue{attribute.String("k", "v")}, DroppedAttributeCount: 2,
		}},
		Status:            sdktrace.Status{Code: codes.Error, Description: "timeout"},
		DroppedAttributes: 3, DroppedEvents: 4, DroppedLinks: 5,
		Resource: resource.NewWithAttributes("https://opentelemetry.io/schemas/1.43.0",
			attribute.String("service.name", "agent")),
		InstrumentationScope: instrumentation.Scope{Name: "scope", Version: "1",
			SchemaURL:  "https://opentelemetry.io/schemas/1.42.0",
			Attributes: attribute.NewSet(attribute.String("k", "v"))},
	}
}

func TestAroundGivesSpansBackAsTheyWere(t *testing.T) {
	want := full(t)
	kept := tracetest.NewInMemoryExporter()
	s, err := New(t.TempDir(), Around(kept), quick(Options{WriteAhead: true}))
	if err != nil {
		t.Fatal(err)
	}
	defer shut(t, s)
	if err := s.ExportSpans(t.Context(), tracetest.SpanStubs{want}.Snapshots()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it arrives", func() bool { return len(kept.GetSpans()) == 1 })
	got := kept.GetSpans()[0]
	//lint:ignore SA1019 a SpanStub fills its older name in as well
	want.InstrumentationLibrary = want.InstrumentationScope
	gotFields, wantFields := reflect.ValueOf(got), reflect.ValueOf(want)
	for i := range gotFields.NumField() {
		name := gotFields.Type().Field(i).Name
		if name == "Resource" {
			if !got.Resource.Equal(want.Resource) || got.Resource.SchemaURL() != want.Resource.SchemaURL() {
				t.Errorf("Resource: got %v, want %v", got.Resource, want.Resource)
			}
			continue
		}
		if g, w := gotFields.Field(i).Interface(), wantFields.Field(i).Interface(); !reflect.DeepEqual(g, w) {
			t.Errorf("%s: got %+v, want %+v", name, g, w)
		}
	}
}

func TestAroundNil(t *testing.T) {
	s, err := New(t.TempDir(), Around(nil), quick(Options{}))
	if err != nil {
		t.Fatal(err)
	}
	export(t, s, "a")
	shut(t, s)
	if got := s.Stats(); got.Delivered != 1 {
		t.Errorf("Stats: got %+v", got)
	}
}

func TestKinds(t *testing.T) {
	for k := trace.SpanKindInternal; k <= trace.SpanKindConsumer; k++ {
		all := transform(context.Background(),
			tracetest.SpanStubs{{SpanKind: k, Status: sdktrace.Status{Code: codes.Ok}}}.Snapshots())
		if got := snapshots(all)[0]; got.SpanKind() != k || got.Status().Code != codes.Ok {
			t.Errorf("got %v %v, want %v", got.SpanKind(), got.Status().Code, k)
		}
	}
}
