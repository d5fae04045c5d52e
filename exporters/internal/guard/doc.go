// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package guard makes spans fit to be sent, so that none is lost for its size or its bytes.
//
//	exporter, err := guard.New(otlp, guard.Limits{})
//	processor := sdktrace.NewBatchSpanProcessor(exporter)
//
// Over gRPC a collector refuses a message above 4 MiB, and one with a string that is not
// valid UTF-8, and with it the whole batch: hundreds of spans for one byte. An
// [Exporter] stands in front of another and mends what could be refused:
//
//   - texts that are not valid UTF-8 become valid, with U+FFFD in place of what was not;
//   - texts and lists that are too long are cut, texts with a mark in the middle that says how
//     many bytes are missing;
//   - what there is too much of (attributes, events, links) is dropped from the end, and
//     counted on the span as dropped;
//   - a batch that is too large is sent in parts.
//
// This holds for names, keys, values at any depth, status texts, scopes and resources.
//
// # What is guaranteed
//
// Every span that goes in comes out, once, in its order; a span that needs no mending is
// passed on as it is, without an allocation unless it has attributes that are lists or
// maps. A part of a batch takes at most [Limits].Batch bytes as OTLP protobuf. If one part
// cannot be sent the others are sent all the same. Spans are never written to: what is
// mended is a copy.
//
// # What is left out
//
// Redaction: what package tracing makes has passed package redact before. A text in
// JSON that is cut here is not valid JSON any more; the limits of package tracing are far
// lower, and keep it valid.
package guard
