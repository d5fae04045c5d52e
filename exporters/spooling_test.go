// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/toolscope/toolscope/exporters"
	"github.com/toolscope/toolscope/exporters/internal/spool"
)

// A moody backend answers what the test wants, until all is to be well.
type moody struct {
	backend
	grpcAnswer atomic.Pointer[func(context.Context) (*collector.ExportTraceServiceResponse, error)]
	httpAnswer atomic.Pointer[http.HandlerFunc]
	// takesEmpty answers requests without spans as OTLP does, whatever the mood.
	takesEmpty atomic.Bool
	// seen is called with the headers key and tenant of a request; nil is not.
	seen func(key, tenant string)
}

func (m *moody) Export(ctx context.Context,
	r *collector.ExportTraceServiceRequest) (*collector.ExportTraceServiceResponse, error) {
	if sent, ok := metadata.FromIncomingContext(ctx); ok && m.seen != nil {
		m.seen(strings.Join(sent["key"], ""), strings.Join(sent["tenant"], ""))
	}
	if f := m.grpcAnswer.Load(); f != nil && !(m.takesEmpty.Load() && len(r.GetResourceSpans()) == 0) {
		return (*f)(ctx)
	}
	return m.backend.Export(ctx, r)
}

func (m *moody) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if m.seen != nil {
		m.seen(r.Header.Get("key"), r.Header.Get("tenant"))
	}
	if f := m.httpAnswer.Load(); f != nil && !(m.takesEmpty.Load() && isEmpty(r)) {
		(*f)(w, r)
		return
	}
	m.backend.ServeHTTP(w, r)
}

// refuses makes it refuse every span, as an OTLP server that does not like them.
func (m *moody) refuses() {
	refuse := func(context.Context) (*collector.ExportTraceServiceResponse, error) {
		return nil, status.Error(codes.InvalidArgument, "no")
	}
	m.grpcAnswer.Store(&refuse)
	m.takesEmpty.Store(true)
}

// isEmpty reports whether a request has no content, once it is unpacked.
func isEmpty(r *http.Request) bool {
	body, err := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	if err == nil {
		body, err = unpacked(r, body)
	}
	return err == nil && len(body) == 0
}

// unpacked is the content of a request that may be compressed.
func unpacked(r *http.Request, body []byte) ([]byte, error) {
	if r.Header.Get("Content-Encoding") != "gzip" {
		return body, nil
	}
	content, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(content)
}

func (m *moody) well() {
	m.grpcAnswer.Store(nil)
	m.httpAnswer.Store(nil)
}

// serve serves gRPC or HTTP at an address, until stop is called.
func (m *moody) serve(t *testing.T, protocol, address string) (at string, stop func()) {
	t.Helper()
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	if protocol == "grpc" {
		s := grpc.NewServer()
		collector.RegisterTraceServiceServer(s, m)
		go func() { _ = s.Serve(l) }()
		return l.Addr().String(), s.Stop
	}
	s := &httptest.Server{Listener: l, Config: &http.Server{Handler: m}}
	s.Start()
	return l.Addr().String(), s.Close
}

var fast = exporters.SpoolOptions{MinBackoff: time.Millisecond, MaxBackoff: 20 * time.Millisecond,
	Patience: 100 * time.Millisecond}

func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !condition(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: not after 30 s", what)
		}
	}
}

// Spans of a process whose destination was down all the time are sent by the next one.
func TestSpoolOutlivesTheProcess(t *testing.T) {
	for _, protocol := range []string{"grpc", "http/protobuf"} {
		for _, ahead := range []bool{false, true} {
			t.Run(fmt.Sprint(protocol, ahead), func(t *testing.T) {
				address, dir := vacant(t), t.TempDir()
				t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
					"http://"+address+map[string]string{"grpc": "", "http/protobuf": "/v1/traces"}[protocol])
				t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", protocol)
				t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "20")
				told := complaints(t)
				o := fast
				o.WriteAhead = ahead
				p := setup(t, exporters.Options{SpoolDir: dir, Spool: o})
				record(p, "first")
				if err := p.Flush(t.Context()); err == nil || !strings.Contains(err.Error(), "2 spans are kept on disk") {
					t.Errorf("Flush without a listener: got %v", err)
				}
				record(p, "second")
				if err := p.Shutdown(t.Context()); err != nil {
					t.Errorf("Shutdown: got %v, want nil, since all is on disk", err)
				}
				if got := told(); len(got) != 2 || !strings.Contains(got[0], "the destination fails; spans are kept in") ||
					!strings.Contains(got[1], "4 spans (") || !strings.Contains(got[1], "are kept in "+dir) {
					t.Errorf("the error handler got %q, want the failure, and what is kept at the end", got)
				}

				m := new(moody)
				_, stop := m.serve(t, protocol, address)
				defer stop()
				p = setup(t, exporters.Options{SpoolDir: dir, Spool: o})
				record(p, "third")
				eventually(t, "all arrive", func() bool { return strings.Count(m.received(), " ") == 5 })
				if got := m.received(); got != "first/child first second/child second third/child third" {
					t.Errorf("got %q", got)
				}
				if err := p.Flush(t.Context()); err != nil {
					t.Errorf("Flush: %v", err)
				}
				if got := p.Spool().Stats(); got.Replayed < 4 || got.Delivered != 6 || len(got.Dropped) != 0 {
					t.Errorf("Stats: got %+v", got)
				}
			})
		}
	}
}

// Whatever a destination does, what it does not refuse arrives when it is well, and what it
// refuses is reported. Only a destination that takes empty requests can refuse: all others
// may be something else.
func TestSpoolAndHostileDestinations(t *testing.T) {
	grpcStatus := func(c codes.Code) func(*moody) {
		return func(m *moody) {
			f := func(context.Context) (*collector.ExportTraceServiceResponse, error) {
				return nil, status.Error(c, "no")
			}
			m.grpcAnswer.Store(&f)
		}
	}
	web := func(h http.HandlerFunc) func(*moody) { return func(m *moody) { m.httpAnswer.Store(&h) } }
	httpStatus := func(code int) func(*moody) {
		return web(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) })
	}
	type hostile struct {
		name, protocol string
		turn           func(*moody)
		refused        bool // for good
	}
	cases := []hostile{
		{"never answers", "grpc", func(m *moody) {
			f := func(ctx context.Context) (*collector.ExportTraceServiceResponse, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			m.grpcAnswer.Store(&f)
		}, false},
		{"never answers", "http/protobuf", web(func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // or the server would not see the client go
			<-r.Context().Done()
		}), false},
		{"closes", "http/protobuf", web(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }), false},
		{"sends no HTTP", "http/protobuf", web(func(w http.ResponseWriter, _ *http.Request) {
			c, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				_, _ = c.Write([]byte("\x00\xff no HTTP\r\n\r\n"))
				_ = c.Close()
			}
		}), false},
		{"redirects for ever", "http/protobuf", web(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/v1/traces", http.StatusTemporaryRedirect)
		}), false},
		{"is a login page", "http/protobuf", web(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "<!DOCTYPE html><title>Sign in</title>")
		}), false},
	}
	for c := codes.Code(1); c <= codes.Unauthenticated; c++ {
		cases = append(cases, hostile{c.String(), "grpc", grpcStatus(c), false})
	}
	for _, code := range []int{400, 401, 403, 404, 408, 413, 422, 429, 500, 501, 502, 503, 504} {
		cases = append(cases, hostile{http.StatusText(code), "http/protobuf", httpStatus(code), false})
	}
	for _, c := range []codes.Code{codes.InvalidArgument, codes.NotFound, codes.AlreadyExists, codes.FailedPrecondition} {
		cases = append(cases, hostile{"refuses with " + c.String(), "grpc", grpcStatus(c), true})
	}
	for _, code := range []int{400, 413, 422} {
		cases = append(cases, hostile{"refuses with " + http.StatusText(code), "http/protobuf", httpStatus(code), true})
	}
	for _, c := range cases {
		t.Run(c.protocol+" "+c.name, func(t *testing.T) {
			complaints(t)
			m := new(moody)
			address, stop := m.serve(t, c.protocol, "127.0.0.1:0")
			defer stop()
			t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
				"http://"+address+map[string]string{"grpc": "", "http/protobuf": "/v1/traces"}[c.protocol])
			t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", c.protocol)
			if c.name == "never answers" { // where no request waits for the time's end, an answer that comes late is sent for twice
				t.Setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1000")
			}
			t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "5")
			p := setup(t, exporters.Options{SpoolDir: t.TempDir(), Spool: fast})
			record(p, "healthy")
			eventually(t, "it arrives", func() bool { return m.received() == "healthy/child healthy" })
			c.turn(m)
			m.takesEmpty.Store(c.refused)
			record(p, "hostile")
			if c.refused {
				eventually(t, "it is dropped", func() bool { return p.Spool().Stats().Dropped[spool.DroppedRejected] == 2 })
			} else {
				eventually(t, "the failure is reported",
					func() bool { s := p.Spool().Stats(); return !s.FailingSince.IsZero() && s.Spans+s.MemorySpans == 2 })
				if !strings.Contains(fmt.Sprint(problems(p)), "the destination fails since") {
					t.Errorf("problems: got %q", problems(p))
				}
			}
			m.well()
			record(p, "well")
			want := "healthy/child healthy hostile/child hostile well/child well"
			if c.refused {
				want = "healthy/child healthy well/child well"
			}
			eventually(t, "the rest arrives", func() bool { return strings.HasSuffix(m.received(), "well/child well") })
			if got := m.received(); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			eventually(t, "all is reported to be well", func() bool { return len(problems(p)) == 0 })
		})
	}
}

// Spans that a destination takes no part of are counted, and not sent again.
func TestSpoolAndPartialSuccess(t *testing.T) {
	answer := &collector.ExportTraceServiceResponse{
		PartialSuccess: &collector.ExportTracePartialSuccess{RejectedSpans: 1, ErrorMessage: "too old"}}
	body, err := proto.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	for _, protocol := range []string{"grpc", "http/protobuf"} {
		t.Run(protocol, func(t *testing.T) {
			complaints(t)
			m := new(moody)
			requests := atomic.Int64{}
			overGRPC := func(context.Context) (*collector.ExportTraceServiceResponse, error) {
				requests.Add(1)
				return answer, nil
			}
			overHTTP := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				requests.Add(1)
				w.Header().Set("Content-Type", "application/x-protobuf")
				_, _ = w.Write(body)
			})
			m.grpcAnswer.Store(&overGRPC)
			m.httpAnswer.Store(&overHTTP)
			address, stop := m.serve(t, protocol, "127.0.0.1:0")
			defer stop()
			t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://"+address)
			t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", protocol)
			p := setup(t, exporters.Options{SpoolDir: t.TempDir(), Spool: fast})
			record(p, "partly")
			if err := p.Flush(t.Context()); err != nil {
				t.Errorf("Flush: %v", err)
			}
			if s := p.Spool().Stats(); s.Delivered != 1 || s.Dropped[spool.DroppedPartial] != 1 || s.Spans != 0 ||
				requests.Load() != 1 {
				t.Errorf("got %+v after %d requests", s, requests.Load())
			}
		})
	}
}

// Spans that were rejected are removed with their session.
func TestForgetReachesRejectedSpans(t *testing.T) {
	complaints(t)
	m := new(moody)
	m.refuses()
	address, stop := m.serve(t, "grpc", "127.0.0.1:0")
	defer stop()
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://"+address)
	o, dir := fast, t.TempDir()
	o.WriteAhead = true
	p := setup(t, exporters.Options{SpoolDir: dir, Spool: o})
	for _, session := range []string{"s-1", "s-2"} {
		_, span := p.TracerProvider.Tracer("test").Start(t.Context(), session)
		span.SetAttributes(attribute.String("session.id", session))
		span.End()
	}
	eventually(t, "they are dropped", func() bool { return p.Spool().Stats().Dropped[spool.DroppedRejected] == 2 })
	if n, err := p.Forget(t.Context(), "s-1", ""); err != nil || n != 2 { // one in the ring
		t.Errorf("got %d removed, %v, want the span in the ring and the rejected one", n, err)
	}
	if err := p.Shutdown(t.Context()); err != nil {
		t.Errorf("Shutdown: %v", err)
	}
	report, err := exporters.Forget{Session: "s-2"}.Spool(t.Context(), dir)
	if err != nil || report.Removed != 1 {
		t.Errorf("after the program: got %+v, %v, want one rejected span removed", report, err)
	}
}

// What waits and what was dropped is reported as metrics as well.
func TestSpoolMetrics(t *testing.T) {
	complaints(t)
	m := new(moody)
	m.refuses()
	address, stop := m.serve(t, "grpc", "127.0.0.1:0")
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://"+address)
	reader, dir := sdkmetric.NewManualReader(), t.TempDir()
	o := fast
	o.WriteAhead = true
	p := setup(t, exporters.Options{SpoolDir: dir, Spool: o, MetricReaders: []sdkmetric.Reader{reader}})
	record(p, "refused")
	eventually(t, "it is dropped", func() bool { return p.Spool().Stats().Dropped[spool.DroppedRejected] == 2 })
	files, err := filepath.Glob(filepath.Join(dir, exporters.RejectedDir, "*.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("rejected spans: got files %q, %v, want one", files, err)
	}
	if text, err := os.ReadFile(files[0]); err != nil || strings.Count(string(text), `"spanId"`) != 2 {
		t.Errorf("rejected spans: got %q, %v, want both", text, err)
	}
	stop()
	record(p, "waits")
	eventually(t, "it waits", func() bool { return p.Spool().Stats().Spans == 2 })
	var all metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	got := make(map[string]int64)
	for _, scope := range all.ScopeMetrics {
		for _, one := range scope.Metrics {
			if sum, ok := one.Data.(metricdata.Sum[int64]); ok && strings.HasPrefix(one.Name, "toolscope.self.spool.") {
				for _, point := range sum.DataPoints {
					reason, _ := point.Attributes.Value("toolscope.self.reason")
					got[one.Name+reason.AsString()] = point.Value
				}
			}
		}
	}
	if got["toolscope.self.spool.droppedrejected"] != 2 || got["toolscope.self.spool.waiting"] != 2 ||
		got["toolscope.self.spool.size"] == 0 {
		t.Errorf("got %v", got)
	}
}

func problems(p *exporters.Providers) (all []string) {
	for _, c := range p.Components() {
		if c.Name == "spool" {
			all = append(all, c.Problems...)
		}
	}
	return all
}

// Destinations that speak another protocol, or TLS, or whose certificate is not trusted: all
// stays on disk, and Shutdown is on time.
func TestSpoolAndWrongProtocols(t *testing.T) {
	plain, web := new(moody), new(moody)
	grpcAddress, stop := plain.serve(t, "grpc", "127.0.0.1:0")
	defer stop()
	webAddress, stopWeb := web.serve(t, "http/protobuf", "127.0.0.1:0")
	defer stopWeb()
	secure := httptest.NewUnstartedServer(web)
	secure.Config.ErrorLog = discarded()
	secure.StartTLS()
	defer secure.Close()
	answers := func(code int, media, text string) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.ContentLength < 0 { // also of the request without spans
				t.Error("got a request without a Content-Length")
			}
			w.Header().Set("Content-Type", media)
			w.WriteHeader(code)
			_, _ = io.WriteString(w, text)
		}))
		t.Cleanup(s.Close)
		return s.URL
	}
	const html = "text/html"
	unencrypted := "http" + strings.TrimPrefix(secure.URL, "https")
	for _, c := range []struct{ name, protocol, url, advice string }{
		{"gRPC to HTTP", "grpc", "http://" + webAddress, "it speaks no gRPC, or TLS"},
		{"HTTP to gRPC", "http/protobuf", "http://" + grpcAddress, "it speaks no HTTP/1.1, or TLS"},
		{"TLS to plain gRPC", "grpc", "https://" + grpcAddress, "there is no TLS"},
		{"TLS to plain HTTP", "http/protobuf", "https://" + webAddress, "there is no TLS"},
		{"no TLS to TLS, gRPC", "grpc", unencrypted, "it speaks no gRPC, or TLS"},
		{"no TLS to TLS, HTTP", "http/protobuf", unencrypted, "the endpoint should begin with https://"},
		{"unknown certificate, gRPC", "grpc", secure.URL, "it speaks TLS but no gRPC"},
		{"unknown certificate, HTTP", "http/protobuf", secure.URL, "its certificate is not trusted"},
		{"wrong port", "grpc", "http://" + refused, "nothing listens there"},
		{"wrong port", "http/protobuf", "http://" + refused, "nothing listens there"},
		{"login page", "http/protobuf", answers(200, html, "Sign in"), "there is no OTLP service"},
		{"proxy that answers 400", "http/protobuf", answers(400, html, "bad"), "it may be no OTLP endpoint"},
		{"proxy that answers 401", "http/protobuf", answers(401, html, "who"), "OTEL_EXPORTER_OTLP_HEADERS"},
		{"proxy that answers 404", "http/protobuf", answers(404, html, "none"), "there is no OTLP service"},
		{"proxy that answers 502", "http/protobuf", answers(502, html, "bad"), "what is behind it is down (http://127.0.0.1:"},
		{"silent", "grpc", "http://" + silent(t), ""},
		{"silent", "http/protobuf", "http://" + silent(t), ""},
	} {
		t.Run(c.protocol+" "+c.name, func(t *testing.T) {
			complaints(t)
			t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", c.url)
			t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", c.protocol)
			t.Setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "200")
			t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "5")
			p := setup(t, exporters.Options{SpoolDir: t.TempDir(), Spool: fast})
			record(p, "kept")
			eventually(t, "the failure is reported",
				func() bool { s := p.Spool().Stats(); return !s.FailingSince.IsZero() && s.Spans == 2 })
			eventually(t, "health says "+c.advice, func() bool { return strings.Contains(fmt.Sprint(problems(p)), c.advice) })
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			if err := p.Shutdown(ctx); err != nil {
				t.Errorf("Shutdown: %v", err)
			}
			if l := p.Ledger()[0]; l.OnDisk != 2 || l.DroppedSpans() != 0 {
				t.Errorf("got %v, want both on disk", l)
			}
		})
	}
}

// Without a spool what the destination does not take is dropped, with the reason; a success that is none of
// OTLP counts as such, and health says what is wrong.
func TestNoSpoolAndWrongProtocols(t *testing.T) {
	for _, c := range []struct {
		status              int
		media, advice, told string
	}{
		{200, "text/html", "there is no OTLP service: ", "answered 200 with text/html"},
		{204, "", "", ""},
		{502, "text/html", "what is behind it is down", "/v1/traces answered 502 Bad Gateway"},
	} {
		t.Run(fmt.Sprint(c.status), func(t *testing.T) {
			told := complaints(t)
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.ContentLength < 0 {
					t.Errorf("got a request without a Content-Length")
				}
				w.Header().Set("Content-Type", c.media)
				w.WriteHeader(c.status)
				if c.media != "" {
					_, _ = io.WriteString(w, "<html>Sign in</html>")
				}
			}))
			defer s.Close()
			t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", s.URL+"/v1/traces")
			t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf")
			t.Setenv("OTEL_BSP_EXPORT_TIMEOUT", "300")
			p := setup(t, exporters.Options{})
			record(p, "work")
			err := p.Flush(t.Context())
			var health []string
			for _, part := range p.Components() {
				health = append(health, part.Problems...)
			}
			l := p.Ledger()[0]
			if c.advice == "" {
				if l.Delivered != 2 || len(health) > 0 {
					t.Errorf("got %v, %q, want 2 delivered and no problem", l, health)
				}
				return
			}
			if l.Delivered != 0 || l.Dropped["failed"] != 2 {
				t.Errorf("got %v, want 2 dropped as failed", l)
			}
			if all := strings.Join(health, "\n"); !strings.Contains(all, c.advice) {
				t.Errorf("health: got %q, want %q", all, c.advice)
			}
			if all := strings.Join(append(told(), fmt.Sprint(err)), "\n"); !strings.Contains(all, c.told) {
				t.Errorf("the error: got %q, want %q", all, c.told)
			}
		})
	}
}

// Files that were damaged are a problem of health, and what was in them is in the ledger. Records that are
// not damaged stay.
func TestDamagedFilesAreAProblem(t *testing.T) {
	for _, c := range []struct {
		name, want string
		damage     func(content []byte) []byte
		spans      int // that are left
	}{
		{"a torn end", "1 ends were torn and 0 parts unreadable", func(b []byte) []byte { return b[:len(b)-100] }, 2},
		{"a corrupt record", "0 ends were torn and 1 parts unreadable", func(b []byte) []byte {
			b[bytes.Index(b, []byte("first"))]++
			return b
		}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			complaints(t)
			t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://"+refused)
			o, dir := fast, t.TempDir()
			o.WriteAhead = true
			program := setup(t, exporters.Options{SpoolDir: dir, Spool: o})
			for _, name := range []string{"first", "second"} {
				record(program, name)
				_ = program.Flush(t.Context()) // as a record of its own
			}
			if err := program.Shutdown(t.Context()); err != nil {
				t.Fatal(err)
			}
			files, err := filepath.Glob(filepath.Join(dir, "*", "*.segment"))
			if err != nil || len(files) != 1 {
				t.Fatalf("got %q, %v, want a file", files, err)
			}
			content, err := os.ReadFile(files[0])
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(files[0], c.damage(content), 0o600); err != nil {
				t.Fatal(err)
			}
			p := setup(t, exporters.Options{SpoolDir: dir, Spool: o})
			eventually(t, "health says so", func() bool {
				return strings.Contains(fmt.Sprint(problems(p)), "files were damaged: "+c.want)
			})
			l := p.Ledger()[0]
			if l.OnDisk != uint64(c.spans) || l.Ended+l.Found != l.OnDisk+l.DroppedSpans() {
				t.Errorf("got %+v, want %d spans on disk", l, c.spans)
			}
		})
	}
}

// A registered exporter that is no OTLP one gets a spool as well, and errors of the spool's are
// Setup's.
func TestSpoolIsChecked(t *testing.T) {
	if p := setup(t, exporters.Options{SpoolDir: t.TempDir()}); p.Spool() != nil {
		t.Error("a spool though traces are sent nowhere")
	}
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://"+refused)
	if _, err := exporters.Setup(t.Context(), exporters.Options{Spool: fast}); err == nil ||
		!strings.Contains(err.Error(), `Options.SpoolDir: got "" together with Options.Spool, want a path`) {
		t.Errorf("no directory: got %v", err)
	}
	if _, err := exporters.Setup(t.Context(), exporters.Options{
		SpoolDir: t.TempDir(), Spool: exporters.SpoolOptions{MaxBytes: 1},
	}); err == nil || !strings.Contains(err.Error(), "Options.MaxBytes") {
		t.Errorf("a bad option: got %v", err)
	}
}

// discarded is a logger that says nothing.
func discarded() *log.Logger { return log.New(io.Discard, "", 0) }

// Where the destination hangs, Shutdown is no error: nothing is lost, and the ledger says where it is.
func TestShutdownOfAHangingDestination(t *testing.T) {
	complaints(t)
	for _, ahead := range []bool{false, true} {
		t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://"+silent(t))
		o := fast
		o.WriteAhead = ahead
		p := setup(t, exporters.Options{SpoolDir: t.TempDir(), Spool: o})
		for range 5_000 {
			record(p, "kept")
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if err := p.Shutdown(ctx); err != nil || ctx.Err() != nil {
			t.Errorf("write ahead %t: got %v, %v, want nil in time", ahead, err, ctx.Err())
		}
		want := "spool: 10000 ended, 0 delivered, 10000 on disk"
		if got := p.Ledger()[0]; got.String() != want || p.Spool().Stats().Spans != 10_000 {
			t.Errorf("write ahead %t: got %v, %+v, want %s", ahead, got, p.Spool().Stats(), want)
		}
	}
}
