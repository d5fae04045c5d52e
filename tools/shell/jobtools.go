// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"encoding/json"

	"github.com/toolscope/toolscope/toolkit"
)

const (
	pollSchema = `{
  "type": "object",
  "properties": {
    "id": {"type": "string", "minLength": 1, "description": "The job's id, as shell_start gave it."},
    "wait_seconds": {"type": "number", "minimum": 0, "maximum": 30, "default": 0, "description": "How long to wait ` +
		`for the job's end before answering."}
  },
  "required": ["id"],
  "additionalProperties": false
}`
	stopSchema = `{
  "type": "object",
  "properties": {
    "id": {"type": "string", "minLength": 1, "description": "The job's id, as shell_start gave it."}
  },
  "required": ["id"],
  "additionalProperties": false
}`
)

// Tools are shell_start, shell_poll and shell_stop. A nil *Jobs has none.
func (j *Jobs) Tools() []toolkit.Tool {
	if j == nil {
		return nil
	}
	return []toolkit.Tool{
		toolkit.NewTool(manages(toolkit.Definition{
			Name: "shell_start",
			Description: "Starts one command line in the background, in a shell in the work directory, " +
				"and answers with the job's id. For what takes longer than shell_run allows.",
			Title: "Start a background command", InputSchema: json.RawMessage(schema),
			Risk: toolkit.RiskHigh, Timeout: answerTime, WorkDir: j.options.Dir,
			ReadOnly: toolkit.No, Idempotent: toolkit.No, Destructive: toolkit.Yes, OpenWorld: toolkit.Yes,
		}), j.start),
		// Not idempotent, though it changes nothing: the next answer differs.
		toolkit.NewTool(manages(toolkit.Definition{
			Name:        "shell_poll",
			Description: "Tells whether a job runs or how it ended, and what it has printed until now.",
			Title:       "Look at a background command", InputSchema: json.RawMessage(pollSchema),
			Risk: toolkit.RiskLow, Timeout: maxWait + answerTime,
			ReadOnly: toolkit.Yes, Idempotent: toolkit.No, Destructive: toolkit.No, OpenWorld: toolkit.No,
		}), j.poll),
		toolkit.NewTool(manages(toolkit.Definition{
			Name:        "shell_stop",
			Description: "Kills a job with all its processes, and tells what it has printed.",
			Title:       "Stop a background command", InputSchema: json.RawMessage(stopSchema),
			Risk: toolkit.RiskMedium, Timeout: 2 * answerTime,
			ReadOnly: toolkit.No, Idempotent: toolkit.Yes, Destructive: toolkit.Yes, OpenWorld: toolkit.No,
		}), j.end),
	}
}

// manages adds to a definition what the tools of background commands have in common.
func manages(d toolkit.Definition) toolkit.Definition {
	d.Type, d.Category, d.CacheTTL = toolkit.ToolExtension, "shell", -1
	return d
}
