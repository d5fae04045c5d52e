// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	grpccodes "google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/toolscope/toolscope/exporters"
	"github.com/toolscope/toolscope/exporters/internal/tailsample"
	"github.com/toolscope/toolscope/stats"
)

// valuesOf are the values of the metrics whose names begin with prefix, each as
// "name{error.type}" of all components together; of a histogram its count.
func valuesOf(t *testing.T, reader *sdkmetric.ManualReader, prefix string) map[string]int64 {
	t.Helper()
	var metrics metricdata.ResourceMetrics
	if err := reader.Collect(context.Background(), &metrics); err != nil {
		t.Fatal(err)
	}
	out := make(map[string]int64)
	add := func(name string, set attribute.Set, n int64) {
		for _, key := range []attribute.Key{"error.type", "toolscope.self.decision"} {
			if v, ok := set.Value(key); ok {
				name += "{" + v.AsString() + "}"
			}
		}
		out[name] += n
	}
	for _, scope := range metrics.ScopeMetrics {
		for _, m := range scope.Metrics {
			if !strings.HasPrefix(m.Name, prefix) {
				continue
			}
			switch d := m.Data.(type) {
			case metricdata.Sum[int64]:
				for _, p := range d.DataPoints {
					add(m.Name, p.Attributes, p.Value)
				}
			case metricdata.Histogram[float64]:
				for _, p := range d.DataPoints {
					add(m.Name, p.Attributes, int64(p.Count))
				}
			}
		}
	}
	return out
}

func TestTailSampling(t *testing.T) {
	var b backend
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", b.grpc(t))
	all := tracetest.NewSpanRecorder()
	reader := sdkmetric.NewManualReader()
	p := setup(t, exporters.Options{
		TailSampling:   &exporters.TailSampling{Ratio: -1},
		SpanProcessors: []sdktrace.SpanProcessor{all},
		MetricReaders:  []sdkmetric.Reader{reader},
	})
	p.SetSlow(func(string) time.Duration { return time.Hour })
	record(p, "fine")
	tracer := p.TracerProvider.Tracer("test")
	ctx, turn := tracer.Start(context.Background(), "turn")
	_, call := tracer.Start(ctx, "call")
	call.SetStatus(codes.Error, "disk full")
	call.End()
	_, running := tracer.Start(ctx, "held until the shutdown")
	turn.End()
	record(p, "also-fine")
	_, held := tracer.Start(context.Background(), "begun")
	held.SetAttributes(exporters.KeepKey.Bool(true))
	held.End()
	running.End()
	if err := p.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := b.received(); got != "call turn begun held until the shutdown" {
		t.Errorf("got %q, want what matters", got)
	}
	if n := len(all.Ended()); n != 8 {
		t.Errorf("the application's processor got %d spans, want all 8", n)
	}
	if n := p.Ring.State().Spans; n != 8 {
		t.Errorf("the ring has %d spans, want all 8", n)
	}
	if got := p.Sampler().Stats(); got.SpansKept != 4 || got.SpansLeftOut != 4 {
		t.Errorf("got %+v", got)
	}
	if _, err := exporters.Setup(t.Context(),
		exporters.Options{TailSampling: &exporters.TailSampling{Ratio: 2}}); err == nil ||
		!strings.Contains(err.Error(), "exporters: Options.TailSampling: tailsample: Options.Ratio: got 2") {
		t.Errorf("got %v, want an error that names the field", err)
	}
	var none *exporters.Providers
	if none.Components() != nil || setup(t, exporters.Options{}).Sampler().Stats() != (tailsample.Stats{}) {
		t.Error("nil providers and a nil sampler: want nothing")
	}
}

// What is held when the providers are shut down is decided on, and sent.
func TestShutdownSendsWhatIsHeld(t *testing.T) {
	var b backend
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", b.grpc(t))
	p := setup(t, exporters.Options{TailSampling: &exporters.TailSampling{Ratio: 1}})
	ctx, root := p.TracerProvider.Tracer("test").Start(context.Background(), "root")
	_, child := p.TracerProvider.Tracer("test").Start(ctx, "child")
	child.End()
	if err := p.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	root.End()
	if got := b.received(); got != "child" {
		t.Errorf("got %q, want the child", got)
	}
}

// The sampler that the environment names stands before the tail sampler.
func TestTailSamplingBehindTheEnvironments(t *testing.T) {
	t.Setenv("OTEL_TRACES_SAMPLER", "always_off")
	p := setup(t, exporters.Options{TailSampling: &exporters.TailSampling{Ratio: 1}})
	if _, s := p.TracerProvider.Tracer("test").Start(t.Context(), "x"); s.IsRecording() {
		t.Error("want the environment's sampler")
	}
}

// One bad byte in a span of the application does not lose the other spans of its batch.
func TestGuarded(t *testing.T) {
	told := complaints(t)
	var b backend
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", b.grpc(t))
	p := setup(t, exporters.Options{})
	for _, name := range []string{"first", "bad\xff", "last"} {
		_, s := p.TracerProvider.Tracer("test").Start(t.Context(), name)
		s.SetAttributes(attribute.String("large", strings.Repeat("x", 5<<20)))
		s.End()
	}
	if err := p.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := b.received(); got != "first bad\uFFFD last" {
		t.Errorf("got %q, want all three", got)
	}
	if got := told(); len(got) > 0 {
		t.Errorf("the error handler got %q", got)
	}
	if _, err := exporters.Setup(t.Context(), exporters.Options{Guard: exporters.Limits{Value: 1}}); err == nil ||
		!strings.Contains(err.Error(), "exporters: Options.Guard: guard: Limits.Value: got 1") {
		t.Errorf("got %v, want an error that names the limit", err)
	}
}

// refusing is a backend that refuses everything with a status.
type refusing struct {
	collector.UnimplementedTraceServiceServer
	code grpccodes.Code
}

func (r refusing) Export(context.Context, *collector.ExportTraceServiceRequest) (*collector.ExportTraceServiceResponse, error) {
	return nil, status.Error(r.code, "no")
}

func (r refusing) serve(t *testing.T) string { return serve(t, r) }

func TestSelfObservation(t *testing.T) {
	for _, c := range []struct {
		name     string
		serve    func(*testing.T) string
		env      map[string]string
		want     map[string]int64
		problems string
	}{
		{"all is well", func(t *testing.T) string { return new(backend).grpc(t) },
			map[string]string{"OTEL_BSP_MAX_QUEUE_SIZE": "100"}, map[string]int64{
				"otel.sdk.processor.span.queue.size": 0, "otel.sdk.processor.span.queue.capacity": 100,
				"otel.sdk.processor.span.processed":             2,
				"otel.sdk.processor.span.processed{queue_full}": 0, "otel.sdk.processor.span.processed{already_shutdown}": 0,
				"otel.sdk.exporter.span.inflight": 0, "otel.sdk.exporter.span.exported": 2,
				"otel.sdk.exporter.operation.duration": 1,
			}, ""},
		{"refused", refusing{code: grpccodes.PermissionDenied}.serve, nil, map[string]int64{
			"otel.sdk.exporter.span.exported{PermissionDenied}":      2,
			"otel.sdk.exporter.operation.duration{PermissionDenied}": 1, "otel.sdk.processor.span.processed": 2,
		}, "the last export failed (PermissionDenied): it does not accept the credentials: check OTEL_EXPORTER_OTLP_HEADERS"},
		{"a full queue", func(t *testing.T) string { return new(backend).grpc(t) },
			map[string]string{"OTEL_BSP_MAX_QUEUE_SIZE": "1", "OTEL_BSP_SCHEDULE_DELAY": "3600000",
				"OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "1"},
			map[string]int64{"otel.sdk.processor.span.queue.capacity": 1}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			complaints(t)
			t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.serve(t))
			t.Setenv("OTEL_METRICS_EXPORTER", "none")
			for k, v := range c.env {
				t.Setenv(k, v)
			}
			reader := sdkmetric.NewManualReader()
			p := setup(t, exporters.Options{MetricReaders: []sdkmetric.Reader{reader}})
			record(p, "work")
			_ = p.Flush(t.Context()) // may be refused
			got := valuesOf(t, reader, "otel.sdk.")
			for name, want := range c.want {
				if n, ok := got[name]; !ok || n != want {
					t.Errorf("%s: got %d (%v), want %d; there is %v", name, n, ok, want, slices.Sorted(maps.Keys(got)))
				}
			}
			if sum := got["otel.sdk.processor.span.processed"] + got["otel.sdk.processor.span.processed{queue_full}"]; sum != 2 {
				t.Errorf("got %v: want both spans accounted for", got)
			}
			problems := problemsOf(p.Components())
			if got["otel.sdk.processor.span.processed{queue_full}"] > 0 {
				if !strings.Contains(problems, "the queue is full") {
					t.Errorf("got %q, want the full queue told", problems)
				}
			} else if problems != c.problems {
				t.Errorf("got problems %q, want %q", problems, c.problems)
			}
			if err := p.Shutdown(t.Context()); err != nil {
				t.Log(err) // what was refused
			}
		})
	}
}

func problemsOf(components []stats.Component) string {
	var all []string
	for _, c := range components {
		all = append(all, c.Problems...)
	}
	return strings.Join(all, "; ")
}

// Where OpenTelemetry's own packages tell the exporters' metrics, ours do not tell them again.
func TestNoMetricTwice(t *testing.T) {
	t.Setenv("OTEL_GO_X_OBSERVABILITY", "true")
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", new(backend).grpc(t))
	t.Setenv("OTEL_METRICS_EXPORTER", "none")
	reader := sdkmetric.NewManualReader()
	p := setup(t, exporters.Options{MetricReaders: []sdkmetric.Reader{reader}})
	record(p, "work")
	if err := p.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := valuesOf(t, reader, "otel.sdk.")
	for name := range got {
		if strings.HasPrefix(name, "otel.sdk.exporter.") {
			t.Errorf("got %s from us as well", name)
		}
	}
	if got["otel.sdk.processor.span.processed"] != 2 {
		t.Errorf("got %v, want the processor's, which is ours", got)
	}
}

// Without anything that sends there is nothing to tell.
func TestNothingToTell(t *testing.T) {
	reader := sdkmetric.NewManualReader()
	p := setup(t, exporters.Options{MetricReaders: []sdkmetric.Reader{reader}})
	record(p, "work")
	if got := valuesOf(t, reader, ""); len(got) != 0 {
		t.Errorf("got %v", got)
	}
	if got := p.Components(); len(got) != 1 || got[0].Name != "ring" || got[0].Figures[0].Value != 2 {
		t.Errorf("got %+v, want the ring", got)
	}
}

func TestRuntimeMetrics(t *testing.T) {
	reader := sdkmetric.NewManualReader()
	p := setup(t, exporters.Options{MetricReaders: []sdkmetric.Reader{reader}, RuntimeMetrics: true})
	if got := valuesOf(t, reader, "go."); got["go.goroutine.count"] < 1 || got["go.memory.used"] < 1 {
		t.Errorf("got %v, want the runtime's metrics", got)
	}
	if err := p.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

// A process that is asked how it is while it is shut down gets an answer.
func TestComponentsAtAnyTime(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", new(backend).grpc(t))
	p := setup(t, exporters.Options{TailSampling: &exporters.TailSampling{}})
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			default:
				_ = fmt.Sprint(p.Components())
			}
		}
	}()
	for range 50 {
		record(p, "work")
	}
	if err := p.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	record(p, "late")
	close(stop)
	<-done
}

// Until there is a span to send nothing runs, whatever is configured to come.
func TestNoGoroutineBeforeASpan(t *testing.T) {
	for _, protocol := range []string{"grpc", "http/protobuf"} {
		t.Run(protocol, func(t *testing.T) {
			t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://"+refused)
			t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", protocol)
			before := runtime.NumGoroutine()
			p := setup(t, exporters.Options{
				TailSampling:   &exporters.TailSampling{},
				RuntimeMetrics: true,
				Consoles:       []exporters.ConsoleOptions{{Writer: io.Discard}},
				MetricReaders:  []sdkmetric.Reader{sdkmetric.NewManualReader()},
			})
			_ = p.Components()
			noMoreGoroutines(t, before)
			if err := p.Flush(t.Context()); err != nil {
				t.Error(err)
			}
			if err := p.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// A program that shuts down, however often and whatever else is going on, is back in time, and
// nothing of it stays behind (TestMain looks).
func TestShutdownInTheMiddle(t *testing.T) {
	for name, address := range map[string]string{"refused": refused, "silent": silent(t)} {
		t.Run(name, func(t *testing.T) {
			complaints(t)
			t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://"+address)
			p := setup(t, exporters.Options{TailSampling: &exporters.TailSampling{Ratio: 1}, RuntimeMetrics: true})
			stop := make(chan struct{})
			var work, closers sync.WaitGroup
			for range 4 {
				work.Go(func() {
					for {
						select {
						case <-stop:
							return
						default:
							record(p, "work")
							_ = p.Components()
						}
					}
				})
			}
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			errs := make([]error, 4)
			for i := range errs {
				closers.Go(func() {
					if i == 0 {
						_ = p.Flush(ctx)
					}
					errs[i] = p.Shutdown(ctx)
				})
			}
			closers.Wait()
			close(stop)
			work.Wait()
			for _, err := range errs[1:] {
				if fmt.Sprint(err) != fmt.Sprint(errs[0]) {
					t.Errorf("got %v and %v, want the same error for all", errs[0], err)
				}
			}
			record(p, "after")
		})
	}
}

// A destination that takes a batch and does not answer is reported while it does.
func TestDestinationThatDoesNotAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stuck := &stuck{begun: make(chan struct{}), free: make(chan struct{})}
		w := exporters.NewWatch(stuck)
		go func() { _ = w.ExportSpans(t.Context(), tracetest.SpanStubs{{Name: "x"}}.Snapshots()) }()
		<-stuck.begun
		if got := w.Component().Problems; got != nil {
			t.Errorf("at once: got %q, want nothing", got)
		}
		time.Sleep(7 * time.Second)
		if got := strings.Join(w.Component().Problems, "; "); got != "an export of 1 spans has been running for 7s" {
			t.Errorf("after 7 s: got %q", got)
		}
		close(stuck.free)
		synctest.Wait()
		if got := w.Component().Problems; got != nil {
			t.Errorf("afterwards: got %q, want nothing", got)
		}
	})
}

// stuck is an exporter that waits.
type stuck struct{ begun, free chan struct{} }

func (s *stuck) ExportSpans(context.Context, []sdktrace.ReadOnlySpan) error {
	close(s.begun)
	<-s.free
	return nil
}
func (*stuck) Shutdown(context.Context) error { return nil }
