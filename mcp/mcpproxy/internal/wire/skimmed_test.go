// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"testing"

	"github.com/toolscope/toolscope/mcp/internal/skim"
)

func TestSkimmedMessage(t *testing.T) {
	s := new(skim.Skimmer)
	s.Feed(
		[]byte(`{"method":"tools/call","params":{"name":"x","arguments":{"name":"no"},"_meta":{"traceparent":"00-1"}},"id":12`),
	)
	s.Feed([]byte("}\n"))
	if m, ok := SkimmedMessage(s, 0); !ok || m.Method != MethodCallTool || m.Key() != "12" || m.ReadParams().Name != "x" ||
		m.ReadParams().Meta.Get("traceparent") != "00-1" {
		t.Errorf("got %+v", s.Found)
	}
}
