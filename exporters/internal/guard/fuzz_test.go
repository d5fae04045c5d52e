// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package guard_test

import (
	"context"
	"encoding/binary"
	"errors"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/toolscope/toolscope/exporters/internal/guard"
)

// wire encodes what the real exporter would send, and refuses what a server would.
type wire struct{ spans int }

func (*wire) Start(context.Context) error { return nil }
func (*wire) Stop(context.Context) error  { return nil }
func (w *wire) UploadTraces(_ context.Context, groups []*tracepb.ResourceSpans) error {
	encoded, err := proto.Marshal(&coltracepb.ExportTraceServiceRequest{ResourceSpans: groups})
	if err != nil {
		return err
	}
	var decoded coltracepb.ExportTraceServiceRequest
	if err := proto.Unmarshal(encoded, &decoded); err != nil {
		return err
	}
	if len(encoded) > maxBatch {
		return errors.New("larger than the limit")
	}
	for _, r := range decoded.ResourceSpans {
		for _, s := range r.ScopeSpans {
			w.spans += len(s.Spans)
		}
	}
	return nil
}

// The limits that a fuzzer can reach.
const maxBatch = 16<<10 + 512<<10

// reader makes spans out of bytes.
type reader struct{ data []byte }

func (r *reader) byte() int {
	if len(r.data) == 0 {
		return 0
	}
	b := r.data[0]
	r.data = r.data[1:]
	return int(b)
}

// text is some of the bytes, now and then many times over.
func (r *reader) text() string {
	n := min(r.byte(), len(r.data))
	s := string(r.data[:n])
	r.data = r.data[n:]
	for range r.byte() % 12 {
		if len(s) < 1<<16 {
			s += s
		}
	}
	return s
}

func (r *reader) value(depth int) attribute.Value {
	switch r.byte() % 8 {
	case 0:
		return attribute.IntValue(r.byte())
	case 1:
		return attribute.StringSliceValue([]string{r.text(), r.text(), r.text()})
	case 2:
		return attribute.Int64SliceValue(make([]int64, r.byte()*10))
	case 3:
		return attribute.ByteSliceValue([]byte(r.text()))
	case 4:
		if depth < 40 {
			return attribute.SliceValue(r.value(depth+1), r.value(depth+1))
		}
	case 5:
		if depth < 40 {
			return attribute.MapValue(r.attributes(depth + 1)...)
		}
	}
	return attribute.StringValue(r.text())
}

func (r *reader) attributes(depth int) []attribute.KeyValue {
	var list []attribute.KeyValue
	for range r.byte() % 40 {
		if len(r.data) == 0 {
			break
		}
		list = append(list, attribute.KeyValue{Key: attribute.Key(r.text()), Value: r.value(depth)})
	}
	return list
}

func (r *reader) spans() []tracetest.SpanStub {
	var all []tracetest.SpanStub
	for len(r.data) > 0 && len(all) < 30 {
		s := tracetest.SpanStub{
			Name: r.text(), Status: sdktrace.Status{Code: codes.Error, Description: r.text()}, Attributes: r.attributes(0),
			InstrumentationScope: instrumentation.Scope{Name: r.text(), Version: r.text(), SchemaURL: r.text(),
				Attributes: attribute.NewSet(r.attributes(0)...)},
			Resource: resource.NewWithAttributes(r.text(), r.attributes(0)...),
		}
		for range r.byte() % 20 {
			s.Events = append(s.Events, sdktrace.Event{Name: r.text(), Attributes: r.attributes(0)})
			s.Links = append(s.Links, sdktrace.Link{Attributes: r.attributes(0)})
		}
		all = append(all, s)
	}
	return all
}

// FuzzGuard: whatever spans hold, all of them are taken by the real exporter's encoding
// and a server's decoding, in parts below the limit, and what fits is not mended again.
func FuzzGuard(f *testing.F) {
	f.Add([]byte(nil))
	f.Add([]byte("\x04name\x00\x05\xff\xfe\xfdst\x02\x03\x01key\x00\x01"))
	f.Add(binary.BigEndian.AppendUint64(
		[]byte("\xf0\xff\xff\xff\xff\xff\x0b\x20abcdefgh\x0b\x10\x04\x04\x04\x04\x04\x04\x05\x09"), 0xffeeddccbbaa9988))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 4096 {
			return
		}
		batch := spans((&reader{data}).spans()...)
		limits := guard.Limits{Value: 100, Name: 64, Count: 8, Span: 16 << 10, Batch: maxBatch}
		w := new(wire)
		var sent []sdktrace.ReadOnlySpan
		g := newGuard(t, tee{otlptrace.NewUnstarted(w), tracetest.NewNoopExporter(), &sent}, limits)
		if err := g.ExportSpans(t.Context(), batch); err != nil {
			t.Fatal(err)
		}
		if w.spans != len(batch) {
			t.Fatalf("got %d spans of %d", w.spans, len(batch))
		}
		again := newGuard(t, tracetest.NewNoopExporter(), limits)
		if err := again.ExportSpans(t.Context(), sent); err != nil || again.Stats().Mended != 0 {
			t.Fatalf("what was mended was mended again: %v, %+v", err, again.Stats())
		}
	})
}
