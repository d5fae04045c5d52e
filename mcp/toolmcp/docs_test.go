// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDocsNameTests checks that the tests which docs/guarantees-mcp.md names for its claims are there.
func TestDocsNameTests(t *testing.T) {
	const root = "../.."
	text, err := os.ReadFile(filepath.Join(root, "docs", "guarantees-mcp.md"))
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	defined := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)\w+)\(`)
	for _, dir := range []string{"mcp/toolmcp", "mcp/mcpproxy", "mcp/manager", "e2e", "cmd/toolscope", "internal/linefile"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.Name() == "node_modules" {
				return filepath.SkipDir
			}
			if !strings.HasSuffix(path, "_test.go") {
				return nil
			}
			source, err := os.ReadFile(path)
			for _, m := range defined.FindAllSubmatch(source, -1) {
				have[string(m[1])] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	named := regexp.MustCompile("`((?:Test|Fuzz|Benchmark)\\w+)`").FindAllStringSubmatch(string(text), -1)
	if len(named) < 90 {
		t.Errorf("got %d tests named, want a test for each claim", len(named))
	}
	for _, m := range named {
		if !have[m[1]] {
			t.Errorf("docs/guarantees-mcp.md names %s, which is no test", m[1])
		}
	}
}
