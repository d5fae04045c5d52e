// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package top is the terminal view of tool calls, live: `toolscope top`.
//
//	err := top.Run(ctx, source, top.Options{Every: 2 * time.Second})
//
// A [Source] is asked again and again for a [State]: what programs answered over
// HTTP, or what stands in a call log. [Model] holds what the person did (the place
// they are at, the row, the filter), its Update takes keys and states, its Frame
// draws them as lines of text. None of the three touches a terminal; [Run] joins
// them with one, by way of Bubble Tea. [Once] draws one plain frame for a pipe.
//
// Texts of others (names, arguments, errors) are spelled out where a terminal would
// act on them, cut by the cells they take, and never end a line. Everything that
// colour says is also said by a character or a word.
package top
