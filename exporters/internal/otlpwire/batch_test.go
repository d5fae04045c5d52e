// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package otlpwire_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/toolscope/toolscope/exporters/internal/otlpwire"
)

// client takes what the real exporter would send.
type client struct{ sent []*tracepb.ResourceSpans }

func (*client) Start(context.Context) error { return nil }
func (*client) Stop(context.Context) error  { return nil }
func (c *client) UploadTraces(_ context.Context, all []*tracepb.ResourceSpans) error {
	c.sent = all
	return nil
}

// read is what a collector reads of a request.
func read(t testing.TB, all []*tracepb.ResourceSpans) *coltracepb.ExportTraceServiceRequest {
	t.Helper()
	message := &coltracepb.ExportTraceServiceRequest{ResourceSpans: all}
	wire, err := proto.Marshal(message)
	if err != nil {
		t.Fatal(err)
	}
	if n := proto.Size(message); n != len(wire) {
		t.Fatalf("the request says that it takes %d bytes, and takes %d", n, len(wire))
	}
	request := new(coltracepb.ExportTraceServiceRequest)
	if err := proto.Unmarshal(wire, request); err != nil {
		t.Fatal(err)
	}
	return request
}

// sorted puts resources into an order: the real exporter has none.
func sorted(t testing.TB, request *coltracepb.ExportTraceServiceRequest) *coltracepb.ExportTraceServiceRequest {
	t.Helper()
	slices.SortFunc(request.ResourceSpans, func(a, b *tracepb.ResourceSpans) int {
		return bytes.Compare(a.ScopeSpans[0].Spans[0].SpanId, b.ScopeSpans[0].Spans[0].SpanId)
	})
	return request
}

// TestReadAsTheRealExporters: a collector reads of random batches what it reads of those that
// OpenTelemetry's own exporter sends.
func TestReadAsTheRealExporters(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	c, batch := new(client), new(otlpwire.Batch)
	exporter := otlptrace.NewUnstarted(c)
	for range 150 {
		spans := random(r)
		if err := exporter.ExportSpans(t.Context(), spans); err != nil {
			t.Fatal(err)
		}
		want, got := sorted(t, read(t, c.sent)), sorted(t, read(t, batch.Spans(spans)))
		if !proto.Equal(want, got) {
			t.Fatalf("got  %v\nwant %v", got, want)
		}
	}
	if got := batch.Spans(nil); len(got) != 0 {
		t.Errorf("got %v of no spans", got)
	}
	if got := batch.Spans([]sdktrace.ReadOnlySpan{nil}); len(got) != 0 {
		t.Errorf("got %v of a nil span", got)
	}
}

// TestMemoryIsUsedAgain: a batch is written where the one before was. What is allocated are the
// messages around the spans and copies of lists, which can be had in no other way.
func TestMemoryIsUsedAgain(t *testing.T) {
	batch, spans := new(otlpwire.Batch), calls(512)
	batch.Spans(spans)
	const around, lists = 20, 2
	if got := testing.AllocsPerRun(20, func() { batch.Spans(spans) }); got > around+lists*512 {
		t.Errorf("got %v allocations for %d spans, want at most %d and %d for each", got, len(spans), around, lists)
	}
}

// random are spans of a few resources and scopes, with everything that spans have.
func random(r *rand.Rand) (spans []sdktrace.ReadOnlySpan) {
	resources := []*resource.Resource{nil, resource.Empty(),
		resource.NewWithAttributes("https://example.com/schema", attributes(r, 2)...),
		resource.NewSchemaless(attributes(r, 3)...)}
	scopes := []instrumentation.Scope{{}, {Name: "a"},
		{Name: "b", Version: "1", SchemaURL: "https://example.com/schema", Attributes: attribute.NewSet(attributes(r, 3)...)}}
	for n := range 1 + r.IntN(12) {
		s := tracetest.SpanStub{
			Name: text(r), Status: sdktrace.Status{Code: codes.Code(r.IntN(3)), Description: text(r)},
			Attributes:        attributes(r, 3),
			DroppedAttributes: dropped(r), DroppedEvents: dropped(r), DroppedLinks: dropped(r),
			SpanKind:  trace.SpanKind(r.IntN(7)),
			StartTime: moment(r), EndTime: moment(r),
			InstrumentationScope: scopes[r.IntN(len(scopes))], Resource: resources[r.IntN(len(resources))],
		}
		state, _ := trace.ParseTraceState("ot=th:0,vendor=" + strings.Repeat("x", r.IntN(200)+1))
		if r.IntN(2) == 0 {
			state = trace.TraceState{}
		}
		own := trace.SpanContextConfig{TraceID: trace.TraceID{1, byte(r.Uint32())}, SpanID: trace.SpanID{1, byte(n)},
			TraceFlags: trace.TraceFlags(r.Uint32()), TraceState: state}
		s.SpanContext = trace.NewSpanContext(own)
		if r.IntN(2) == 0 {
			s.Parent = trace.NewSpanContext(
				trace.SpanContextConfig{TraceID: own.TraceID, SpanID: trace.SpanID{byte(r.Uint32())}, Remote: r.IntN(2) == 0})
		}
		for range r.IntN(4) {
			s.Events = append(s.Events,
				sdktrace.Event{Name: text(r), Time: moment(r), Attributes: attributes(r, 2), DroppedAttributeCount: dropped(r)})
			s.Links = append(s.Links,
				sdktrace.Link{SpanContext: s.SpanContext.WithRemote(r.IntN(2) == 0), Attributes: attributes(r, 2),
					DroppedAttributeCount: dropped(r)})
		}
		spans = append(spans, s.Snapshot())
	}
	return spans
}

func moment(r *rand.Rand) time.Time {
	return []time.Time{time.Unix(1234, 5678), time.Unix(0, math.MaxInt64), time.Unix(0, -1), time.Unix(0, 0)}[r.IntN(4)]
}

func dropped(r *rand.Rand) int { return []int{0, 0, 1, 300, -1, math.MaxInt}[r.IntN(6)] }

// text is a text of a length that lengths are written differently for.
func text(r *rand.Rand) string {
	return strings.Repeat("é", []int{0, 1, 59, 60, 61, 62, 63, 64, 70, 8188, 8190, 8192, 9000}[r.IntN(13)]*r.IntN(2))
}

// attributes are some of any type.
func attributes(r *rand.Rand, depth int) []attribute.KeyValue {
	var list []attribute.KeyValue
	for range r.IntN(6) {
		list = append(list, attribute.KeyValue{Key: attribute.Key(text(r) + fmt.Sprint(r.IntN(100))), Value: value(r, depth)})
	}
	if r.IntN(8) == 0 {
		list = append(list, attribute.KeyValue{Value: value(r, depth)})
	}
	return list
}

func value(r *rand.Rand, depth int) attribute.Value {
	n := r.IntN(20)
	switch k := r.IntN(14); {
	case k == 0:
		return attribute.BoolValue(n < 10)
	case k == 1:
		return attribute.Int64Value([]int64{0, 1, -1, math.MinInt64, math.MaxInt64}[n%5])
	case k == 2:
		return attribute.Float64Value([]float64{0, 1.5, math.Inf(-1), math.Copysign(0, -1)}[n%4])
	case k == 3:
		return attribute.StringSliceValue([]string{text(r), "", text(r)}[:n%4])
	case k == 4:
		return attribute.Int64SliceValue([]int64{math.MinInt64, 0, -1}[:n%4])
	case k == 5:
		return attribute.Float64SliceValue(make([]float64, n))
	case k == 6:
		return attribute.BoolSliceValue([]bool{true, false, true}[:n%4])
	case k == 7:
		return attribute.ByteSliceValue([]byte(text(r)))
	case k == 8:
		return attribute.Value{}
	case k == 9 && depth > 0:
		return attribute.SliceValue(value(r, depth-1), value(r, depth-1))
	case k == 10 && depth > 0:
		return attribute.MapValue(attributes(r, depth-1)...)
	}
	return attribute.StringValue(text(r))
}
