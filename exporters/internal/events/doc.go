// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package events makes log records of finished spans of tool calls: the events of the OpenTelemetry conventions
// for generative AI. Every value is one that the span carries, so it is redacted and truncated as that one is.
// A call whose span is not recorded has no events.
package events
