// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package process

import (
	"strings"
	"testing"
)

// TestOutput compares with the plain rule: the first and the last bytes.
func TestOutput(t *testing.T) {
	const text = "abcdefghijklmnopqrstuvwxyz"
	for limit := 1; limit <= 30; limit++ {
		for chunk := 1; chunk <= len(text); chunk++ {
			c := NewOutput(limit)
			for rest := text; rest != ""; {
				n, err := c.Write([]byte(rest[:min(chunk, len(rest))]))
				if err != nil {
					t.Fatal(err)
				}
				rest = rest[n:]
			}
			head, tail := limit-limit/2, limit/2
			got := c.Text()
			if limit >= len(text) {
				if got != text {
					t.Fatalf("limit %d, chunks of %d: got %q", limit, chunk, got)
				}
				continue
			}
			if !strings.HasPrefix(got, text[:head]+"\n[") || !strings.HasSuffix(got, "left out]\n"+text[len(text)-tail:]) {
				t.Fatalf("limit %d, chunks of %d: got %q", limit, chunk, got)
			}
		}
	}
}
