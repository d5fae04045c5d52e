// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package tracing

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/toolkit"
)

// ContentReport is what redaction and truncation did to one call's content, never the
// content.
type ContentReport struct {
	Tool                                *toolkit.Definition // nil if not registered
	Findings                            redact.Findings
	ArgumentsTruncated, ResultTruncated bool
}

// addContent adds arguments and result, redacted and truncated. The conventions give
// their attribute of a result to successful calls only, so that of a failed call has one
// of toolscope's. A refused call has none: what the model got is the text of the status.
func (o *Observer) addContent(a *attributes, info *toolInfo, e *toolkit.Ended) {
	told := ContentReport{Tool: e.Info.Tool}
	var arguments, result redact.Findings
	redactor := o.redactor.ForTool(e.Call.Name)
	if tool := e.Info.Tool; tool != nil && tool.Description != "" {
		a.text(keyToolDesc, info.description.forTool(o, tool.Description))
	}
	if e.Call.Intent != "" {
		text, _ := redactor.TextMax(e.Call.Intent, o.limits.Error)
		a.text(keyIntent, valid(text))
	}
	if len(e.Call.Arguments) > 0 {
		text, report := redactor.JSONCopyMax(e.Call.Arguments, o.limits.Arguments)
		a.text(keyArguments, valid(text))
		if told.ArgumentsTruncated = report.Truncated; report.Truncated {
			a.yes(keyArgumentsTruncated)
		}
		arguments = report.Findings
	}
	key := keyResult
	if e.ErrorType != "" {
		key = keyErrorResult
	}
	refused := e.Disposition.Outcome == toolkit.OutcomeRefused
	if e.Content && !refused && (e.Result.Output != "" || len(e.Result.Parts) > 0) {
		text, report := o.result(redactor, e.Result)
		a.text(key, text)
		if told.ResultTruncated = report.Truncated; report.Truncated {
			a.yes(keyResultTruncated)
		}
		result = report.Findings
	}
	if told.Findings = arguments; len(result) > 0 {
		told.Findings = append(arguments[:len(arguments):len(arguments)], result...)
	}
	if len(told.Findings) > 0 {
		a.list = append(a.list, info.redacted(told.Findings, len(arguments))...)
	}
	if o.contentReport != nil && (told.ArgumentsTruncated || told.ResultTruncated || len(told.Findings) > 0) {
		o.contentReport(told)
	}
}

// result is the result's text: JSON as JSON, text as text; with parts, an object
// that tells text, kinds and sizes, but never carries data. Structured content that
// says what the text says, as MCP asks of servers, is shown once.
func (o *Observer) result(redactor *redact.Redactor, r toolkit.Result) (string, redact.Report) {
	if len(r.Parts) > 0 && !saidTwice(r) {
		text, report := redactor.JSONCopyMax(partsJSON(r), o.limits.Result)
		return valid(text), report
	}
	if looksLikeJSON(r.Output) {
		text, report := redactor.JSONTextMax(r.Output, o.limits.Result)
		return valid(text), report
	}
	text, report := redactor.TextMax(r.Output, o.limits.Result)
	return valid(text), report
}

// saidTwice reports whether the result's only part is its text, as structured content.
func saidTwice(r toolkit.Result) bool {
	return len(r.Parts) == 1 && r.Parts[0].Kind == toolkit.PartStructured && string(r.Parts[0].JSON) == r.Output
}

// looksLikeJSON reports whether s is worth a JSON walk: only objects and arrays
// are drawn as a tree.
func looksLikeJSON(s string) bool {
	s = strings.TrimLeft(s, " \t\r\n")
	return s != "" && (s[0] == '{' || s[0] == '[')
}

func partsJSON(r toolkit.Result) []byte {
	type part struct {
		Kind     toolkit.PartKind `json:"type"`
		Text     string           `json:"text,omitempty"`
		JSON     json.RawMessage  `json:"structuredContent,omitempty"`
		MIMEType string           `json:"mimeType,omitempty"`
		URI      string           `json:"uri,omitempty"`
		Name     string           `json:"name,omitempty"`
		Bytes    int              `json:"bytes,omitempty"`
	}
	view := struct {
		Output string `json:"output,omitempty"`
		Parts  []part `json:"parts"`
	}{Output: r.Output}
	for _, p := range r.Parts {
		v := part{Kind: p.Kind, Text: p.Text, MIMEType: p.MIMEType, URI: p.URI, Name: p.Name, Bytes: len(p.Data)}
		if json.Valid(p.JSON) {
			v.JSON = p.JSON
		}
		view.Parts = append(view.Parts, v)
	}
	text, err := json.Marshal(view)
	if err != nil {
		return []byte(`{"parts":"not shown"}`)
	}
	return text
}

// valid makes text valid UTF-8: one invalid string makes OTLP over gRPC refuse a
// whole batch.
func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
