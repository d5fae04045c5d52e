// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build race

package statspush

// raceSaving divides the processes of a test where starting one takes ten times as long.
const raceSaving = 5
