// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package exporters builds OpenTelemetry providers for programs that have none:
//
//	providers, err := exporters.Setup(ctx)
//	defer providers.Shutdown(ctx)
//	scope, err := toolscope.New(toolscope.WithTracerProvider(providers.TracerProvider))
//
// It reads the standard OTEL_* variables. With none of them set nothing is sent,
// nothing complains and no goroutine dials: the last spans are kept in a bounded
// [Ring] in the process, for the dashboard and for [WriteTree]. With
// OTEL_EXPORTER_OTLP_ENDPOINT set they go there as well, over gRPC unless
// OTEL_EXPORTER_OTLP_PROTOCOL says otherwise.
//
// Global providers are set only on request ([WithGlobals]). Metrics leave the
// process only if OTEL_METRICS_EXPORTER or OTEL_EXPORTER_OTLP_METRICS_ENDPOINT says
// so: an OTLP endpoint alone is often Jaeger, which takes traces only.
package exporters
