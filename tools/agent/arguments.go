// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

const (
	maxTask = 64 << 10 // bytes of a task
	maxName = 100      // bytes of a task's name
)

const schema = `{
  "type": "object",
  "properties": {
    "tasks": {"type": "array", "minItems": 1, "maxItems": %d, "description": "The tasks, each for a sub-agent of its own.",
      "items": {"anyOf": [
        {"type": "string", "minLength": 1, "description": "What is to be done and what the answer should be, ` +
	`with all that the sub-agent has to know."},
        {"type": "object", "properties": {
          "name": {"type": "string", "minLength": 1, "maxLength": 100, "description": "A short name for the answer."},
          "instruction": {"type": "string", "minLength": 1, "description": "What a text alone would say."},
          "tools": {"type": "array", "items": {"type": "string"}, "description": "The only tools that the sub-agent ` +
	`may use; all of yours by default."}
        }, "required": ["instruction"], "additionalProperties": false}
      ]}}
  },
  "required": ["tasks"],
  "additionalProperties": false
}`

type input struct {
	Tasks []taskInput `json:"tasks"`
}

// taskInput is a task: a text, or an object with an instruction.
type taskInput struct {
	Name        string    `json:"name"`
	Instruction string    `json:"instruction"`
	Tools       *[]string `json:"tools"` // nil is all
}

// UnmarshalJSON reads a text as the instruction.
func (t *taskInput) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '"' {
		return json.Unmarshal(text, &t.Instruction)
	}
	type object taskInput
	return json.Unmarshal(text, (*object)(t))
}

// check reports what is wrong with a task. has says whether there is a tool.
func (t *taskInput) check(has func(tool string) bool) error {
	if strings.TrimSpace(t.Instruction) == "" || len(t.Instruction) > maxTask {
		return fmt.Errorf("got %d bytes, want a text of at most %d", len(t.Instruction), maxTask)
	}
	if len(t.Name) > maxName || strings.ContainsAny(t.Name, "\r\n") {
		return fmt.Errorf("name: got %d bytes, want one line of at most %d", len(t.Name), maxName)
	}
	if t.Tools != nil {
		if i := slices.IndexFunc(*t.Tools, func(tool string) bool { return !has(tool) }); i >= 0 {
			return errors.New("tools: got an unknown tool, or one that sub-agents cannot use: " + fmt.Sprintf("%.100q", (*t.Tools)[i]))
		}
	}
	return nil
}

// answer is the structured answer of a call.
type answer struct {
	Success bool         `json:"success"` // whether a task was done
	Results []taskAnswer `json:"results"`
	Total   int          `json:"total"`
}

// taskAnswer is how one task went.
type taskAnswer struct {
	TaskName string `json:"task_name"`
	Success  bool   `json:"success"`
	Response string `json:"response,omitempty"`
	Error    string `json:"error,omitempty"`
}

// structured is the answer about tasks that are over.
func structured(tasks []*task) (json.RawMessage, error) {
	a := answer{Results: make([]taskAnswer, len(tasks)), Total: len(tasks)}
	for i, t := range tasks {
		r := taskAnswer{TaskName: t.name, Success: t.err == nil, Response: strings.TrimSpace(t.answer)}
		if t.err != nil {
			r.Response, r.Error = "", fmt.Sprintf("%.500s", t.err.Error())
		}
		a.Success = a.Success || r.Success
		a.Results[i] = r
	}
	return json.Marshal(a)
}
