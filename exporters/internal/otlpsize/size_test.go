// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package otlpsize_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
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
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/toolscope/toolscope/exporters/internal/otlpsize"
)

// client takes what the real exporter would send.
type client struct{ size int }

func (*client) Start(context.Context) error { return nil }
func (*client) Stop(context.Context) error  { return nil }
func (c *client) UploadTraces(_ context.Context, r []*tracepb.ResourceSpans) error {
	c.size = 0
	for _, x := range r {
		n := proto.Size(x)
		c.size += 1 + len(fmt.Sprintf("%b", n))/7 + 1 + n
	}
	return nil
}

// TestNeverTooSmall compares with what the real exporter makes of random spans.
func TestNeverTooSmall(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	c := new(client)
	exporter := otlptrace.NewUnstarted(c)
	for range 2000 {
		s := tracetest.SpanStub{
			Name: text(r), Status: sdktrace.Status{Code: codes.Code(r.IntN(3)), Description: text(r)},
			Attributes:        attributes(r, 3),
			DroppedAttributes: int(r.Uint32()), DroppedEvents: int(r.Uint32()), DroppedLinks: int(r.Uint32()),
			SpanKind:  trace.SpanKind(r.IntN(6)),
			StartTime: time.Unix(0, math.MaxInt64), EndTime: time.Unix(0, math.MaxInt64),
			InstrumentationScope: instrumentation.Scope{Name: text(r), Version: text(r), SchemaURL: text(r),
				Attributes: attribute.NewSet(attributes(r, 3)...)},
			Resource: resource.NewWithAttributes(text(r), attributes(r, 3)...),
		}
		state, _ := trace.ParseTraceState("ot=th:0,vendor=" + strings.Repeat("x", r.IntN(200)+1))
		s.SpanContext = trace.NewSpanContext(
			trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{1}, TraceFlags: 3,
				TraceState: state, Remote: true})
		s.Parent = s.SpanContext
		for range r.IntN(4) {
			s.Events = append(s.Events,
				sdktrace.Event{Name: text(r), Time: s.EndTime, Attributes: attributes(r, 2),
					DroppedAttributeCount: int(r.Uint32())})
			s.Links = append(s.Links,
				sdktrace.Link{SpanContext: s.SpanContext, Attributes: attributes(r, 2), DroppedAttributeCount: int(r.Uint32())})
		}
		snapshot := s.Snapshot()
		if err := exporter.ExportSpans(t.Context(), []sdktrace.ReadOnlySpan{snapshot}); err != nil {
			t.Fatal(err)
		}
		got := otlpsize.Span(snapshot) + otlpsize.Scope(snapshot.InstrumentationScope()) + otlpsize.Resource(s.Resource)
		if got < c.size || got > c.size+c.size/5+300 {
			t.Fatalf("got %d bytes, it takes %d: %+v", got, c.size, s)
		}
	}
	if n := otlpsize.Resource(nil); n > 10 {
		t.Errorf("a nil resource: got %d bytes", n)
	}
}

// text is a text of a length that lengths are written differently for.
func text(r *rand.Rand) string {
	return strings.Repeat("é", []int{0, 1, 60, 64, 70, 9000}[r.IntN(6)]*r.IntN(2))
}

// attributes are some of any type.
func attributes(r *rand.Rand, depth int) []attribute.KeyValue {
	var list []attribute.KeyValue
	for range r.IntN(6) {
		list = append(list, attribute.KeyValue{Key: attribute.Key(text(r) + fmt.Sprint(r.IntN(100))), Value: value(r, depth)})
	}
	return list
}

func value(r *rand.Rand, depth int) attribute.Value {
	n := r.IntN(20)
	switch k := r.IntN(11); {
	case k == 0:
		return attribute.BoolValue(n == 0)
	case k == 1:
		return attribute.Int64Value(-int64(n))
	case k == 2:
		return attribute.Float64Value(1.5)
	case k == 3:
		return attribute.StringSliceValue([]string{text(r), text(r)})
	case k == 4:
		return attribute.Int64SliceValue([]int64{math.MinInt64, 1, -1}[:n%4])
	case k == 5:
		return attribute.Float64SliceValue(make([]float64, n))
	case k == 6:
		return attribute.BoolSliceValue(make([]bool, n))
	case k == 7:
		return attribute.ByteSliceValue([]byte(text(r)))
	case k == 8 && depth > 0:
		return attribute.SliceValue(value(r, depth-1), value(r, depth-1))
	case k == 9 && depth > 0:
		return attribute.MapValue(attributes(r, depth-1)...)
	}
	return attribute.StringValue(text(r))
}
