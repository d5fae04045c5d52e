// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tracing

import (
	"bytes"
	"encoding/json"
)

// stringMember is a member of a JSON object that is a string; "" if there is none, or if it is written with escapes.
// It does not decode: a decoder costs each program that observes 300 KB, and few tools load skills.
func stringMember(object []byte, name string) (value string) {
	if object = bytes.TrimSpace(object); name == "" || len(object) == 0 || object[0] != '{' || !json.Valid(object) {
		return ""
	}
	depth, key := 0, ""
	for i := 0; i < len(object); i++ {
		switch object[i] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case '"':
			end := stringEnd(object, i)
			text := string(object[i+1 : end])
			i = end
			if depth != 1 {
				continue
			}
			if rest := bytes.TrimLeft(object[end+1:], " \t\r\n"); rest[0] == ':' {
				key = text
				if key == name {
					value = ""
				}
				continue
			}
			if key == name && bytes.IndexByte([]byte(text), '\\') < 0 {
				value = text
			}
		}
	}
	return value
}

// stringEnd is the closing quote of the string that begins at i.
func stringEnd(object []byte, i int) int {
	for i++; object[i] != '"'; i++ {
		if object[i] == '\\' {
			i++
		}
	}
	return i
}
