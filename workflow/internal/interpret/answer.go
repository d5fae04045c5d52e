// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package interpret

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/workflow/internal/expression"
)

// MetaKey is the member of a result's Meta that has the run of a workflow.
const MetaKey = "toolscope/workflow"

// maxMessage is how much of a failure's text is kept, in bytes.
const maxMessage = 4 << 10

// AnswerOf is what a workflow sees of a tool's result: the structured part if there is one, else the output, which is
// read as JSON if it is an object or a list.
func AnswerOf(res toolkit.Result) Answer {
	a := Answer{Bytes: res.Size()}
	switch {
	case res.Fault != nil:
		text := res.Output
		if text == "" {
			text = res.Fault.Error()
		}
		a.Failure = &Failure{
			Type: toolkit.TypeOf(res.Fault), Message: text[:min(len(text), maxMessage)], Nested: res.Meta[MetaKey] != nil,
		}
		return a
	case res.Suspended:
		a.Failure = &Failure{Type: string(toolkit.ErrApprovalExpired), Message: "the tool waits for an approval or for input"}
		return a
	}
	for _, part := range res.Parts {
		if part.Kind == toolkit.PartStructured {
			value, err := expression.Decode(part.JSON)
			if err != nil {
				a.Failure = invalid("", fmt.Errorf("the tool's structured result: %w", err))
			}
			a.Value = value
			return a
		}
	}
	a.Value = res.Output
	if text := bytes.TrimSpace([]byte(res.Output)); len(text) > 0 && (text[0] == '{' || text[0] == '[') && json.Valid(text) {
		value, err := expression.Decode(text)
		if err != nil {
			a.Failure = invalid("", fmt.Errorf("the tool's result: %w", err))
		}
		a.Value = value
	}
	return a
}

// arguments are those of a call: none are {}.
func arguments(v any) json.RawMessage {
	if v == nil {
		return json.RawMessage("{}")
	}
	return encode(v)
}

// encode is a value as JSON, with the members of objects in order.
func encode(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil { // values of JSON only: cannot happen
		return json.RawMessage("null")
	}
	return text
}
