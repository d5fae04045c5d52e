// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package scan

import (
	"strings"
	"unicode/utf8"

	"github.com/toolscope/toolscope/internal/chars"
)

const (
	// binaryHead is how much of a text tells whether it is binary, minBinary how much is needed, in bytes.
	binaryHead = 512
	minBinary  = 64
)

// isBinary reports whether s is no text: its head has a NUL, a tenth of it are control characters or no UTF-8,
// and it is not UTF-16. What is binary is removed as a whole, so that a text taken for binary shows
// nothing, and a binary taken for text is scanned as one.
func isBinary(s string) bool {
	if len(s) < minBinary {
		return false
	}
	head := s[:min(len(s), binaryHead)]
	if strings.IndexByte(head, 0) < 0 {
		return false
	}
	var nul [2]int // at even and at odd places
	odd := 0
	for i := 0; i < len(head); {
		c := head[i]
		size := 1
		switch {
		case c == 0:
			nul[i%2]++
		case c >= utf8.RuneSelf:
			var r rune
			if r, size = utf8.DecodeRuneInString(head[i:]); r == utf8.RuneError && size == 1 {
				odd++
			}
		case c < ' ' && !chars.IsSpace(c) && c != '\b' && c != 0x1b || c == 0x7f:
			odd++
		}
		i += size
	}
	if max(nul[0], nul[1])*5 >= len(head)*2 && min(nul[0], nul[1])*8 <= len(head) {
		return false // UTF-16 of a language written in ASCII
	}
	return odd*10 >= len(head)
}
