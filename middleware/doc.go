// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package middleware holds what all policies share, and the policies that need
// nothing but the standard library. A policy governs calls: it may answer, refuse,
// delay or repeat them, and tells what it did through the call's record, so that it
// can be read from the span, the statistics and the dashboard.
//
// Each policy is a [Policy], usable alone as a toolkit.Middleware (its Wrap method)
// or together with others: [Wrap] puts them in the one order that is right,
// whatever the order they are given in.
package middleware
