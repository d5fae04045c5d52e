// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package files

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// diff is the unified difference of two texts, carriage returns left out; "" if
// they are equal.
func diff(name, before, after string) string {
	return strings.ReplaceAll(udiff.Unified(name, name, before, after), "\r\n", "\n")
}

// splitLines splits after each newline, without an empty last part.
func splitLines(s string) []string {
	lines := strings.SplitAfter(s, "\n")
	return lines[:len(lines)-1+min(1, len(lines[len(lines)-1]))]
}
