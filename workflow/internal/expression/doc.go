// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package expression compiles the values of workflow definitions: literals, paths such as $input.url,
// and expressions such as ${ len(pages.result) > 2 }.
//
// Evaluation is deterministic, so that a replayed run gets the same values: an expression has no clock, no random
// numbers, no environment, and functions over maps go over their keys in order.
package expression
