// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tracing_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// ownKey is a line of keys.go that declares an attribute of toolscope's, there or in package internal/keys.
var ownKey = regexp.MustCompile(`(?m)^\tkey\w+ += attribute\.Key\("(toolscope\.[^"]+)"\)`)

// TestKeysAreDocumented: docs/spans.md lists every attribute of toolscope's.
func TestKeysAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/spans.md")
	if err != nil {
		t.Fatal(err)
	}
	declared, err := os.ReadFile("keys.go")
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"toolscope.side", "toolscope.outcome", "toolscope.tool.requested_name"} // of package internal/keys
	for _, m := range ownKey.FindAllStringSubmatch(string(declared), -1) {
		names = append(names, m[1])
	}
	if len(names) < 30 {
		t.Fatalf("keys.go: got the keys %q, want more", names)
	}
	for _, name := range names {
		if strings.HasPrefix(name, "toolscope.workflow.") {
			continue // docs/telemetry.md has those of the span invoke_workflow
		}
		if short, ok := strings.CutPrefix(name, "toolscope.redacted."); ok && short != "count" {
			name = "." + short
		}
		if !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("docs/spans.md: got no `%s`, want every key that keys.go declares", name)
		}
	}
}
