// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package otelfile builds the resource, the sampler and the span limits that a file of OpenTelemetry's
// declarative configuration describes. OpenTelemetry's package otelconf builds them inside a tracer
// provider, which leaves no place in front of its exporters. The functions expect a file that otelconf has
// accepted.
package otelfile
