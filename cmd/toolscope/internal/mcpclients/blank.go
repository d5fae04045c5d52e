// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpclients

import "bytes"

// blank returns JSON with comments as plain JSON: comments, trailing commas and a byte order
// mark become blanks, so that every other byte stands where it stood.
func blank(text []byte) []byte {
	out := bytes.Clone(text)
	if bytes.HasPrefix(out, []byte("\xef\xbb\xbf")) {
		fill(out[:3])
	}
	comma := -1    // the last thing that is no blank, if it is a comma after a value
	value := false // the last thing that is no blank ends a value
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case c == '"':
			i = stringEnd(out, i)
			comma, value = -1, true
		case c == '/' && i+1 < len(out) && (out[i+1] == '/' || out[i+1] == '*'):
			end := commentEnd(out, i)
			fill(out[i:end])
			i = end - 1
		case c == ',':
			if comma = -1; value {
				comma = i
			}
			value = false
		case c == '}' || c == ']':
			if comma >= 0 {
				out[comma] = ' '
			}
			comma, value = -1, true
		case c != ' ' && c != '\t' && c != '\r' && c != '\n':
			comma, value = -1, c != '{' && c != '[' && c != ':'
		}
	}
	return out
}

// stringEnd is where the quote stands that ends the string at i.
func stringEnd(text []byte, i int) int {
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return i
}

// commentEnd is where the comment at i ends.
func commentEnd(text []byte, i int) int {
	mark, extra := []byte("\n"), 0
	if text[i+1] == '*' {
		mark, extra = []byte("*/"), 2
	}
	n := bytes.Index(text[i+2:], mark)
	if n < 0 {
		return len(text)
	}
	return i + 2 + n + extra
}

// fill makes blanks of all but line ends.
func fill(text []byte) {
	for i, c := range text {
		if c != '\n' && c != '\r' {
			text[i] = ' '
		}
	}
}
