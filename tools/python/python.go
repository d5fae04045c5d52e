// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package python

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/tools/internal/arg"
	"github.com/toolscope/toolscope/tools/internal/ran"
)

const (
	// answerTime is how much longer than the program's own time limit the definition
	// asks the host to wait, so that the answer of a killed program gets through.
	answerTime = 5 * time.Second
	maxCode    = 64 << 10
)

const schema = `{
  "type": "object",
  "properties": {
    "code": {"type": "string", "minLength": 1, "maxLength": 65536, "description": "The program. What it prints is ` +
	`the answer; it gets no input."},
    "timeout_seconds": {"type": "number", "exclusiveMinimum": 0, "description": "A shorter time limit than that of ` +
	`the tool, after which the program is killed."}
  },
  "required": ["code"],
  "additionalProperties": false
}`

// New makes the tool python_run. It fails on options that are wrong, and on missing
// walls if they are required. Without a Python that can be used the tool is made all
// the same; its description says so, and so does each answer. The tool is safe for
// concurrent use and keeps nothing open.
func New(o Options) (toolkit.Tool, error) {
	o, r, err := o.complete()
	if err != nil {
		return nil, err
	}
	t := &runner{options: o, rules: r}
	t.python, t.absent = find(o.Python)
	if o.RequireWalls {
		err := t.absent
		if err == nil {
			err = t.python.complete()
		}
		if err != nil {
			return nil, fmt.Errorf("python: Options.RequireWalls: got true, but %w, want false", err)
		}
	}
	return ran.Noting(toolkit.NewTool(t.definition(), t.runProgram)), nil
}

// runner is the tool.
type runner struct {
	options Options
	rules   rules
	python  *interpreter // nil if there is none
	absent  error        // why
}

func (t *runner) description() string {
	if t.python == nil {
		return fmt.Sprintf("Would run a Python program, but cannot here: %v. Do not call it.", t.absent)
	}
	text := "Runs a Python program and answers with what it printed. Each call starts anew; nothing stays. It is " +
		t.python.described() + "."
	if t.rules.guarded {
		text += " Only these modules can be imported: " + strings.Join(t.rules.modules, ", ") +
			". No files, and not these builtins: " + strings.Join(t.rules.forbidden, ", ") + "."
	}
	return text
}

func (t *runner) definition() toolkit.Definition {
	d := toolkit.Definition{
		Name: "python_run", Description: t.description(),
		Title: "Run a Python program", InputSchema: json.RawMessage(schema),
		Type: toolkit.ToolExtension, Category: "code",
		Timeout: t.options.Timeout + answerTime, CacheTTL: -1, // programs ask for the time, and for chance
	}
	if t.rules.guarded {
		d.Risk, d.Resources = toolkit.RiskMedium, []string{"python"}
		d.ReadOnly, d.Idempotent, d.Destructive, d.OpenWorld = toolkit.Yes, toolkit.Yes, toolkit.No, toolkit.No
		return d
	}
	d.Risk = toolkit.RiskHigh
	d.ReadOnly, d.Idempotent, d.Destructive, d.OpenWorld = toolkit.No, toolkit.No, toolkit.Yes, toolkit.Yes
	return d
}

type input struct {
	Code    string   `json:"code"`
	Timeout *float64 `json:"timeout_seconds"`
}

// check checks the arguments and gives the program's time limit.
func (in input) check(longest time.Duration) (time.Duration, error) {
	invalid := func(text string) error {
		return &toolkit.Error{Kind: toolkit.ErrInvalidArguments, Message: text}
	}
	switch {
	case strings.TrimSpace(in.Code) == "":
		return 0, invalid("code: got no text, want a program")
	case len(in.Code) > maxCode:
		return 0, invalid(fmt.Sprintf("code: got %d bytes, want at most %d", len(in.Code), maxCode))
	}
	return arg.TimeLimit(in.Timeout, longest)
}

func (t *runner) runProgram(ctx context.Context, in input) (string, error) {
	limit, err := in.check(t.options.Timeout)
	if err != nil {
		return "", err
	}
	if t.python == nil {
		return "", &toolkit.Error{Kind: toolkit.ErrTool,
			Message: fmt.Sprintf("no program can be run: %v; do without this tool", t.absent), Cause: t.absent}
	}
	ended, err := t.execute(ctx, in.Code, limit)
	if err != nil {
		return "", err
	}
	ran.Note(ctx, filepath.Base(t.python.Path), ended)
	var report struct {
		Started bool     `json:"started"`
		Refused []string `json:"refused"`
	}
	// A report that is cut off is none.
	_ = json.Unmarshal([]byte(ended.Report), &report)
	switch {
	case len(report.Refused) > 0:
		return "", &toolkit.Error{Kind: toolkit.ErrPermissionDenied, Message: t.refusal(report.Refused)}
	case !report.Started && ended.Fault == nil:
		return "", &toolkit.Error{Kind: toolkit.ErrTool,
			Message: "Python ended before the program began\n" + ended.Text(), Cause: errNotBegun}
	}
	text := t.unconfined() + ended.Text()
	if ended.Fault == nil && ended.Stdout.Text() == "" && ended.Stderr.Text() == "" {
		text += "nothing was printed: print what is to be seen\n"
	}
	return text, ended.Fault
}

// unconfined begins the answer of a program that nothing keeps from its user's files, as the shell tools' does.
func (t *runner) unconfined() string {
	if t.rules.guarded || t.python.walls.Reach != nil {
		return ""
	}
	return "note: this machine cannot confine programs (Landlock, Linux 5.13 or later): it ran with all rights of the user\n"
}

var errNotBegun = errors.New("python: the guard did not report")

func (t *runner) refusal(problems []string) string {
	return fmt.Sprintf("the program was not run, since the level %s does not allow:\n%s\nmodules allowed: %s",
		t.options.Level, strings.Join(problems, "\n"), strings.Join(t.rules.modules, ", "))
}
