// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"bytes"
	"testing"

	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/mirror"
)

// FuzzEncoded: what a header repeats is read as it was, and stands in letters that headers have.
func FuzzEncoded(f *testing.F) {
	for _, text := range []string{"", "a", " a", "é", "=?base64?", "=?base64?YQ==?=", "a\x00"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		value := mirror.Encoded(text)
		if !mirror.DecodesTo(value, text) || mirror.DecodesTo(value, text+"x") ||
			bytes.ContainsFunc([]byte(value), mirror.UnsafeInHeader) {
			t.Errorf("%q: got %q", text, value)
		}
	})
}
