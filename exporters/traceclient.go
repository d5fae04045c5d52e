// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exporters

import (
	"cmp"
	"context"
	"strings"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
)

// TraceClient returns a client for programs that send spans of their own making over OTLP. A URL or a protocol
// (grpc or http/protobuf) of "" is what the variables OTEL_EXPORTER_OTLP_* say, whose other values hold as well.
// It connects with the first spans, and judges answers as the exporters of [Setup] do: a 2xx answer that is not OTLP,
// such as a login page, is an error, and errors say what is probably wrong with the destination.
func TraceClient(endpoint, protocolName string) (otlptrace.Client, error) {
	p := new(Providers) // of what the client keeps
	if cmp.Or(strings.ToLower(protocolName), protocol("TRACES")) == grpcProtocol {
		var options []otlptracegrpc.Option
		if endpoint != "" {
			options = append(options, otlptracegrpc.WithEndpointURL(endpoint))
		}
		return &traceClient{lazyClient{Client: spansOverGRPC(false, options...)}, p}, nil
	}
	client, err := p.httpClient("TRACES")
	if err != nil {
		return nil, err
	}
	var options []otlptracehttp.Option
	if endpoint != "" {
		options = append(options, otlptracehttp.WithEndpointURL(endpoint))
	}
	return &traceClient{lazyClient{Client: spansOverHTTP(client, false, options...)}, p}, nil
}

// A traceClient closes its connections when it stops.
type traceClient struct {
	lazyClient
	parts *Providers
}

func (c *traceClient) Stop(ctx context.Context) error {
	err := c.lazyClient.Stop(ctx)
	for _, closeIdle := range c.parts.idle {
		closeIdle()
	}
	return err
}
