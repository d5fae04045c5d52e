// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"context"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/e2e/jaeger"
	"github.com/toolscope/toolscope/exporters"
)

// jaegerBinary is Jaeger's. Where TOOLSCOPE_E2E is not 1 the test is skipped rather than
// one built.
func jaegerBinary(t *testing.T) string {
	t.Helper()
	if newest := built("jaeger"); newest != "" {
		return newest
	}
	ctx := t.Context()
	binary, ok := jaeger.Built(ctx)
	if !ok {
		if os.Getenv("TOOLSCOPE_E2E") != "1" {
			t.Skip("Jaeger is not built on this machine; TOOLSCOPE_E2E=1 builds it, in two to three minutes")
		}
		var err error
		if binary, err = jaeger.Build(ctx); err != nil {
			t.Fatal(err)
		}
	}
	return binary
}

// startJaeger starts a Jaeger for the test.
func startJaeger(t *testing.T) *jaeger.Server {
	t.Helper()
	server, err := jaeger.Start(t.Context(), jaegerBinary(t), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return server
}

// TestSetupReachesJaeger exports through exporters.Setup over both protocols, metrics
// included, which Jaeger does not take, and reads the spans back.
func TestSetupReachesJaeger(t *testing.T) {
	server := startJaeger(t)
	for _, c := range []struct{ name, protocol, endpoint string }{
		{"gRPC, the default", "", server.OTLP},
		{"HTTP", "http/protobuf", server.OTLPHTTP},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.endpoint)
			t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", c.protocol)
			complaints := collectComplaints(t)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()

			service := "smoke-" + c.name
			providers, err := exporters.Setup(ctx, exporters.Options{ServiceName: service})
			if err != nil {
				t.Fatal(err)
			}
			tracer := providers.TracerProvider.Tracer("smoke")
			counter, err := providers.MeterProvider.Meter("smoke").Int64Counter("smoke.count")
			if err != nil {
				t.Fatal(err)
			}
			outer, root := tracer.Start(ctx, "outer")
			_, child := tracer.Start(outer, "inner", trace.WithSpanKind(trace.SpanKindClient),
				trace.WithAttributes(attribute.String("text", "größer"), attribute.Int("number", 42)))
			counter.Add(outer, 1)
			child.SetStatus(codes.Error, "it failed")
			child.End()
			root.End()
			if err := providers.Shutdown(ctx); err != nil {
				t.Fatal(err)
			}
			if got := complaints(); len(got) > 0 {
				t.Errorf(
					"OpenTelemetry's error handler got %q, want nothing: Jaeger takes no metrics, and that is no error",
					got,
				)
			}

			traces, _, err := server.Spans(ctx, service, 2)
			if err != nil {
				t.Fatal(err)
			}
			if len(traces) != 1 || len(traces[0].Spans) != 2 {
				t.Fatalf("got %d traces, want 1 of 2 spans: %+v", len(traces), traces)
			}
			spans := make(map[string]*jaeger.Span)
			for i := range traces[0].Spans {
				spans[traces[0].Spans[i].OperationName] = &traces[0].Spans[i]
			}
			inner := spans["inner"]
			if inner == nil || spans["outer"] == nil || inner.Parent() != spans["outer"].SpanID {
				t.Fatalf("got spans %+v, want inner below outer", spans)
			}
			for key, want := range map[string]string{
				"text": "größer", "number": "42", "span.kind": "client", "error": "true",
				"otel.status_description": "it failed",
			} {
				if got, _ := inner.Tag(key); got != want {
					t.Errorf("tag %s: got %q, want %q", key, got, want)
				}
			}
			for _, p := range traces[0].Processes {
				if slices.ContainsFunc(p.Tags, func(tag jaeger.Tag) bool {
					return tag.Key == "process.command_args" || tag.Key == "process.command_line"
				}) {
					t.Error("the resource carries the command line, which may hold secrets")
				}
			}
		})
	}
	services, err := server.Services(t.Context())
	if err != nil || !slices.Contains(services, "smoke-HTTP") {
		t.Errorf("services: got %q, %v, want smoke-HTTP among them", services, err)
	}
}

// collectComplaints takes OpenTelemetry's error handler for the test.
func collectComplaints(t *testing.T) func() []string {
	var mu sync.Mutex
	var got []string
	before := otel.GetErrorHandler()
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, err.Error())
	}))
	t.Cleanup(func() { otel.SetErrorHandler(before) })
	return func() []string { mu.Lock(); defer mu.Unlock(); return slices.Clone(got) }
}
