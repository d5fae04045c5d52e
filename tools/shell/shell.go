// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/toolscope/toolscope/internal/process"
	"github.com/toolscope/toolscope/internal/sandbox"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/internal/arg"
	"github.com/toolscope/toolscope/tools/internal/ran"
)

// answerTime is how much longer than the command's own time limit the definition
// asks the host to wait, so that the answer of a killed command gets through.
const answerTime = 5 * time.Second

const schema = `{
  "type": "object",
  "properties": {
    "command": {"type": "string", "minLength": 1, "description": "The command line, as the shell reads it. It gets no input."},
    "timeout_seconds": {"type": "number", "exclusiveMinimum": 0, "description": "A shorter time limit than that of ` +
	`the tool, after which the command is killed."}
  },
  "required": ["command"],
  "additionalProperties": false
}`

const description = "Runs one command line in a shell in the work directory and answers with its exit code, " +
	"duration, stdout and stderr. " +
	"Each call starts anew in the work directory: variables and cd do not last. " +
	"Processes left in the background are ended. Of long output the beginning and the end are kept."

// New makes the tool shell_run. It fails on options that cannot work, without a
// shell, and on systems other than Unix. The tool is safe for concurrent use and
// leaves no goroutine behind.
func New(o Options) (toolkit.Tool, error) {
	if err := process.Supported(); err != nil {
		return nil, fmt.Errorf("shell: %w", err)
	}
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	return ran.Noting(toolkit.NewTool(toolkit.Definition{
		Name: "shell_run", Description: description,
		Title: "Run a shell command", InputSchema: json.RawMessage(schema),
		Type: toolkit.ToolExtension, Category: "shell", Risk: toolkit.RiskHigh,
		ReadOnly: toolkit.No, Idempotent: toolkit.No, Destructive: toolkit.Yes, OpenWorld: toolkit.Yes,
		Timeout: o.Timeout + answerTime, CacheTTL: -1, WorkDir: o.Dir,
	}, o.tool)), nil
}

type input struct {
	Command string   `json:"command"`
	Timeout *float64 `json:"timeout_seconds"`
}

func (o Options) tool(ctx context.Context, in input) (string, error) {
	limit, err := in.check(o.Timeout)
	if err != nil {
		return "", err
	}
	command, done, note := o.confined(sandbox.From(ctx), in.Command, limit)
	defer done()
	ended, err := command.Run(ctx)
	if err != nil {
		return "", process.NotStarted(ctx, "the shell", err)
	}
	ran.Note(ctx, program(in.Command), ended)
	return note + ended.Text(), ended.Fault
}

// check checks the arguments and gives the command's time limit: the model may ask
// for less than the application's limit, not for more.
func (in input) check(longest time.Duration) (time.Duration, error) {
	switch {
	case strings.TrimSpace(in.Command) == "":
		return 0, invalid("command: got no text, want a command line")
	case strings.ContainsRune(in.Command, 0):
		return 0, invalid("command: got a NUL character, want text without")
	}
	return arg.TimeLimit(in.Timeout, longest)
}

func invalid(text string) error {
	return &toolkit.Error{Kind: toolkit.ErrInvalidArguments, Message: text}
}
