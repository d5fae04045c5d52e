// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"fmt"
	"strings"
	"testing"

	"github.com/toolscope/toolscope/internal/keys"
	"github.com/toolscope/toolscope/stats"
)

// A client that has not listed the server's tools calls names that its model made up. They are one name in
// span names and statistics, and stand on the spans; a failure of such a call is not one of an unknown tool.
func TestMadeUpNames(t *testing.T) {
	w := newWatched(t, Options{})
	c := w.connect()
	for i := range 400 {
		c.client(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"made_up_%d"}}`, i, i)
		c.server(`{"jsonrpc":"2.0","id":%d,"result":{"isError":%v,"content":[{"type":"text","text":"x"}]}}`, i, i%2 == 0)
	}
	w.settle()
	names, requested := map[string]bool{}, map[string]bool{}
	for _, s := range w.spans.Ended() {
		names[s.Name()] = true
		requested[has(s, "toolscope.tool.requested_name")] = true
		if kind := has(s, keys.ErrorType); kind != "" && kind != "tool_error" {
			t.Errorf("got error.type %s, want tool_error", kind)
		}
	}
	if len(names) != 1 || !names["tools/call _unknown"] || len(requested) != 400 {
		t.Errorf("got %d span names and %d names on spans, want 1 and 400", len(names), len(requested))
	}
	if tools := w.Scope.Stats().Snapshot(stats.Window{}).Tools; len(tools) != 1 || tools[0].Calls() != 400 {
		t.Errorf("got %d tools in the statistics, want one of 400 calls", len(tools))
	}
}

// What an earlier connection to the server listed is known by its name before the next one lists it.
func TestToolsOfAnEarlierConnection(t *testing.T) {
	w := newWatched(t, Options{})
	w.Earlier.Replace(nil)
	first := w.connect()
	first.client(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	first.server(`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"read","inputSchema":{"type":"object"}}]}}`)
	w.settle()
	second := w.connect()
	for i, name := range []string{"read", "made_up"} {
		second.client(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q}}`, i, name)
		second.server(`{"jsonrpc":"2.0","id":%d,"result":{"content":[]}}`, i)
	}
	w.settle()
	var names []string
	for _, s := range w.spans.Ended() {
		if strings.HasPrefix(s.Name(), "tools/call") {
			names = append(names, s.Name())
		}
	}
	if got := fmt.Sprint(names); got != "[tools/call read tools/call _unknown]" {
		t.Errorf("got %s", got)
	}
}
