// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
)

// PartKind tells which fields of a [Part] are set. The values are those of the
// Model Context Protocol's content blocks, plus "structured" for
// structuredContent.
type PartKind string

// The kinds of a part.
const (
	PartText         PartKind = "text"          // Text
	PartImage        PartKind = "image"         // Data, MIMEType
	PartAudio        PartKind = "audio"         // Data, MIMEType
	PartResource     PartKind = "resource"      // URI, MIMEType, and Text or Data
	PartResourceLink PartKind = "resource_link" // URI, Name, Title, Description, MIMEType
	PartStructured   PartKind = "structured"    // JSON
)

// A Part is one block of a result's content.
type Part struct {
	Kind        PartKind        `json:"type"`
	Text        string          `json:"text,omitempty"`
	Data        []byte          `json:"data,omitempty"` // base64 in JSON, as MCP has it
	MIMEType    string          `json:"mimeType,omitempty"`
	URI         string          `json:"uri,omitempty"`
	Name        string          `json:"name,omitempty"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	JSON        json.RawMessage `json:"structuredContent,omitempty"`
	// Annotations and Meta are MCP's annotations and _meta, kept as they came.
	Annotations json.RawMessage `json:"annotations,omitempty"`
	Meta        json.RawMessage `json:"_meta,omitempty"`
}

// Size is the number of bytes of text, data and Meta in the part.
func (p Part) Size() int { return len(p.Text) + len(p.Data) + len(p.JSON) + len(p.Meta) }

func (p Part) clone() Part {
	p.Data = slices.Clone(p.Data)
	p.JSON = slices.Clone(p.JSON)
	p.Annotations = slices.Clone(p.Annotations)
	p.Meta = slices.Clone(p.Meta)
	return p
}

func (p Part) equal(q Part) bool {
	return p.Kind == q.Kind && p.Text == q.Text && p.MIMEType == q.MIMEType && p.URI == q.URI &&
		p.Name == q.Name && p.Title == q.Title && p.Description == q.Description && sameBytes(p.Data, q.Data) &&
		sameBytes(p.JSON, q.JSON) && sameBytes(p.Annotations, q.Annotations) && sameBytes(p.Meta, q.Meta)
}

// Format prints kind and size, whatever the verb, never the content.
func (p Part) Format(f fmt.State, _ rune) {
	fmt.Fprint(f, "Part{", quote(string(p.Kind)), " ", strconv.Itoa(p.Size()), "B}")
}

// LogValue gives kind and size, never the content.
func (p Part) LogValue() slog.Value {
	return slog.GroupValue(slog.String("type", clip(string(p.Kind))), slog.Int("bytes", p.Size()))
}
