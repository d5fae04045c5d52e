// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"encoding/json"
	"time"

	"github.com/toolscope/toolscope/toolkit"
)

const (
	pollSchema = `{
  "type": "object",
  "properties": {
    "id": {"type": "string", "minLength": 1, "description": "The job's id, as shell_start gave it."},
    "wait_seconds": {"type": "number", "minimum": 0, "maximum": 30, "default": 0, "description": "How long to wait for the job's end before answering."}
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
	describe := func(title, schema string, risk toolkit.Risk, limit time.Duration, set func(*toolkit.Definition)) toolkit.ToolOption {
		return func(d *toolkit.Definition) {
			d.Title, d.InputSchema, d.Risk, d.Timeout = title, json.RawMessage(schema), risk, limit
			d.Type, d.Category, d.CacheTTL = toolkit.ToolExtension, "shell", -1
			set(d)
		}
	}
	return []toolkit.Tool{
		toolkit.NewTool("shell_start", "Starts one command line in the background, in a shell in the work directory, and answers with the job's id. For what takes longer than shell_run allows.", j.start,
			describe("Start a background command", schema, toolkit.RiskHigh, answerTime, func(d *toolkit.Definition) {
				d.ReadOnly, d.Idempotent, d.Destructive, d.OpenWorld = toolkit.No, toolkit.No, toolkit.Yes, toolkit.Yes
			})),
		// Not idempotent, though it changes nothing: the next answer differs.
		toolkit.NewTool("shell_poll", "Tells whether a job runs or how it ended, and what it has printed until now.", j.poll,
			describe("Look at a background command", pollSchema, toolkit.RiskLow, maxWait+answerTime, func(d *toolkit.Definition) {
				d.ReadOnly, d.Idempotent, d.Destructive, d.OpenWorld = toolkit.Yes, toolkit.No, toolkit.No, toolkit.No
			})),
		toolkit.NewTool("shell_stop", "Kills a job with all its processes, and tells what it has printed.", j.end,
			describe("Stop a background command", stopSchema, toolkit.RiskMedium, 2*answerTime, func(d *toolkit.Definition) {
				d.ReadOnly, d.Idempotent, d.Destructive, d.OpenWorld = toolkit.No, toolkit.Yes, toolkit.Yes, toolkit.No
			})),
	}
}
