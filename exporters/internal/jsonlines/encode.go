// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package jsonlines

import (
	"encoding/base64"
	"encoding/hex"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// lineSpans is how many bytes of spans, in OTLP's binary form, make a line: readers of lines,
// such as a collector's, have a limit of about a megabyte. A larger span has a line of
// its own.
const lineSpans = 256 << 10

// batch is what a call of ExportSpans becomes.
type batch struct {
	text   []byte // whole lines
	spans  int    // in text
	failed int    // spans that are no valid OTLP
	err    error  // why the last of those
}

// encode makes lines of spans: a line has spans of one resource and scope. It changes
// the ids of what it is given.
func encode(resources []*tracepb.ResourceSpans) *batch {
	b := new(batch)
	for _, r := range resources {
		for _, s := range r.ScopeSpans {
			first, size := 0, 0
			for i, span := range s.Spans {
				hexIDs(span)
				n := proto.Size(span)
				if i > first && size+n > lineSpans {
					b.line(r, s, s.Spans[first:i])
					first, size = i, 0
				}
				size += n
			}
			if len(s.Spans) > first {
				b.line(r, s, s.Spans[first:])
			}
		}
	}
	return b
}

// line adds a line. Spans that cannot be encoded together are encoded one by one, so
// that a single text that is not valid UTF-8 costs one span.
func (b *batch) line(r *tracepb.ResourceSpans, s *tracepb.ScopeSpans, spans []*tracepb.Span) {
	data := &tracepb.TracesData{ResourceSpans: []*tracepb.ResourceSpans{{
		Resource: r.Resource, SchemaUrl: r.SchemaUrl,
		ScopeSpans: []*tracepb.ScopeSpans{{Scope: s.Scope, SchemaUrl: s.SchemaUrl, Spans: spans}},
	}}}
	text, err := protojson.MarshalOptions{UseEnumNumbers: true}.MarshalAppend(b.text, data)
	switch {
	case err == nil:
		b.text = append(text, '\n')
		b.spans += len(spans)
	case len(spans) > 1:
		for i := range spans {
			b.line(r, s, spans[i:i+1])
		}
	default:
		b.failed++
		b.err = err
	}
}

// hexIDs makes the ids of a span such that they come out in hexadecimal, as OTLP's JSON
// has them and protobuf's does not: the 32 and 16 digits are valid Base64, so what
// they decode to is what is encoded as them.
func hexIDs(span *tracepb.Span) {
	span.TraceId, span.SpanId, span.ParentSpanId = hexID(span.TraceId), hexID(span.SpanId), hexID(span.ParentSpanId)
	for _, l := range span.Links {
		l.TraceId, l.SpanId = hexID(l.TraceId), hexID(l.SpanId)
	}
}

func hexID(id []byte) []byte {
	digits := hex.AppendEncode(nil, id)
	out, err := base64.StdEncoding.AppendDecode(nil, digits)
	if err != nil { // a length that no id has
		return nil
	}
	return out
}
