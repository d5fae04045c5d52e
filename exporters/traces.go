// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"context"
	"fmt"
	"os"
	"strings"

	"go.opentelemetry.io/contrib/exporters/autoexport"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
)

// spanExporters makes what OTEL_TRACES_EXPORTER lists: otlp, console, none, or one
// name that the host registered with autoexport. Without it, OTLP if an endpoint is
// set. With an error it returns what it had made before.
func (p *Providers) spanExporters(ctx context.Context) ([]sdktrace.SpanExporter, error) {
	const name = "OTEL_TRACES_EXPORTER"
	list := get(name)
	if list == "" {
		if _, endpoint := endpoint("TRACES"); endpoint == "" {
			return nil, nil
		}
		list = "otlp"
	}
	var all []sdktrace.SpanExporter
	for word := range strings.SplitSeq(list, ",") {
		switch word = strings.TrimSpace(word); word {
		case "otlp":
			e, err := p.otlpTraces(ctx)
			if err != nil {
				return all, fmt.Errorf("exporters: %s=otlp: %w", name, err)
			}
			p.Endpoint = sentTo()
			all = append(all, p.watched(e, otlpType()))
		case "console":
			all = append(all, NewConsole(os.Stderr, TreeOptions{Color: Colored(os.Stderr)}))
		case "none":
		default:
			e, err := autoexport.NewSpanExporter(ctx) // it reads the variable itself, and knows no lists
			if err != nil {
				return all, fmt.Errorf("%w (%w)", wrong(name, list, "a list of otlp, console, none, or one name registered with autoexport"), err)
			}
			all = append(all, p.watched(e, strings.TrimPrefix(fmt.Sprintf("%T", e), "*")))
		}
	}
	return all, nil
}

func (p *Providers) otlpTraces(ctx context.Context) (sdktrace.SpanExporter, error) {
	if protocol("TRACES") == grpcProtocol {
		return otlptracegrpc.New(ctx)
	}
	client, err := p.httpClient("TRACES")
	if err != nil {
		return nil, err
	}
	return otlptracehttp.New(ctx, otlptracehttp.WithHTTPClient(client))
}

// otlpType is otel.component.type of the OTLP exporter.
func otlpType() string {
	if protocol("TRACES") == grpcProtocol {
		return semconv.OTelComponentTypeOtlpGRPCSpanExporter.Value.AsString()
	}
	return semconv.OTelComponentTypeOtlpHTTPSpanExporter.Value.AsString()
}
