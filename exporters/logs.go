// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"

	"go.opentelemetry.io/contrib/exporters/autoexport"
	"go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploggrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploghttp"
	"go.opentelemetry.io/otel/exporters/stdout/stdoutlog"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	"go.opentelemetry.io/otel/sdk/resource"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"

	"github.com/toolscope/toolscope/exporters/internal/spool"
)

// logExporter makes what OTEL_LOGS_EXPORTER names; nil if there is nothing to make.
func (p *Providers) logExporter(ctx context.Context) (sdklog.Exporter, error) {
	const name = "OTEL_LOGS_EXPORTER"
	from, endpoint := endpoint("LOGS")
	switch asked := get(name); asked {
	case "none":
		return nil, nil
	case "console":
		return stdoutlog.New(stdoutlog.WithWriter(os.Stderr))
	case "otlp", "":
		if asked == "" && endpoint == "" {
			return nil, nil
		}
		e, err := p.otlpLogs(ctx)
		if err != nil {
			return nil, fmt.Errorf("exporters: %s=otlp: %w", name, err)
		}
		if asked == "" && from == "OTEL_EXPORTER_OTLP_ENDPOINT" {
			e = &optionalLogs{Exporter: e}
		}
		kind := semconv.OTelComponentTypeOtlpHTTPLogExporter
		if protocol("LOGS") == grpcProtocol {
			kind = semconv.OTelComponentTypeOtlpGRPCLogExporter
		}
		return &watchedLogs{e, p.watchOf("log records", kind.Value.AsString())}, nil
	default:
		e, err := autoexport.NewLogExporter(ctx)
		if err != nil {
			return nil, fmt.Errorf("%w (%w)", wrong(name, asked, "one of otlp, console, none, or a name "+
				"registered with autoexport"), err)
		}
		return e, nil
	}
}

func (p *Providers) otlpLogs(ctx context.Context) (sdklog.Exporter, error) {
	if protocol("LOGS") == grpcProtocol {
		return otlploggrpc.New(ctx)
	}
	client, err := p.httpClient("LOGS")
	if err != nil {
		return nil, err
	}
	return otlploghttp.New(ctx, otlploghttp.WithHTTPClient(client))
}

// watchedLogs is an exporter with a watch, whose errors say what is probably wrong with the destination.
type watchedLogs struct {
	sdklog.Exporter
	watch *watch
}

func (w *watchedLogs) Export(ctx context.Context, records []sdklog.Record) error {
	return w.watch.through(ctx, len(records), func() error {
		return spool.Explain(ctx, func(ctx context.Context) error { return w.Exporter.Export(ctx, records) })
	})
}

// buildLogger makes the logger provider; records are sent in batches (OTEL_BLRP_*).
func (p *Providers) buildLogger(res *resource.Resource, e sdklog.Exporter) {
	options := []sdklog.LoggerProviderOption{sdklog.WithResource(res)}
	if e != nil {
		options = append(options, sdklog.WithProcessor(sdklog.NewBatchProcessor(e)))
	}
	p.loggers = sdklog.NewLoggerProvider(options...)
	p.LoggerProvider = p.loggers
}

// optionalLogs stops exporting once the destination has answered that it has no service
// for logs, as optional does for metrics.
type optionalLogs struct {
	sdklog.Exporter
	refused atomic.Bool
}

func (o *optionalLogs) Export(ctx context.Context, records []sdklog.Record) error {
	if o.refused.Load() {
		return nil
	}
	err := o.Exporter.Export(ctx, records)
	if err != nil && noSuchService(err) {
		o.refused.Store(true)
		return nil
	}
	return err
}
