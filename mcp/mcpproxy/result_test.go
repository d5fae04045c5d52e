// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	stdjson "encoding/json"
	"reflect"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/watch"
	"github.com/toolscope/toolscope/mcp/toolmcp"
)

var results = []struct {
	raw   string
	plain bool // without the SDK's reader
}{
	{`{"content":[{"type":"text","text":"a"}]}`, true},
	{`{"content":[{"text":"\u00e9","type":"text"},{"type":"text","text":"b"}],"isError":true}`, true},
	{`{"content":[]}`, true},
	{`{}`, true},
	{`{"content":[{"type":"text"}]}`, true},
	{`{"content":[{"type":"text","text":"a","annotations":{"priority":1}}]}`, false},
	{`{"content":[{"type":"text","text":"a","_meta":{"k":1}}]}`, false},
	{`{"content":[{"type":"image","data":"aGk=","mimeType":"image/png"}]}`, false},
	{`{"content":[{"type":"text","text":"a"}],"structuredContent":{"a":1}}`, false},
	{`{"content":[{"type":"text","text":"a"}],"_meta":{"k":1}}`, false},
	{`{"content":[{"type":"text","text":"a"}],"resultType":"input_required","requestState":"s"}`, false},
	{`{"content":[{"text":"a"}]}`, false},
	{`{"content":[{"type":"text","text":"a"}],"isError":"yes"}`, false},
	{`[]`, false},
	{`"text"`, false},
}

// A result that has texts only is read as the SDK reads it.
func TestTextResults(t *testing.T) {
	for _, tt := range results {
		sameResult(t, []byte(tt.raw))
		if got := watch.TextResult([]byte(tt.raw)) != nil; got != tt.plain {
			t.Errorf("%s: got read as texts: %t, want %t", tt.raw, got, tt.plain)
		}
	}
}

func sameResult(t *testing.T, raw []byte) {
	t.Helper()
	plain := watch.TextResult(raw)
	if plain == nil {
		return
	}
	var want mcp.CallToolResult
	if err := stdjson.Unmarshal(raw, &want); err != nil {
		t.Fatalf("%s: read as texts, and the SDK says %v", raw, err)
	}
	if got, want := toolmcp.ResultOf(plain), toolmcp.ResultOf(&want); !reflect.DeepEqual(got, want) {
		t.Fatalf("%s: got %+v, want %+v", raw, got, want)
	}
}

// FuzzTextResult: what is read as texts is what the SDK reads.
func FuzzTextResult(f *testing.F) {
	for _, tt := range results {
		f.Add([]byte(tt.raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) { sameResult(t, raw) })
}
