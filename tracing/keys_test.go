// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tracing_test

import (
	"os"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/tracing"
)

// TestKeysAreDocumented: docs/spans.md lists every attribute of toolscope's.
func TestKeysAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/spans.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range tracing.Keys() {
		name := string(key)
		if short, ok := strings.CutPrefix(name, "toolscope.redacted."); ok && short != "count" {
			name = "." + short
		}
		if !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("docs/spans.md: got no `%s`, want every key that tracing.Keys lists", name)
		}
	}
}
