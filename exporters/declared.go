// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/url"
	"time"

	"go.opentelemetry.io/contrib/otelconf"
	"go.opentelemetry.io/otel/baggage"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/exporters/stdout/stdouttrace"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"google.golang.org/grpc/credentials"

	"github.com/toolscope/toolscope/exporters/internal/batch"
	"github.com/toolscope/toolscope/exporters/internal/dialect"
	"github.com/toolscope/toolscope/exporters/internal/guard"
	"github.com/toolscope/toolscope/exporters/internal/otelfile"
	"github.com/toolscope/toolscope/exporters/scrub"
)

// declaredExporters makes the exporters of a file's batch processors. Simple processors export on the goroutine
// that ends a span, without a queue: they see every span, as the application's own processors do.
func declaredExporters(processors []otelconf.SpanProcessor) destination {
	return func(p *Providers, ctx context.Context, o *Options) (all []sdktrace.SpanExporter, err error) {
		p.declared = make(map[sdktrace.SpanExporter]batch.Options)
		for i, d := range processors {
			at := fmt.Sprintf("tracer_provider.processors[%d]", i)
			var e sdktrace.SpanExporter
			if d.Batch != nil {
				if e, err = p.declaredExporter(ctx, o, d.Batch.Exporter, o.SpoolDir != "" && p.spool == nil); err == nil {
					p.declared[e] = declaredBatch(d.Batch)
					all = append(all, e)
				}
			} else {
				err = p.addSimple(ctx, o, d.Simple)
			}
			if err != nil {
				return all, fmt.Errorf("exporters: %s: %s: %w", configFile, at, err)
			}
		}
		return all, nil
	}
}

// addSimple adds a simple processor to those of the application.
func (p *Providers) addSimple(ctx context.Context, o *Options, s *otelconf.SimpleSpanProcessor) error {
	if s.Exporter.Console == nil && (o.SpoolDir != "" || o.TailSampling != nil) {
		return errors.New("simple: got an OTLP exporter together with Options.SpoolDir or Options.TailSampling, want " +
			"it in batch")
	}
	e, err := p.declaredExporter(ctx, o, s.Exporter, false)
	if err != nil {
		return err
	}
	if e, err = guard.New(e, guard.Limits(o.Guard)); err != nil {
		return err
	}
	if e = dialect.New(e, o.Dialects); !o.NoScrub {
		e = scrub.New(e, o.Redactor)
	}
	o.SpanProcessors = append(o.SpanProcessors[:len(o.SpanProcessors):len(o.SpanProcessors)],
		sdktrace.NewSimpleSpanProcessor(e))
	return nil
}

// declaredBatch are the limits of a file's batch processor; what it omits is 0.
func declaredBatch(b *otelconf.BatchSpanProcessor) batch.Options {
	return batch.Options{MaxQueue: otelfile.Value(b.MaxQueueSize, 0), MaxBatch: otelfile.Value(b.MaxExportBatchSize, 0),
		Delay: milliseconds(b.ScheduleDelay), ExportTimeout: milliseconds(b.ExportTimeout)}
}

func milliseconds[P ~*int](field P) time.Duration {
	return time.Duration(otelfile.Value(field, 0)) * time.Millisecond
}

// declaredExporter makes an exporter of a file, behind the spool if keep says so.
func (p *Providers) declaredExporter(ctx context.Context, o *Options, e otelconf.SpanExporter,
	keep bool) (sdktrace.SpanExporter, error) {
	var client otlptrace.Client
	var kind string
	var timeout time.Duration
	var err error
	switch {
	case e.OTLPGrpc != nil:
		kind, timeout = semconv.OTelComponentTypeOtlpGRPCSpanExporter.Value.AsString(), milliseconds(e.OTLPGrpc.Timeout)
		client, err = p.declaredGRPC(e.OTLPGrpc, keep)
	case e.OTLPHttp != nil:
		kind, timeout = semconv.OTelComponentTypeOtlpHTTPSpanExporter.Value.AsString(), milliseconds(e.OTLPHttp.Timeout)
		client, err = p.declaredHTTP(e.OTLPHttp, keep)
	default:
		console, err := stdouttrace.New(stdouttrace.WithPrettyPrint())
		return p.watched(console, "console"), err
	}
	if err != nil {
		return nil, err
	}
	return p.sends(ctx, o, client, kind, timeout, keep)
}

func (p *Providers) declaredGRPC(e *otelconf.OTLPGrpcExporter, once bool) (otlptrace.Client, error) {
	secure := cmp.Or(e.Tls, new(otelconf.GrpcTls))
	tlsConfig, err := declaredTLS(secure.CaFile, secure.CertFile, secure.KeyFile)
	if err != nil {
		return nil, err
	}
	headers, err := declaredHeaders(e.Headers, otelfile.Value(e.HeadersList, ""))
	if err != nil {
		return nil, err
	}
	to := otelfile.Value(e.Endpoint, "") // the file has one
	at, err := url.ParseRequestURI(to)
	if err != nil {
		return nil, fmt.Errorf("otlp_grpc.endpoint: %w", err)
	}
	options := []otlptracegrpc.Option{otlptracegrpc.WithEndpoint(cmp.Or(at.Host, to)),
		otlptracegrpc.WithHeaders(headers), otlptracegrpc.WithTimeout(cmp.Or(milliseconds(e.Timeout), otlpTimeout))}
	if at.Scheme == "http" || at.Scheme != "https" && otelfile.Value(secure.Insecure, false) {
		options = append(options, otlptracegrpc.WithInsecure())
	} else {
		options = append(options, otlptracegrpc.WithTLSCredentials(credentials.NewTLS(tlsConfig)))
	}
	if otelfile.Value(e.Compression, "") == "gzip" {
		options = append(options, otlptracegrpc.WithCompressor("gzip"))
	}
	p.sendsTo(at)
	return spansOverGRPC(once, options...), nil
}

func (p *Providers) declaredHTTP(e *otelconf.OTLPHttpExporter, once bool) (otlptrace.Client, error) {
	files := cmp.Or(e.Tls, new(otelconf.HttpTls))
	tlsConfig, err := declaredTLS(files.CaFile, files.CertFile, files.KeyFile)
	if err != nil {
		return nil, err
	}
	headers, err := declaredHeaders(e.Headers, otelfile.Value(e.HeadersList, ""))
	if err != nil {
		return nil, err
	}
	at, err := url.ParseRequestURI(otelfile.Value(e.Endpoint, ""))
	if err != nil {
		return nil, fmt.Errorf("otlp_http.endpoint: %w", err)
	}
	compression := otlptracehttp.NoCompression
	if otelfile.Value(e.Compression, "") == "gzip" {
		compression = otlptracehttp.GzipCompression
	}
	timeout := cmp.Or(milliseconds(e.Timeout), otlpTimeout)
	p.sendsTo(at)
	return spansOverHTTP(p.newHTTPClient(tlsConfig, timeout), once, otlptracehttp.WithEndpointURL(at.String()),
		otlptracehttp.WithHeaders(headers), otlptracehttp.WithCompression(compression),
		otlptracehttp.WithTimeout(timeout)), nil
}

// sendsTo shows where traces go: to the first destination, without user and password.
func (p *Providers) sendsTo(at *url.URL) {
	shown := *at
	shown.User = nil
	p.Endpoint = cmp.Or(p.Endpoint, shown.String())
}

// declaredHeaders are those of a list such as "a=1,b=2", and those with a name and a value each, which win.
func declaredHeaders(named []otelconf.NameStringValuePair, list string) (map[string]string, error) {
	parsed, err := baggage.Parse(list)
	if err != nil {
		return nil, errors.New("headers_list: want a list such as a=1,b=2") // without the values: they are secret
	}
	all := make(map[string]string)
	for _, m := range parsed.Members() {
		all[m.Key()] = m.Value()
	}
	for _, h := range named {
		if h.Value != nil {
			all[h.Name] = *h.Value
		}
	}
	return all, nil
}

// declaredTLS reads the files that the fields name. Without any it is the usual configuration.
func declaredTLS[R, C, K ~*string](roots R, certificate C, key K) (*tls.Config, error) {
	c, err := newTLS(otelfile.Value(roots, ""), otelfile.Value(certificate, ""), otelfile.Value(key, ""))
	if err != nil {
		return nil, fmt.Errorf("tls: %w", err)
	}
	return cmp.Or(c, &tls.Config{MinVersion: tls.VersionTLS12}), nil
}
