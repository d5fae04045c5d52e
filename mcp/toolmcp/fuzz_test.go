// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope/mcp/toolmcp"
	"github.com/toolscope/toolscope/toolkit"
)

// FuzzResult takes results that a server may send into toolscope's form and back: it never
// panics, what fails goes on failing, what the tool says in _meta stays, and once through
// changes nothing more.
func FuzzResult(f *testing.F) {
	for _, r := range hostileResults {
		if text, ok := strings.CutPrefix(r, `"result":`); ok {
			f.Add([]byte(text))
		}
	}
	f.Add(
		[]byte(
			`{"content":[{"type":"text","text":"a"},{"type":"image","data":"YQ==","mimeType":"x","_meta":{"a":1}}],` +
				`"structuredContent":{"b":[null]},"_meta":{"c":{"d":1e3}}}`,
		),
	)
	f.Fuzz(func(t *testing.T, text []byte) {
		var r mcp.CallToolResult
		if len(text) > 1<<16 || json.Unmarshal(text, &r) != nil {
			return
		}
		first := toolmcp.ResultOf(&r)
		second := toolmcp.ResultOf(toolmcp.CallToolResultOf(first))
		third := toolmcp.ResultOf(toolmcp.CallToolResultOf(second))
		for _, later := range []toolkit.Result{second, third} {
			if (later.Fault != nil) != r.IsError {
				t.Errorf("got the fault %v, want isError %v", later.Fault, r.IsError)
			}
			if !reflect.DeepEqual(later.Meta, first.Meta) {
				t.Errorf("got the _meta %s, want %s", later.Meta, first.Meta)
			}
		}
		if was, is := shown(t, second), shown(t, third); was != is {
			t.Errorf("got %s, want %s", is, was)
		}
	})
}

func shown(t *testing.T, r toolkit.Result) string {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
