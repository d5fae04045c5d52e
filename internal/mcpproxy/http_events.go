// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import "bytes"

// eventEnd is where the first event of a stream ends; 0 if it is not complete.
func eventEnd(b []byte) int {
	end := 0
	for _, blank := range []string{"\n\n", "\r\n\r\n"} {
		if i := bytes.Index(b, []byte(blank)); i >= 0 && (end == 0 || i+len(blank) < end) {
			end = i + len(blank)
		}
	}
	return end
}

// eventData is an event's data; of several lines joined by newlines.
func eventData(event []byte) []byte {
	var data [][]byte
	for line := range bytes.Lines(event) {
		if value, ok := bytes.CutPrefix(bytes.TrimRight(line, "\r\n"), []byte("data:")); ok {
			data = append(data, bytes.TrimPrefix(value, []byte{' '}))
		}
	}
	return bytes.Join(data, []byte{'\n'})
}
