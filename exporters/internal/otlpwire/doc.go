// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package otlpwire writes finished spans as OTLP protobuf, straight from what the SDK
// hands to exporters. OpenTelemetry's own exporter makes a protobuf message of each span,
// attribute and value first, some fifty for a usual span, and walks them three times: to look at their
// size, to write their lengths, to write them. What is written here is read as the same
// messages.
package otlpwire
