// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package interpret runs compiled workflows. It has no side effects of its own: everything that is not a function of the
// definition and the input goes through an [Engine], which runs in goroutines or on a durable engine. The interpreter
// has no clock, random numbers, goroutines or walks over maps, so that a durable engine can replay it.
package interpret
