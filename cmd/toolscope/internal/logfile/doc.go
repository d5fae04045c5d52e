// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package logfile reads call logs line by line, in a fixed amount of memory, and counts the lines
// that cannot be read.
package logfile
