// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package main is what the end-to-end tests compile together with a conformance program
// of the MCP SDK whose calls of mcp.NewServer and mcp.NewClient were replaced by those of
// the functions below. Nothing else of the program is changed.
package main

import (
	"log"
	"os"

	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/mcp/toolmcp"
)

func observedServer(impl *mcp.Implementation, options *mcp.ServerOptions) *mcp.Server {
	server := mcp.NewServer(impl, options)
	toolmcp.Instrument(server, scope, toolmcp.Options{})
	return server
}

func observedClient(impl *mcp.Implementation, options *mcp.ClientOptions) *mcp.Client {
	client := mcp.NewClient(impl, options)
	toolmcp.Instrument(client, scope, toolmcp.Options{})
	return client
}

// scope makes all spans and metrics, and writes the name of each span to the file
// that the environment names.
var scope = func() *toolscope.Scope {
	names, err := os.OpenFile(os.Getenv("CONFORMANCE_SPANS"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		log.Fatal(err)
	}
	s, err := toolscope.New(toolscope.Options{
		TracerProvider: sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(writer{names})),
		MeterProvider:  sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewManualReader())),
	})
	if err != nil {
		log.Fatal(err)
	}
	return s
}()

// writer writes the names of ended spans.
type writer struct{ to *os.File }

func (w writer) OnEnd(s sdktrace.ReadOnlySpan) {
	if _, err := w.to.WriteString(s.SpanKind().String() + " " + s.Name() + "\n"); err != nil {
		log.Fatal(err)
	}
}

func (writer) OnStart(context.Context, sdktrace.ReadWriteSpan) {}
func (writer) ForceFlush(context.Context) error                { return nil }
func (writer) Shutdown(context.Context) error                  { return nil }
