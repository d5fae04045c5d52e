// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpgo

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/toolscope/toolscope/toolkit"
)

// An outcome is what a handler returned. A policy's refusal is a result with isError, which the model
// reads, and no error, which the server would answer the request with.
type outcome struct {
	result *mcp.CallToolResult
	err    error
}

// execute is a handler as the scope wraps it.
type execute func(context.Context, mcp.CallToolRequest) outcome

func adapter(tools toolkit.Tools) toolkit.Adapter[mcp.CallToolRequest, outcome] {
	return toolkit.Adapter[mcp.CallToolRequest, outcome]{
		Tools: tools, Call: callOf, With: with, Result: resultOf, Content: addContent, Answer: answer, Copy: copyOf,
	}
}

// callOf reads the arguments as they came, with all digits of large numbers.
func callOf(r mcp.CallToolRequest) toolkit.Call {
	arguments := r.Params.RawArguments
	if arguments == nil && r.Params.Arguments != nil {
		arguments, _ = json.Marshal(r.Params.Arguments)
	}
	return toolkit.Call{Name: r.Params.Name, Arguments: arguments}
}

// with is a copy of the request with other arguments.
func with(r mcp.CallToolRequest, arguments json.RawMessage) mcp.CallToolRequest {
	r.Header = r.Header.Clone()
	if r.Params.Meta != nil {
		r.Params.Meta = &mcp.Meta{
			ProgressToken: r.Params.Meta.ProgressToken, AdditionalFields: deepCopy(r.Params.Meta.AdditionalFields),
		}
	}
	r.Params.InputResponses = maps.Clone(r.Params.InputResponses)
	r.Params.RawArguments, r.Params.Arguments = bytes.Clone(arguments), nil
	_ = json.Unmarshal(arguments, &r.Params.Arguments) // what is no JSON stays in RawArguments
	return r
}

// deepCopy is a copy of decoded JSON.
func deepCopy(fields map[string]any) map[string]any {
	if fields == nil {
		return nil
	}
	var all map[string]any
	if text, err := json.Marshal(fields); err == nil {
		_ = json.Unmarshal(text, &all)
	}
	return all
}

func resultOf(o outcome, _ error) toolkit.Result {
	r := o.result
	if o.err != nil || r == nil {
		return toolkit.Result{Fault: o.err}
	}
	return toolkit.Result{Suspended: r.NeedsInput(), Fault: toolkit.SoftError(r.IsError, firstText(r))}
}

func firstText(r *mcp.CallToolResult) string {
	for _, c := range r.Content {
		if text, ok := c.(mcp.TextContent); ok {
			return text.Text
		}
	}
	return ""
}

// block is a block of content as the protocol has it. An embedded resource has its text and data
// one level deeper than a [toolkit.Part].
type block struct {
	toolkit.Part
	Resource *struct {
		URI      string `json:"uri"`
		MIMEType string `json:"mimeType,omitempty"`
		Text     string `json:"text,omitempty"`
		Blob     []byte `json:"blob,omitempty"`
	} `json:"resource,omitempty"`
}

// addContent shows a first block of text as the output, all else as parts.
func addContent(o outcome, to *toolkit.Result) {
	r := o.result
	if r == nil {
		return
	}
	content := r.Content
	if len(content) > 0 {
		if text, ok := content[0].(mcp.TextContent); ok {
			to.Output, content = text.Text, content[1:]
		}
	}
	for _, c := range content {
		text, err := json.Marshal(c)
		if err != nil {
			continue
		}
		var b block
		if json.Unmarshal(text, &b) != nil {
			continue
		}
		if b.Resource != nil {
			b.URI, b.MIMEType, b.Text, b.Data = b.Resource.URI, b.Resource.MIMEType, b.Resource.Text, b.Resource.Blob
		}
		to.Parts = append(to.Parts, b.Part)
	}
	if structured := structuredOf(r); structured != nil {
		to.Parts = append(to.Parts, toolkit.Part{Kind: toolkit.PartStructured, JSON: structured})
	}
}

func structuredOf(r *mcp.CallToolResult) json.RawMessage {
	if r.RawStructuredContent != nil || r.StructuredContent == nil {
		return r.RawStructuredContent
	}
	text, err := json.Marshal(r.StructuredContent)
	if err != nil {
		return nil
	}
	return text
}

// answer is a policy's answer. Its text is what the model reads.
func answer(_ mcp.CallToolRequest, r toolkit.Result, err error) outcome {
	out := &mcp.CallToolResult{IsError: r.Fault != nil || err != nil}
	if r.Output == "" && len(r.Parts) == 0 && err != nil {
		r.Output = err.Error()
	}
	if r.Output != "" || len(r.Parts) == 0 {
		out.Content = append(out.Content, mcp.NewTextContent(r.Output))
	}
	for _, p := range r.Parts {
		if p.Kind == toolkit.PartStructured {
			_ = json.Unmarshal(p.JSON, &out.StructuredContent)
			continue
		}
		if c := contentOf(p); c != nil {
			out.Content = append(out.Content, c)
		}
	}
	return outcome{result: out}
}

// contentOf is a part as a block of content; nil for what the protocol does not have.
func contentOf(p toolkit.Part) mcp.Content {
	b := block{Part: p}
	if p.Kind == toolkit.PartResource {
		b.Resource = &struct {
			URI      string `json:"uri"`
			MIMEType string `json:"mimeType,omitempty"`
			Text     string `json:"text,omitempty"`
			Blob     []byte `json:"blob,omitempty"`
		}{p.URI, p.MIMEType, p.Text, p.Data}
		b.URI, b.MIMEType, b.Text, b.Data = "", "", "", nil
	}
	text, err := json.Marshal(map[string]any{"content": []block{b}})
	if err != nil {
		return nil
	}
	raw := json.RawMessage(text)
	parsed, err := mcp.ParseCallToolResult(&raw)
	if err != nil || len(parsed.Content) != 1 {
		return nil
	}
	return parsed.Content[0]
}

// copyOf is a deep copy for another call.
func copyOf(o outcome, _ mcp.CallToolRequest) outcome {
	if o.result == nil {
		return o
	}
	text, err := json.Marshal(o.result)
	if err != nil {
		panic(err) // the adapter's Answer is used instead
	}
	raw := json.RawMessage(text)
	parsed, err := mcp.ParseCallToolResult(&raw)
	if err != nil {
		panic(err)
	}
	return outcome{parsed, o.err}
}
