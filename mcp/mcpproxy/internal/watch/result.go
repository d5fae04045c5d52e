// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package watch

import (
	stdjson "encoding/json"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/wire"
	"github.com/toolscope/toolscope/mcp/toolmcp"
	"github.com/toolscope/toolscope/toolkit"
)

// ResultOf is an answer to tools/call as a result of toolscope. One that cannot be read is
// shown as it is.
func ResultOf(raw []byte) toolkit.Result {
	if r := TextResult(raw); r != nil {
		return toolmcp.ResultOf(r)
	}
	var r mcp.CallToolResult
	if err := stdjson.Unmarshal(raw, &r); err != nil {
		var a wire.Answer
		_ = wire.Unmarshal(raw, &a)
		return toolkit.Result{Output: string(raw), Fault: toolkit.SoftError(a.IsError, string(raw))}
	}
	return toolmcp.ResultOf(&r)
}

// TextResult reads a result that has no more than texts, as most have, and isError; nil for any other.
// The SDK's own reader takes a buffer of 32 KiB for each.
func TextResult(raw []byte) *mcp.CallToolResult {
	var plain struct {
		Content []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"content"`
		IsError bool `json:"isError"`
	}
	if json.Unmarshal(raw, &plain, json.RejectUnknownMembers(true)) != nil {
		return nil
	}
	r := &mcp.CallToolResult{IsError: plain.IsError, Content: make([]mcp.Content, len(plain.Content))}
	for i, c := range plain.Content {
		if c.Type != "text" {
			return nil
		}
		r.Content[i] = &mcp.TextContent{Text: c.Text}
	}
	return r
}
