// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scrub_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/toolscope/toolscope/exporters/scrub"
	"github.com/toolscope/toolscope/internal/memo"
	"github.com/toolscope/toolscope/redact"
)

// texts is all that is sent of a span.
func texts(s sdktrace.ReadOnlySpan) string {
	all := s.Name() + "\n" + s.Status().Description
	list := func(attributes []attribute.KeyValue) {
		for _, kv := range attributes {
			all += fmt.Sprintf("\n%s=%s", kv.Key, kv.Value.String())
			if kv.Value.Type() == attribute.BYTESLICE {
				all += string(kv.Value.AsByteSlice())
			}
		}
	}
	list(s.Attributes())
	for _, e := range s.Events() {
		all += "\n" + e.Name
		list(e.Attributes)
	}
	for _, l := range s.Links() {
		list(l.Attributes)
	}
	return all
}

func spanOf(scope string, kv ...attribute.KeyValue) tracetest.SpanStub {
	return tracetest.SpanStub{Name: "work", Attributes: kv, InstrumentationScope: instrumentation.Scope{Name: scope}}
}

// TestPlants plants a secret in each attribute, of the span, an event and a link.
func TestPlants(t *testing.T) {
	e := scrub.New(nil, nil)
	secret := secret()
	for _, p := range plants(secret) {
		where := p.scope + " " + string(p.Key) + " " + p.Value.Type().String()
		for _, stub := range []tracetest.SpanStub{
			spanOf(p.scope, p.KeyValue),
			{Events: []sdktrace.Event{{Name: "e"}, {Name: "e", Attributes: []attribute.KeyValue{p.KeyValue}}}},
			{Links: []sdktrace.Link{{}, {Attributes: []attribute.KeyValue{p.KeyValue}}}},
		} {
			stub.InstrumentationScope.Name = p.scope
			s := stub.Snapshot()
			before := texts(s)
			clean := e.Span(s)
			if got := texts(clean); strings.Contains(got, secret) || !strings.Contains(got, "[REDACTED") {
				t.Errorf("%s: sent %s", where, got)
			}
			if texts(s) != before {
				t.Errorf("%s: the span was written to", where)
			}
			if again := e.Span(clean); texts(again) != texts(clean) {
				t.Errorf("%s: redacting twice made %s of %s", where, texts(again), texts(clean))
			}
		}
	}
}

// TestOtherTexts plants a secret where a span has texts besides attributes.
func TestOtherTexts(t *testing.T) {
	e := scrub.New(nil, nil)
	secret := secret()
	for name, stub := range map[string]tracetest.SpanStub{
		"name":       {Name: "GET /login?password=" + secret},
		"status":     {Status: sdktrace.Status{Code: codes.Error, Description: "login: password=" + secret}},
		"event name": {Events: []sdktrace.Event{{Name: "password=" + secret}}},
		"exception": {Events: []sdktrace.Event{{Name: "exception", Attributes: []attribute.KeyValue{
			attribute.String("exception.message", `Post "https://kim:`+secret+`@example.com": EOF`),
			attribute.String("exception.stacktrace", "main.login(password="+secret+")\n"),
		}}}},
	} {
		s := e.Span(stub.Snapshot())
		if got := texts(s); strings.Contains(got, secret) {
			t.Errorf("%s: sent %s", name, got)
		}
		if s.Status().Code != stub.Status.Code {
			t.Errorf("%s: got status %v", name, s.Status())
		}
	}
	if got := e.Stats(); got.Spans != 4 || got.Values != 5 {
		t.Errorf("got %+v, want 4 spans and 5 values", got)
	}
}

// sharing returns two keys that share a slot in tables of internal/memo with up to 65,536 slots. Which keys do
// differs between processes, since the hash has a random seed.
var sharing = sync.OnceValues(func() (one, other attribute.Key) {
	slots := make(map[uint64]attribute.Key)
	for i := 0; ; i++ {
		key := attribute.Key(fmt.Sprintf("orders.%d", i))
		slot := memo.String(string(key)) >> 48
		if found, ok := slots[slot]; ok {
			return found, key
		}
		slots[slot] = key
	}
})

// harmless is a span of a library without anything to remove.
func harmless() tracetest.SpanStub {
	one, other := sharing()
	return tracetest.SpanStub{Name: "HTTP GET", InstrumentationScope: instrumentation.Scope{Name: "otelhttp"},
		Attributes: []attribute.KeyValue{
			attribute.String("http.request.method", "GET"), attribute.String("url.full", "https://example.com/orders/17?page=2"),
			attribute.String("server.address", "example.com"), attribute.Int("server.port", 443),
			attribute.Int("http.response.status_code", 200), attribute.String("network.protocol.version", "1.1"),
			attribute.String("user_agent.original", "Go-http-client/1.1"),
			attribute.Int("gen_ai.usage.input_tokens", 1234), attribute.Int("llm.token_count.prompt", 99),
			attribute.Int("gen_ai.request.max_tokens", 1024), attribute.String("gen_ai.tool.call.id", "call_1"),
			attribute.String("k8s.pod.uid", "275ecb36-5aa8-4c2a-9c47-d8bb681b9aff"), attribute.Bool("password.changed", true),
			attribute.String("genkit:input", `{"city":"Rome"}`), attribute.String("gen_ai.request.model", "m-1"),
			one.String("17"), other.String("18"),
		},
		Events: []sdktrace.Event{{Name: "retry", Attributes: []attribute.KeyValue{attribute.Int("n", 2)}}},
		Links:  []sdktrace.Link{{Attributes: []attribute.KeyValue{attribute.String("why", "batch")}}},
	}
}

// ours is a span as package tracing makes them: its content was redacted when it was made.
func ours() tracetest.SpanStub {
	return tracetest.SpanStub{Name: "execute_tool search",
		InstrumentationScope: instrumentation.Scope{Name: "github.com/toolscope/toolscope/tracing"},
		Attributes: []attribute.KeyValue{
			attribute.String("gen_ai.operation.name", "execute_tool"), attribute.String("gen_ai.tool.name", "search"),
			attribute.String("gen_ai.tool.call.arguments", `{"q":"`+strings.Repeat("word ", 60)+`"}`),
			attribute.String("gen_ai.tool.call.result", strings.Repeat("1 hit ", 100)),
			attribute.Int("toolscope.arguments.bytes", 300), attribute.String("toolscope.outcome", "executed"),
		}}
}

// TestHarmlessSpansPass are passed on as they are, without an allocation.
func TestHarmlessSpansPass(t *testing.T) {
	e := scrub.New(tracetest.NewNoopExporter(), nil)
	for name, stub := range map[string]tracetest.SpanStub{"another library": harmless(), "toolscope": ours()} {
		s := stub.Snapshot()
		if got := e.Span(s); !reflect.DeepEqual(got, s) {
			t.Errorf("%s: sent\n%s\nwant\n%s", name, texts(got), texts(s))
		}
		batch := []sdktrace.ReadOnlySpan{s, s}
		if !raceEnabled {
			if n := testing.AllocsPerRun(200, func() { _ = e.ExportSpans(context.Background(), batch) }); n != 0 {
				t.Errorf("%s: got %v allocations, want none", name, n)
			}
		}
	}
	if got := e.Stats(); got != (scrub.Stats{}) {
		t.Errorf("got %+v, want nothing counted", got)
	}
}

// TestOwnSpans keep what they have, but for what something else has added.
func TestOwnSpans(t *testing.T) {
	secret := secret()
	e := scrub.New(nil, nil)
	stub := ours()
	stub.Attributes = append(stub.Attributes, attribute.String("config", "password="+secret))
	stub.Events = []sdktrace.Event{{Name: "exception",
		Attributes: []attribute.KeyValue{attribute.String("exception.message", "password="+secret)}}}
	s := e.Span(stub.Snapshot())
	if got := texts(s); strings.Contains(got, secret) {
		t.Errorf("sent %s", got)
	}
	if got, want := s.Attributes()[2], stub.Attributes[2]; got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestRedactorDecides shows that the options of the redactor hold.
func TestRedactorDecides(t *testing.T) {
	off, err := redact.New(redact.Options{Preset: redact.Off})
	if err != nil {
		t.Fatal(err)
	}
	e, s := scrub.New(nil, off), secret()
	for _, p := range plants(s) {
		if got := texts(e.Span(spanOf(p.scope, p.KeyValue).Snapshot())); !strings.Contains(got, s) &&
			p.Value.Type() != attribute.BYTESLICE {
			t.Errorf("%s: sent %s, want it as it was", p.Key, got)
		}
	}
	known, err := redact.New(redact.Options{Known: []string{"Bluebird-Harbour"}})
	if err != nil {
		t.Fatal(err)
	}
	got := texts(scrub.New(nil, known).Span(spanOf("x", attribute.String("note", "see Bluebird-Harbour")).Snapshot()))
	if strings.Contains(got, "Bluebird") {
		t.Errorf("sent %s", got)
	}
}

// TestBounds shows what becomes of values and spans that are too large, and of values too deep.
func TestBounds(t *testing.T) {
	secret := secret()
	e := scrub.New(nil, nil)
	long := strings.Repeat("word ", 100<<10) + "password=" + secret
	s := e.Span(spanOf("x", attribute.String("a", long), attribute.String("password", long),
		attribute.String("genkit:input", long)).Snapshot())
	for _, kv := range s.Attributes() {
		if got := kv.Value.AsString(); len(got) > 64<<10 || strings.Contains(got, secret) {
			t.Errorf("%s: sent %d bytes", kv.Key, len(got))
		}
	}
	var many []attribute.KeyValue
	for i := range 40 {
		many = append(many, attribute.String(fmt.Sprint("k", i), strings.Repeat("word ", 12<<10)))
	}
	s = e.Span(spanOf("x", append(many, attribute.String("last", "password="+secret))...).Snapshot())
	if got := s.Attributes()[40].Value.AsString(); got != "[REDACTED:unscanned]" {
		t.Errorf("sent %q", got)
	}
	deep := attribute.StringValue("password=" + secret)
	for range 40 {
		deep = attribute.SliceValue(deep)
	}
	if got := texts(e.Span(spanOf("x", attribute.KeyValue{Key: "deep", Value: deep}).Snapshot())); strings.Contains(got, secret) {
		t.Errorf("sent %s", got)
	}
}

// broken is a span whose events cannot be read.
type broken struct{ sdktrace.ReadOnlySpan }

func (broken) Events() []sdktrace.Event { panic("broken") }

// TestPanicsLoseTheTexts sends a span without its texts rather than as it was.
func TestPanicsLoseTheTexts(t *testing.T) {
	secret := secret()
	e := scrub.New(nil, nil)
	s := e.Span(broken{spanOf("x", attribute.String("note", secret)).Snapshot()})
	if got := texts(s); strings.Contains(got, secret) || s.Name() != "[REDACTED:unscanned]" {
		t.Errorf("sent %s", got)
	}
}

// TestConcurrentUse is for the race detector.
func TestConcurrentUse(t *testing.T) {
	to := tracetest.NewInMemoryExporter()
	e, secret := scrub.New(to, nil), secret()
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for _, p := range plants(secret) {
				_ = e.ExportSpans(context.Background(), tracetest.SpanStubs{harmless(), spanOf(p.scope, p.KeyValue)}.Snapshots())
			}
		})
	}
	wait.Wait()
	for _, s := range to.GetSpans().Snapshots() {
		if strings.Contains(texts(s), secret) {
			t.Fatalf("sent %s", texts(s))
		}
	}
}

// BenchmarkExport is a batch of 200 spans: toolscope's, those of a library without anything to
// remove, and those of a framework that carry a password.
func BenchmarkExport(b *testing.B) {
	foreign := spanOf("genkit-tracer", attribute.String("genkit:input", `{"user":"kim","password":"`+secret()+`"}`))
	for _, c := range []struct {
		name string
		stub tracetest.SpanStub
	}{{"ours", ours()}, {"harmless", harmless()}, {"redacted", foreign}} {
		b.Run(c.name, func(b *testing.B) {
			batch := make([]sdktrace.ReadOnlySpan, 200)
			for i := range batch {
				batch[i] = c.stub.Snapshot()
			}
			e := scrub.New(tracetest.NewNoopExporter(), nil)
			b.ReportAllocs()
			for b.Loop() {
				if err := e.ExportSpans(context.Background(), batch); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/200, "ns/span")
		})
	}
}
