// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package spans is how the packages of protocols and tracing make one span of a call that both know:
// what a protocol wants of the span, and the span of the call around another one.
package spans
