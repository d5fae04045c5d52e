// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package display makes what others wrote fit to be looked at, on a terminal and on
// a page, and puts figures in the units that people read.
package display
