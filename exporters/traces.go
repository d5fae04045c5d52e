// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"go.opentelemetry.io/contrib/exporters/autoexport"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"

	"github.com/toolscope/toolscope/exporters/internal/tree"
)

// environmentExporters makes what OTEL_TRACES_EXPORTER lists: otlp, console, none, or one
// name that the host registered with autoexport. Without it, OTLP if an endpoint is
// set. With an error it returns what it had made before.
func (p *Providers) environmentExporters(ctx context.Context, o *Options) ([]sdktrace.SpanExporter, error) {
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
			e, err := p.otlpTraces(ctx, o)
			if err != nil {
				return all, fmt.Errorf("exporters: %s=otlp: %w", name, err)
			}
			p.Endpoint = sentTo()
			all = append(all, e)
		case "console":
			all = append(all, tree.NewConsole(os.Stderr, tree.Options{Color: tree.Colored(os.Stderr)}))
		case "none":
		default:
			e, err := autoexport.NewSpanExporter(ctx) // it reads the variable itself, and knows no lists
			if err != nil {
				return all, fmt.Errorf("%w (%w)", wrong(name, list, "a list of otlp, console, none, or one name "+
					"registered with autoexport"), err)
			}
			kept, err := p.custom(o, e)
			if err != nil {
				return append(all, e), err
			}
			all = append(all, kept)
		}
	}
	return all, nil
}

func (p *Providers) otlpTraces(ctx context.Context, o *Options) (sdktrace.SpanExporter, error) {
	keep := o.SpoolDir != ""
	client, err := p.otlpClient(keep)
	if err != nil {
		return nil, err
	}
	return p.sends(ctx, o, client, otlpType(), timeoutOf("TRACES"), keep)
}

// sends makes the exporter that sends by a client, behind the spool if keep says so.
func (p *Providers) sends(ctx context.Context, o *Options, client otlptrace.Client, kind string,
	timeout time.Duration, keep bool) (sdktrace.SpanExporter, error) {
	lazy := &lazyClient{Client: client}
	if keep {
		return p.spooled(o, lazy, kind, timeout)
	}
	e, err := newOTLP(ctx, lazy)
	if err != nil {
		return nil, err
	}
	return p.watched(e, kind), nil
}

// otlpType is otel.component.type of the OTLP exporter.
func otlpType() string {
	if protocol("TRACES") == grpcProtocol {
		return semconv.OTelComponentTypeOtlpGRPCSpanExporter.Value.AsString()
	}
	return semconv.OTelComponentTypeOtlpHTTPSpanExporter.Value.AsString()
}
