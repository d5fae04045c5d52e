// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package foreign reads the calls in files of other forms as records of a call log: audit logs, and OTLP JSON lines of
// spans.
package foreign
