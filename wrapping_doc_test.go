// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestWrappingDocumentation checks that the Go blocks of docs/wrapping.md with a mark are code of the
// examples, which are compiled and run.
func TestWrappingDocumentation(t *testing.T) {
	page, err := os.ReadFile("docs/wrapping.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("example_wrapping_test.go")
	if err != nil {
		t.Fatal(err)
	}
	words := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	code := strings.ReplaceAll(words(string(source)), "{ fmt.Println(err) return }", "{ … }")
	blocks := regexp.MustCompile("(?s)example_wrapping_test.go[^\n]*-->\n```go\n(.*?)```").FindAllSubmatch(page, -1)
	if len(blocks) < 5 {
		t.Errorf("got %d blocks, want an adapter, policies, a middleware, callbacks and a stream", len(blocks))
	}
	for _, block := range blocks {
		if text := words(string(block[1])); !strings.Contains(code, text) {
			t.Errorf("not in the examples: %s", text)
		}
	}
}
