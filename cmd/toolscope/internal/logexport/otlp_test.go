// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package logexport

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// receiver takes what is sent, as an OTLP client.
type receiver struct {
	batches [][]*tracepb.ResourceSpans
	err     error
	stopped bool
}

func (r *receiver) Start(context.Context) error { return nil }
func (r *receiver) Stop(context.Context) error  { r.stopped = true; return nil }

func (r *receiver) UploadTraces(_ context.Context, spans []*tracepb.ResourceSpans) error {
	if r.err == nil {
		r.batches = append(r.batches, spans)
	}
	return r.err
}

func (r *receiver) spans() (all []*tracepb.Span) {
	for _, b := range r.batches {
		all = append(all, b[0].ScopeSpans[0].Spans...)
	}
	return all
}

func TestOTLP(t *testing.T) {
	r := &receiver{}
	e := exported(t, newOTLP(t.Context(), r, OTLP{Service: "agent", Version: "v1"}), Filter{}, nil)
	if e.Exported != 6 || e.Untimed != 1 || !r.stopped {
		t.Errorf("got %d calls, %d without a time, stopped %v", e.Exported, e.Untimed, r.stopped)
	}
	var b strings.Builder
	for _, batch := range r.batches {
		text, err := protojson.Marshal(batch[0])
		if err != nil {
			t.Fatal(err)
		}
		var sorted any // protojson varies its blanks
		if err := json.Unmarshal(text, &sorted); err != nil {
			t.Fatal(err)
		}
		text, err = json.MarshalIndent(sorted, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		b.Write(append(text, '\n'))
	}
	compare(t, "calls.otlp.json", b.String())
}

// A second export has the same spans as the first, whatever the batches.
func TestASecondExportIsTheSame(t *testing.T) {
	first, second := &receiver{}, &receiver{}
	exported(t, newOTLP(t.Context(), first, OTLP{}), Filter{}, nil)
	exported(t, newOTLP(t.Context(), second, OTLP{}), Filter{}, nil)
	for i, s := range first.spans() {
		if !proto.Equal(s, second.spans()[i]) {
			t.Errorf("span %d differs:\n%v\n%v", i, s, second.spans()[i])
		}
	}
	filtered := &receiver{}
	exported(t, newOTLP(t.Context(), filtered, OTLP{}), Filter{ErrorsOnly: true}, nil)
	if got := filtered.spans()[0]; !bytes.Equal(got.SpanId, first.spans()[3].SpanId) {
		t.Error("a filter changed the id of a span")
	}
}

func TestIDsOfSpans(t *testing.T) {
	r := &receiver{}
	sink := newOTLP(t.Context(), r, OTLP{})
	e := &Export{Sink: sink}
	const duplicates = 5
	for range duplicates { // calls of which nothing differs
		if err := e.AddLine([]byte(`{"time":1700000000,"tool":"t","duration_us":10,"session":"s"}`)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 2000 { // of no session: a trace each
		if err := e.AddLine(fmt.Appendf(nil, `{"time":%d,"tool":"t","duration_us":10}`, 1700000000+i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	spans, traces := make(map[string]bool), make(map[string]bool)
	for _, s := range r.spans() {
		if len(s.TraceId) != 16 || len(s.SpanId) != 8 {
			t.Fatalf("got ids of %d and %d bytes", len(s.TraceId), len(s.SpanId))
		}
		spans[hex.EncodeToString(s.SpanId)], traces[hex.EncodeToString(s.TraceId)] = true, true
	}
	if len(spans) != duplicates+2000 || len(traces) != 1+2000 {
		t.Errorf("got %d spans in %d traces, want %d in %d", len(spans), len(traces), duplicates+2000, 1+2000)
	}
	if len(r.batches) != 4 {
		t.Errorf("got %d batches, want 4 of at most %d spans", len(r.batches), maxBatchSpans)
	}
}

// A call that ended in the first hour of 1970 did not begin in the far future.
func TestTimesBeforeAllTimes(t *testing.T) {
	r := &receiver{}
	e := &Export{Sink: newOTLP(t.Context(), r, OTLP{})}
	if err := errors.Join(e.AddLine([]byte(`{"time":0.5,"tool":"t","duration_us":1000000}`)), e.Close()); err != nil {
		t.Fatal(err)
	}
	if s := r.spans()[0]; s.StartTimeUnixNano != 0 || s.EndTimeUnixNano != 5e8 {
		t.Errorf("got %d to %d, want 0 to 500000000", s.StartTimeUnixNano, s.EndTimeUnixNano)
	}
}

// What is remembered to tell duplicates apart does not grow with the log.
func TestIdentitiesAreBounded(t *testing.T) {
	ids := newIdentities()
	for i := range 3 * maxIdentities {
		if n := ids.count(digest(fmt.Sprint(i))); n != 0 {
			t.Fatalf("%d was seen before", i)
		}
		if len(ids.young) > maxIdentities || len(ids.old) > maxIdentities {
			t.Fatalf("got %d and %d remembered", len(ids.young), len(ids.old))
		}
	}
	if n := ids.count(digest(fmt.Sprint(3*maxIdentities - 1))); n != 1 {
		t.Errorf("the latest: got %d before, want 1", n)
	}
}

func TestLargeCallsTravelInSmallBatches(t *testing.T) {
	r := &receiver{}
	e := &Export{Sink: newOTLP(t.Context(), r, OTLP{})}
	for i := range 10 {
		if err := e.AddLine(fmt.Appendf(
			nil, `{"time":%d,"tool":"t","duration_us":1,"result":%q}`, 1700000000+i,
			strings.Repeat("a word ", 1<<17),
		)); err != nil {
			t.Fatal(err)
		}
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	for _, b := range r.batches {
		if n := proto.Size(b[0]); n > 4<<20 {
			t.Errorf("got a batch of %d bytes, want less than 4 MiB", n)
		}
	}
}

func TestAReceiverThatRefusesEndsTheExport(t *testing.T) {
	refused := errors.New("unavailable")
	e := &Export{Sink: newOTLP(t.Context(), &receiver{err: refused}, OTLP{})}
	if err := e.AddLine([]byte(calls()[0])); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); !errors.Is(err, refused) || !strings.Contains(err.Error(), "calls 1 to 1") {
		t.Errorf("got %v, want which calls were refused, and why", err)
	}
}
