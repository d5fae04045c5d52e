// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package queue compares toolscope's spool with the OpenTelemetry Collector's persistent queue, on the same
// faults of a destination. It needs a Collector in TOOLSCOPE_BIN, which "make queue" builds.
package queue
