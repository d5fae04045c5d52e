// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package screen writes tables, bars and untrusted text to a terminal or a pipe. Widths are in
// cells, as a terminal counts them.
package screen
