// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package batch is a span processor that sends spans in batches, at a lower cost to the
// goroutine that ends a span than the SDK's.
package batch
