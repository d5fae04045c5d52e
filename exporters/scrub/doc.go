// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package scrub redacts spans that other libraries make before they are sent:
//
//	exporter := scrub.New(otlp, nil)
//	processor := sdktrace.NewBatchSpanProcessor(exporter)
//
// Agent frameworks and HTTP clients write raw arguments, prompts, headers and addresses into their
// spans. An [Exporter] stands in front of another exporter and passes the texts of such a span
// through package redact: its name, its status description, and the attributes of the span, its
// events and its links. exporters.Setup puts one in front of every destination by default.
//
// # Profiles
//
// A table says for the attributes of known libraries how their values are to be read: as JSON, an
// address, a header, a command line, or an identifier that stays. It covers ADK, genkit,
// Anthropic's SDK, go-micro, eino's callbacks, OpenInference, OpenLLMetry, and OpenTelemetry's
// conventions for generative AI, HTTP and databases. Attributes that no profile names are redacted
// as text, and by their name where that says what the value is.
//
// toolscope's own spans were redacted when they were made. Of them, only attributes and events that
// something else has added are redacted.
//
// # What is guaranteed
//
// Spans are never written to: what is redacted is a copy. A span without anything to remove is
// passed on as it is, without an allocation unless it has attributes that are lists or maps. A
// value longer than 64 KiB is cut, and of a span's texts at most 1 MiB is examined: the rest is
// replaced. A panic while a span is redacted removes the texts of the span.
//
// # What is left out
//
// The resource and the instrumentation scope, which the application sets, and the keys of attributes.
package scrub
