// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package watch

import (
	stdjson "encoding/json"
	"errors"

	"github.com/go-json-experiment/json/jsontext"
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
	r := new(mcp.CallToolResult)
	err := wire.Read(raw, func(d *jsontext.Decoder) error {
		return wire.ReadMembers(d, func(name []byte, value jsontext.Value) (err error) {
			switch string(name) {
			case "content":
				r.Content, err = textsOf(value)
			case "isError":
				err = wire.ReadFlag(value, &r.IsError)
			default:
				err = errNoText
			}
			return err
		})
	})
	if err != nil {
		return nil
	}
	return r
}

// errNoText says that there is more than texts.
var errNoText = errors.New("mcpproxy: got more than texts")

// textsOf are the texts of a list.
func textsOf(list []byte) (all []mcp.Content, err error) {
	err = wire.Read(list, func(d *jsontext.Decoder) error {
		if d.PeekKind() != '[' {
			return errNoText
		}
		if _, err := d.ReadToken(); err != nil {
			return err
		}
		for d.PeekKind() != ']' {
			var kind, text string
			err := wire.ReadMembers(d, func(name []byte, value jsontext.Value) error {
				switch string(name) {
				case "type":
					return wire.ReadText(value, &kind)
				case "text":
					return wire.ReadText(value, &text)
				}
				return errNoText
			})
			if err != nil || kind != "text" {
				return errors.Join(err, errNoText)
			}
			all = append(all, &mcp.TextContent{Text: text})
		}
		_, err := d.ReadToken()
		return err
	})
	return all, err
}
