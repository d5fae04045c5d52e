// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolscope_test

import (
	"context"
	"encoding/json"
)

// ToolCall, ToolResult and execute stand for a program's own registry.
type ToolCall struct {
	ID, Name  string
	Arguments json.RawMessage
}

type ToolResult struct {
	ToolCallID, Output string
	IsError            bool
}

func execute(_ context.Context, c ToolCall) ToolResult {
	if c.Name != "read" {
		return ToolResult{c.ID, "no such tool", true}
	}
	return ToolResult{ToolCallID: c.ID, Output: "text of the file"}
}
