// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package script reads the small languages of awk and sed, as far as it takes to see that a
// program in one of them neither runs a command nor writes a file.
package script
