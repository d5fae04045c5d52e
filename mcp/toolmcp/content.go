// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//lint:file-ignore SA1019 peers of older revisions send what the newest deprecates, and it is to be seen.

package toolmcp

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/toolscope/toolscope/internal/keys"
	"github.com/toolscope/toolscope/toolkit"
)

// maxBlocks is how many blocks of content a span shows.
const maxBlocks = 16

// block shows a block of content, with its size instead of its data.
type block struct {
	Role  mcp.Role         `json:"role,omitempty"`
	Kind  toolkit.PartKind `json:"type,omitempty"`
	Text  string           `json:"text,omitempty"`
	URI   string           `json:"uri,omitempty"`
	MIME  string           `json:"mimeType,omitempty"`
	Bytes int              `json:"bytes,omitempty"`
}

// addContent adds what a request other than tools/call carried and was answered, redacted
// and cut.
func (w *watcher) addContent(span trace.Span, req mcp.Request, res mcp.Result) {
	limits := w.observer.Limits()
	for _, c := range []struct {
		key   attribute.Key
		value any
		limit int
	}{{keys.Params, w.shownParams(req.GetParams()), limits.Arguments}, {keys.Result, w.shownResult(res), limits.Result}} {
		if c.value == nil {
			continue
		}
		text, err := json.Marshal(c.value)
		if err != nil {
			continue
		}
		text, _ = w.observer.Protocol().Redactor().JSONMax(text, c.limit)
		span.SetAttributes(c.key.String(string(text)))
	}
}

// shownParams is the content of parameters; nil if there is none to show.
func (w *watcher) shownParams(params mcp.Params) any {
	if isNil(params) {
		return nil
	}
	switch p := params.(type) {
	case *mcp.GetPromptParams:
		if len(p.Arguments) > 0 {
			return p.Arguments
		}
	case *mcp.CompleteParams:
		return p.Argument
	case *mcp.ElicitParams:
		return map[string]string{"message": w.cut(p.Message)}
	case *mcp.CreateMessageParams:
		var blocks []block
		for _, m := range p.Messages {
			if m != nil && len(blocks) < maxBlocks {
				blocks = append(blocks, w.blockOf(m.Role, m.Content))
			}
		}
		return blocks
	case *mcp.CreateMessageWithToolsParams:
		var blocks []block
		for _, m := range p.Messages {
			if m != nil {
				blocks = w.appendBlocks(blocks, m.Role, m.Content)
			}
		}
		return blocks
	case *mcp.LoggingMessageParams:
		return map[string]any{"level": p.Level, "logger": w.cut(p.Logger), "data": w.cut(string(rawJSON(p.Data)))}
	}
	return nil
}

// shownResult is the content of a result; nil if there is none to show.
func (w *watcher) shownResult(res mcp.Result) any {
	if isNil(res) {
		return nil
	}
	var blocks []block
	switch r := res.(type) {
	case *mcp.GetPromptResult:
		for _, m := range r.Messages {
			if m != nil && len(blocks) < maxBlocks {
				blocks = append(blocks, w.blockOf(m.Role, m.Content))
			}
		}
	case *mcp.ReadResourceResult:
		for _, c := range r.Contents {
			if c != nil && len(blocks) < maxBlocks {
				blocks = append(
					blocks, block{Kind: toolkit.PartResource, URI: c.URI, MIME: c.MIMEType, Text: w.cut(c.Text), Bytes: len(c.Blob)},
				)
			}
		}
	case *mcp.CompleteResult:
		return r.Completion.Values
	case *mcp.ElicitResult:
		return map[string]any{"action": r.Action, "content": r.Content}
	case *mcp.CreateMessageResult:
		blocks = append(blocks, w.blockOf(r.Role, r.Content))
	case *mcp.CreateMessageWithToolsResult:
		blocks = w.appendBlocks(blocks, r.Role, r.Content)
	}
	if blocks == nil {
		return nil
	}
	return blocks
}

func (w *watcher) appendBlocks(blocks []block, role mcp.Role, content []mcp.Content) []block {
	for _, c := range content {
		if len(blocks) < maxBlocks {
			blocks = append(blocks, w.blockOf(role, c))
		}
	}
	return blocks
}

func (w *watcher) blockOf(role mcp.Role, c mcp.Content) block {
	p, _ := partOf(c)
	return block{Role: role, Kind: p.Kind, Text: w.cut(p.Text), URI: p.URI, MIME: p.MIMEType, Bytes: len(p.Data)}
}

// maxText is how much text is worth encoding before it is redacted as JSON, in bytes.
const maxText = 64 << 10

// cut shortens a text that is far beyond any limit, redacted first, so that a
// large resource is not encoded whole.
func (w *watcher) cut(s string) string {
	if len(s) <= maxText {
		return s
	}
	s, _ = w.observer.Protocol().Redactor().TextMax(s, maxText)
	return s
}
