// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package spool

import (
	"context"
	"slices"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// maxPayload is how long a record's payload may be, unless it is a single span: gRPC's
// default limit for a message is 4 MiB.
const maxPayload = 3 << 20

// transform is how OpenTelemetry's exporter writes spans in OTLP. It has no function for
// that alone, but hands the result to its client.
func transform(ctx context.Context, spans []sdktrace.ReadOnlySpan) (all []*tracepb.ResourceSpans) {
	ctx = context.WithValue(ctx, transformed{}, &all)
	_ = otlptrace.NewUnstarted(transformer{}).ExportSpans(ctx, spans) // the transformer has no errors
	return all
}

type transformed struct{}

type transformer struct{}

func (transformer) Start(context.Context) error { return nil }
func (transformer) Stop(context.Context) error  { return nil }
func (transformer) UploadTraces(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	*ctx.Value(transformed{}).(*[]*tracepb.ResourceSpans) = spans
	return nil
}

// each calls f with every span, in order.
func each(all []*tracepb.ResourceSpans, f func(*tracepb.Span)) {
	for _, resource := range all {
		for _, scope := range resource.GetScopeSpans() {
			for _, span := range scope.GetSpans() {
				f(span)
			}
		}
	}
}

// count is how many spans there are.
func count(all []*tracepb.ResourceSpans) (n int) {
	each(all, func(*tracepb.Span) { n++ })
	return n
}

// only is all without the spans that keep, called once for each in order, does not keep.
// What is kept is shared, not copied.
func only(all []*tracepb.ResourceSpans, keep func(*tracepb.Span) bool) (kept []*tracepb.ResourceSpans) {
	for _, resource := range all {
		var scopes []*tracepb.ScopeSpans
		for _, scope := range resource.GetScopeSpans() {
			spans := slices.DeleteFunc(slices.Clone(scope.GetSpans()), func(s *tracepb.Span) bool { return !keep(s) })
			if len(spans) > 0 {
				scopes = append(scopes, &tracepb.ScopeSpans{Scope: scope.GetScope(), Spans: spans,
					SchemaUrl: scope.GetSchemaUrl()})
			}
		}
		if len(scopes) > 0 {
			kept = append(kept, &tracepb.ResourceSpans{Resource: resource.GetResource(), ScopeSpans: scopes,
				SchemaUrl: resource.GetSchemaUrl()})
		}
	}
	return kept
}

// failed reports whether a span ended with an error.
func failed(s *tracepb.Span) bool {
	return s.GetStatus().GetCode() == tracepb.Status_STATUS_CODE_ERROR
}

// size is how many bytes spans are in protobuf.
func size(all []*tracepb.ResourceSpans) int {
	return proto.Size(&tracepb.TracesData{ResourceSpans: all})
}

// chunks divides spans, in order, so that no part is longer than the limit unless it is a
// single span.
func chunks(all []*tracepb.ResourceSpans, limit int) [][]*tracepb.ResourceSpans {
	total := size(all)
	if total <= limit {
		return [][]*tracepb.ResourceSpans{all}
	}
	const frame = 8 // tag and length of a span, and what the lengths around it grow by
	var part []int  // of each span
	spans := 0
	each(all, func(s *tracepb.Span) { spans += proto.Size(s) })
	around := total - spans // resources and scopes, which every part may repeat
	parts, length := 0, around
	each(all, func(s *tracepb.Span) {
		n := proto.Size(s) + frame
		if length+n > limit && length > around {
			parts, length = parts+1, around
		}
		length += n
		part = append(part, parts)
	})
	divided := make([][]*tracepb.ResourceSpans, parts+1)
	for p := range divided {
		i := -1
		divided[p] = only(all, func(*tracepb.Span) bool { i++; return part[i] == p })
	}
	return divided
}

// halves divides spans into two parts of as many.
func halves(all []*tracepb.ResourceSpans) (first, second []*tracepb.ResourceSpans) {
	half, i, j := count(all)/2, 0, 0
	first = only(all, func(*tracepb.Span) bool { i++; return i <= half })
	second = only(all, func(*tracepb.Span) bool { j++; return j > half })
	return first, second
}

// A record is spans as they are written: room for a header, then the payload.
type record struct {
	class class
	spans int
	data  []byte
	view  []*tracepb.ResourceSpans // the payload, so that it need not be read again
}

// newRecord writes spans; it fails for text that is no UTF-8.
func newRecord(c class, all []*tracepb.ResourceSpans) (*record, error) {
	message := &tracepb.TracesData{ResourceSpans: all}
	data, err := proto.MarshalOptions{}.MarshalAppend(make([]byte, recordHeader, recordHeader+proto.Size(message)), message)
	if err != nil {
		return nil, err
	}
	return &record{class: c, spans: count(all), data: data, view: all}, nil
}

// records writes spans as one record of those that failed and one of the others.
func records(all []*tracepb.ResourceSpans) (made []*record, invalid, tooLarge int) {
	for c := range classes {
		some := only(all, func(s *tracepb.Span) bool { return failed(s) == (c == failures) })
		if len(some) == 0 {
			continue
		}
		r, err := newRecord(c, some)
		if err != nil {
			n := 0
			some, n = valid(some)
			invalid += n
			if len(some) == 0 {
				continue
			}
			if r, err = newRecord(c, some); err != nil { // a resource or scope, which all share
				invalid += count(some)
				continue
			}
		}
		if len(r.data)-recordHeader > maxRecord {
			tooLarge += r.spans
			continue
		}
		made = append(made, r)
	}
	return made, invalid, tooLarge
}

// valid is all without the spans that protobuf does not take.
func valid(all []*tracepb.ResourceSpans) (some []*tracepb.ResourceSpans, invalid int) {
	some = only(all, func(s *tracepb.Span) bool {
		_, err := proto.Marshal(s)
		if err != nil {
			invalid++
		}
		return err == nil
	})
	return some, invalid
}
