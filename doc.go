// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package toolscope makes every tool call of an AI agent visible and governed.
// One line wraps an existing registry:
//
//	scope, err := toolscope.New(toolscope.Options{})
//	execute := scope.Wrap(registry.Handle, registry)
//
// or, for a registry with types of its own,
//
//	execute, err := toolscope.WrapFunc(scope, registry.Execute, adapter)
//
// From then on each call is an OpenTelemetry span with redacted arguments and a
// redacted, truncated result, and feeds histograms that answer p50, p95, p99 and
// top errors over HTTP ([Scope.HTTPHandler]), whether its trace is sampled or not.
//
// # What is guaranteed
//
// Without policies an agent gets exactly what it would have got: the same result,
// error and panic. Telemetry never blocks a call. Exported data has passed
// package redact. The application's OpenTelemetry providers are used, never set and never
// shut down. No goroutine is started.
//
// # What is left out
//
// Building providers and exporters for a host that has none is package
// exporters; policies are package middleware; ready tools are below toolkit.
package toolscope
