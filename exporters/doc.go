// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package exporters builds OpenTelemetry providers for programs that have none,
// from the standard OTEL_* environment:
//
//	providers, err := exporters.Setup(ctx, exporters.Options{ServiceName: "orders-agent"})
//	if err != nil {
//		return err
//	}
//	defer providers.Shutdown(ctx)
//	scope, err := toolscope.New(toolscope.Options{
//		TracerProvider: providers.TracerProvider,
//		MeterProvider:  providers.MeterProvider,
//	})
//
// With no endpoint in the environment nothing is dialled, no goroutine is started
// and nothing complains: finished spans are kept in a bounded [Ring] within the
// process. With OTEL_EXPORTER_OTLP_ENDPOINT they go there as well, over gRPC unless
// OTEL_EXPORTER_OTLP_PROTOCOL says otherwise. [WriteTree] draws a
// trace as a tree that a person can read.
//
// # What is guaranteed
//
// A value that cannot be used is an error of [Setup] that names the variable, what
// it got and what it wants. The environment is read, never written. Globals are set
// only on request ([Options].Globals), and OpenTelemetry's error handler never: it belongs to
// the application. A destination that is slow or dead delays no call. [Providers.Shutdown]
// ends within its context's deadline and leaves no goroutine behind.
//
// What is sent has been made valid and small enough before ([Options].Guard). With
// [Options].TailSampling only traces that matter and a part of the others are sent, and with
// [Options].SpoolDir what a destination does not take waits on disk. [Providers.Components] tells
// how all of this does; so do metrics, where there is a reader.
//
// # What is left out
//
// With [Options].NoScrub, redaction of spans that other libraries made: what package tracing makes has
// passed package redact before it comes here, and by default package scrub redacts the others.
// Without [Options].SpoolDir, keeping spans
// through an outage of their destination: a batch that cannot be delivered within the
// exporter's own retries is lost, and reported to OpenTelemetry's error handler.
package exporters
