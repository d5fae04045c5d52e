// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package toolkit

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
)

// A Result is what a tool answered. It is read-only once returned: code that
// stores or shares one copies it. The layer at the edge stamps the call's id on it
// ([Answer]), so that one result can answer several calls.
type Result struct {
	// Output is the text for the model.
	Output string `json:"output,omitempty"`
	// Parts is what is not plain text: images, audio, resources, structured
	// content, as the Model Context Protocol has them.
	Parts []Part `json:"parts,omitempty"`
	// Meta is what the tool, or a policy that answers for it, says beside the content to
	// readers that know its keys (MCP's _meta); nil says nothing. It reaches no model and no
	// span.
	Meta map[string]json.RawMessage `json:"_meta,omitempty"`
	// Fault says that the tool answered with a failure (MCP's isError); nil is a
	// success. It is [ErrTool] if no more is known: then observers take the text of
	// the failure from Output, else from the first of the Parts that has a text.
	Fault error `json:"-"`
	// Suspended says that the tool waits for input or was interrupted: such a
	// result is neither a failure nor an answer; it is never stored, shared
	// or retried.
	Suspended bool `json:"suspended,omitempty"`

	foreign foreignResult // the result of another registry that this stands for; nil for none

	_ uintptr // see TestSizes
}

// Size is the number of bytes of text, data and Meta in the result.
func (r Result) Size() int {
	n := len(r.Output)
	if r.Meta != nil {
		n += sizeOfMeta(r.Meta)
	}
	for i := range r.Parts {
		n += r.Parts[i].Size()
	}
	return n
}

// Shareable reports whether the result may be stored or given to other calls: not if it is
// suspended, nor if it stands for a result of another registry that cannot be copied. The copy may
// be made here; [Result.Clone] then uses it.
func (r Result) Shareable() bool { return !r.Suspended && (r.foreign == nil || r.foreign.shareable()) }

// Clone copies the result so that a caller cannot change what another holds.
// The fault, being an error, is shared.
func (r Result) Clone() Result {
	if r.foreign != nil {
		r.foreign = r.foreign.share()
	}
	return r.cloneContent()
}

// cloneContent copies what the result itself holds.
func (r Result) cloneContent() Result {
	if r.Meta != nil {
		r.Meta = cloneMeta(r.Meta)
	}
	if r.Parts == nil {
		return r
	}
	parts := make([]Part, len(r.Parts))
	for i, p := range r.Parts {
		parts[i] = p.clone()
	}
	r.Parts = parts
	return r
}

// What few results have is counted and copied in functions of their own: going over a map,
// be it nil, costs every result its iterator.
func sizeOfMeta(m map[string]json.RawMessage) (n int) {
	for key, value := range m {
		n += len(key) + len(value)
	}
	return n
}

func cloneMeta(m map[string]json.RawMessage) map[string]json.RawMessage {
	m = maps.Clone(m)
	for key, value := range m {
		m[key] = slices.Clone(value)
	}
	return m
}

// Format prints sizes and kinds, whatever the verb, never the output.
func (r Result) Format(f fmt.State, _ rune) {
	fmt.Fprint(f, "Result{output:", strconv.Itoa(len(r.Output)), "B parts:", strconv.Itoa(len(r.Parts)),
		" fault:", quote(TypeOf(r.Fault)), " suspended:", strconv.FormatBool(r.Suspended), "}")
}

// LogValue gives sizes and kinds, never the output.
func (r Result) LogValue() slog.Value {
	return slog.GroupValue(
		slog.Int("output_bytes", len(r.Output)),
		slog.Int("parts", len(r.Parts)),
		slog.String("error_type", TypeOf(r.Fault)),
		slog.Bool("suspended", r.Suspended))
}

// An Answer is a result stamped with the call it belongs to, in the order of the
// calls given to an [Executor].
type Answer struct {
	CallID string `json:"id,omitempty"`
	Name   string `json:"name"`
	Result Result `json:"result"`
}

// Format prints name, id and sizes, whatever the verb, never the output.
func (a Answer) Format(f fmt.State, _ rune) {
	fmt.Fprint(f, "Answer{name:", quote(a.Name), " id:", quote(a.CallID), " ", a.Result, "}")
}

// LogValue gives name, id and sizes, never the output.
func (a Answer) LogValue() slog.Value {
	return slog.GroupValue(slog.String("name", clip(a.Name)), slog.String("id", clip(a.CallID)), slog.Any("result", a.Result))
}
