// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolmcp

import (
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope/toolkit"
)

// ResultOf is a result of the protocol in toolscope's form. A failed one (isError) has a
// fault of kind tool_error with its text; nil is an empty result. Of its _meta the
// protocol's own keys (io.modelcontextprotocol/…) are left out: they are for one hop.
func ResultOf(r *mcp.CallToolResult) toolkit.Result {
	return resultView(r, reply{res: r}.failure())
}

// CallToolResultOf is a result of toolscope in the protocol's form. Parts of kinds that the
// protocol does not have are left out.
func CallToolResultOf(r toolkit.Result) *mcp.CallToolResult { return callToolResult(r) }

// resultView shows a result of the protocol: a first block that is plain text is the
// output, all else are parts, in order, the structured content last.
func resultView(r *mcp.CallToolResult, fault error) toolkit.Result {
	view := resultHead(r, fault)
	readContent(r, &view)
	return view
}

// resultHead is the result without its content.
func resultHead(r *mcp.CallToolResult, fault error) toolkit.Result {
	return toolkit.Result{Fault: fault, Suspended: suspended(r)}
}

// readContent sets the content of view.
func readContent(r *mcp.CallToolResult, view *toolkit.Result) {
	if r == nil {
		return
	}
	content := r.Content
	if len(content) > 0 {
		if t, ok := content[0].(*mcp.TextContent); ok && t != nil && t.Meta == nil && t.Annotations == nil {
			view.Output, content = t.Text, content[1:]
		}
	}
	for _, c := range content {
		if p, ok := partOf(c); ok {
			view.Parts = append(view.Parts, p)
		}
	}
	view.Meta = ownMeta(r.Meta)
	if structured := rawJSON(r.StructuredContent); structured != nil {
		view.Parts = append(view.Parts, toolkit.Part{Kind: toolkit.PartStructured, JSON: structured})
	}
}

// protocolMeta begins the keys of a result's _meta that are the protocol's own: they are
// between two peers, and a proxy sets its own.
const protocolMeta = "io.modelcontextprotocol/"

// ownMeta is what a tool said in its result's _meta, but what cannot be encoded; nil if it
// said nothing.
func ownMeta(m mcp.Meta) (own map[string]json.RawMessage) {
	if _, usual := m[mcp.MetaKeyServerInfo]; len(m) == 0 || usual && len(m) == 1 {
		return nil
	}
	for key, value := range m {
		if strings.HasPrefix(key, protocolMeta) {
			continue
		}
		if text, err := json.Marshal(value); err == nil {
			if own == nil {
				own = make(map[string]json.RawMessage, len(m))
			}
			own[key] = text
		}
	}
	return own
}

// metaSaid is _meta of what a result of toolscope says, but what is no JSON.
func metaSaid(own map[string]json.RawMessage) (m mcp.Meta) {
	for key, text := range own {
		var value any
		if json.Unmarshal(text, &value) == nil {
			if m == nil {
				m = make(mcp.Meta, len(own))
			}
			m[key] = value
		}
	}
	return m
}

// metaFrom is _meta of JSON; nil for what is no object.
func metaFrom(text json.RawMessage) (m mcp.Meta) {
	if len(text) == 0 || json.Unmarshal(text, &m) != nil {
		return nil
	}
	return m
}

// partOf shows a block of content; false for a kind that results do not have.
func partOf(c mcp.Content) (p toolkit.Part, ok bool) {
	if isNil(c) {
		return p, false
	}
	annotate := func(a *mcp.Annotations, m mcp.Meta) {
		if a != nil {
			p.Annotations = rawJSON(a)
		}
		if m != nil {
			p.Meta = rawJSON(m)
		}
	}
	switch c := c.(type) {
	case *mcp.TextContent:
		p.Kind, p.Text = toolkit.PartText, c.Text
		annotate(c.Annotations, c.Meta)
	case *mcp.ImageContent:
		p.Kind, p.Data, p.MIMEType = toolkit.PartImage, c.Data, c.MIMEType
		annotate(c.Annotations, c.Meta)
	case *mcp.AudioContent:
		p.Kind, p.Data, p.MIMEType = toolkit.PartAudio, c.Data, c.MIMEType
		annotate(c.Annotations, c.Meta)
	case *mcp.ResourceLink:
		p.Kind, p.URI, p.Name, p.MIMEType = toolkit.PartResourceLink, c.URI, c.Name, c.MIMEType
		p.Title, p.Description = c.Title, c.Description
		annotate(c.Annotations, c.Meta)
	case *mcp.EmbeddedResource:
		p.Kind = toolkit.PartResource
		if r := c.Resource; r != nil {
			p.URI, p.MIMEType, p.Text, p.Data = r.URI, r.MIMEType, r.Text, r.Blob
		}
		annotate(c.Annotations, c.Meta)
	default:
		return p, false
	}
	return p, true
}

// callToolResult is a result of toolscope in the protocol's form.
func callToolResult(r toolkit.Result) *mcp.CallToolResult {
	out := &mcp.CallToolResult{Meta: metaSaid(r.Meta), IsError: r.Fault != nil}
	if r.Output != "" || len(r.Parts) == 0 {
		out.Content = append(out.Content, &mcp.TextContent{Text: r.Output})
	}
	for i := range r.Parts {
		p := &r.Parts[i]
		if p.Kind == toolkit.PartStructured {
			if json.Valid(p.JSON) {
				out.StructuredContent = p.JSON
			}
			continue
		}
		if c := contentOf(p); c != nil {
			out.Content = append(out.Content, c)
		}
	}
	if out.Content == nil && out.StructuredContent != nil { // for clients that know no structured content
		out.Content = []mcp.Content{&mcp.TextContent{Text: string(rawJSON(out.StructuredContent))}}
	}
	return out
}

// contentOf is a part in the protocol's form; nil for a kind it does not have.
func contentOf(p *toolkit.Part) mcp.Content {
	var annotations *mcp.Annotations
	m := metaFrom(p.Meta)
	if len(p.Annotations) > 0 {
		_ = json.Unmarshal(p.Annotations, &annotations) // what does not fit is left out
	}
	switch p.Kind {
	case toolkit.PartText:
		return &mcp.TextContent{Text: p.Text, Meta: m, Annotations: annotations}
	case toolkit.PartImage:
		return &mcp.ImageContent{Data: p.Data, MIMEType: p.MIMEType, Meta: m, Annotations: annotations}
	case toolkit.PartAudio:
		return &mcp.AudioContent{Data: p.Data, MIMEType: p.MIMEType, Meta: m, Annotations: annotations}
	case toolkit.PartResource:
		return &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{
			URI: p.URI, MIMEType: p.MIMEType, Text: p.Text, Blob: p.Data,
		}, Meta: m, Annotations: annotations}
	case toolkit.PartResourceLink:
		return &mcp.ResourceLink{
			URI: p.URI, Name: p.Name, Title: p.Title, Description: p.Description, MIMEType: p.MIMEType, Meta: m,
			Annotations: annotations,
		}
	}
	return nil
}

// rawJSON is a value as JSON; nil for nil and for what cannot be encoded.
func rawJSON(v any) json.RawMessage {
	switch v := v.(type) {
	case nil:
		return nil
	case json.RawMessage:
		return v
	}
	text, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return text
}

// textOf is the text of a result, for an error.
func textOf(r *mcp.CallToolResult) string {
	var b strings.Builder
	for _, c := range r.Content {
		if t, ok := c.(*mcp.TextContent); ok && t != nil {
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(t.Text)
		}
	}
	return b.String()
}
