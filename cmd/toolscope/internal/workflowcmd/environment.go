// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package workflowcmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/builtin"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/configfile"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/screen"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/telemetry"
	"github.com/toolscope/toolscope/exporters"
	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/workflow"
)

// An environment is what workflows run in.
type environment struct {
	builtin.Options
	servers   string
	tenant    string
	exporting telemetry.Flags
	path      string // of the file

	providers *exporters.Providers
	set       *workflow.Set
	closers   []func(context.Context) error
}

// open reads the file, and makes the tools and the workflows. On an error nothing stays open. Unless tools run no person
// is asked, so that a file whose approvals another command serves can be checked, also without a terminal.
func (e *environment) open(ctx context.Context, path string, runs bool, stderr io.Writer) (err error) {
	defer func() {
		if err != nil {
			e.close(&err)
		}
	}()
	if err := configfile.CheckTenant(path, e.tenant); err != nil {
		return err
	}
	e.path = path
	file, err := configfile.Open(path)
	if err != nil {
		return err
	}
	e.onClose(func(context.Context) error { return file.Close() })
	if e.providers, err = exporters.Setup(ctx, exporters.Options{ServiceName: "toolscope-workflow"}); err != nil {
		return err
	}
	e.onClose(e.providers.Shutdown)
	options := file.Options(toolscope.Options{
		TracerProvider: e.providers.TracerProvider, MeterProvider: e.providers.MeterProvider,
	})
	if !runs {
		options.Settings.Policies = slices.DeleteFunc(options.Settings.Policies, func(p middleware.Policy) bool {
			return p.Stage() == middleware.StageApprove
		})
	}
	scope, err := toolscope.New(options)
	if err != nil {
		return builtin.NoApprovals("workflow", path, false, false, err)
	}
	e.onClose(scope.Shutdown)
	stopPush, err := e.exporting.StartPush(scope.Stats())
	if err != nil {
		return err
	}
	e.onClose(func(ctx context.Context) error {
		if err := stopPush(ctx); err != nil { // the run is none the worse for it
			cli.Complain(stderr, "toolscope workflow", err)
		}
		return nil
	})
	var tools builtin.Governed
	if e.servers != "" {
		m, err := builtin.OpenServers(ctx, e.servers, scope, stderr, 0)
		if err != nil {
			return err
		}
		e.onClose(func(context.Context) error { return m.Close() })
		tools = m
	} else {
		c, closeTools, err := e.Open(nil)
		if err != nil {
			return err
		}
		e.onClose(func(context.Context) error { return closeTools() })
		builtin.ReportMissing(stderr, c)
		tools = c.Registry
	}
	workflows, err := builtin.OpenWorkflows(file, scope, tools)
	switch {
	case err == nil:
		e.set = workflows.Set
	case e.servers == "" && strings.Contains(err.Error(), "the unknown tool"):
		err = fmt.Errorf("%w\nOptions such as --write choose the tools: 'toolscope tools' lists those that there are with them", err)
	}
	return err
}

func (e *environment) onClose(f func(context.Context) error) { e.closers = append(e.closers, f) }

// close closes what was opened, the last first, and joins the errors to err.
func (e *environment) close(err *error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	for i := len(e.closers) - 1; i >= 0; i-- {
		*err = errors.Join(*err, e.closers[i](ctx))
	}
	e.closers = nil
}

// print prints what came of a run.
func (e *environment) print(w io.Writer, r workflow.Result, quiet, asJSON bool) error {
	message := ""
	if r.Err != nil {
		message = r.Err.Error()
	}
	if asJSON {
		return errors.Join(cli.PrintJSON(w, struct {
			Output any               `json:"output"`
			Error  string            `json:"error,omitempty"`
			Run    stats.WorkflowRun `json:"run"`
		}{r.Output, message, r.Run}), exit(r))
	}
	var b strings.Builder
	switch output := r.Output.(type) {
	case string:
		b.WriteString(strings.TrimSuffix(output, "\n") + "\n")
	default:
		text, err := json.MarshalIndent(output, "", "  ")
		if err != nil {
			return err
		}
		if r.Err == nil {
			fmt.Fprintf(&b, "%s\n", text)
		} else {
			for line := range strings.Lines(message) {
				b.WriteString(display.Plain(strings.TrimSuffix(line, "\n")) + "\n")
			}
		}
	}
	if !quiet && r.Run.ID != "" {
		b.WriteByte('\n')
		stepTable(r.Run).Print(&b, screen.PaintFor(w))
		for _, t := range e.providers.Ring.Traces() {
			if t.ID != r.Run.TraceID { // what connected the servers
				continue
			}
			b.WriteByte('\n')
			if err := exporters.WriteTree(&b, t, exporters.TreeOptions{Color: screen.Colored(w)}); err != nil {
				return err
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return errors.Join(err, exit(r))
}

func exit(r workflow.Result) error {
	if r.Err != nil {
		return cli.Exit(cli.ExitError)
	}
	return nil
}

// stepTable is a line for each step.
func stepTable(r stats.WorkflowRun) *screen.Table {
	t := &screen.Table{Report: true, Columns: []screen.Column{
		{Title: "STEP"}, {Title: "KIND"}, {Title: "TOOL"}, {Title: "ENDING"}, {Title: "TOOK", Right: true},
	}}
	for _, s := range r.Log {
		colour := ""
		if s.Status == "failed" {
			colour = screen.Red
		}
		ending := s.Status
		if s.ErrorType != "" && s.ErrorType != s.Status {
			ending += " (" + s.ErrorType + ")"
		}
		t.Add(screen.Cell{Text: s.Step, Colour: screen.Bold}, screen.Cell{Text: s.Kind}, screen.Cell{Text: s.Tool},
			screen.Cell{Text: ending, Colour: colour},
			screen.Cell{Text: display.Duration(time.Duration(s.DurationMS * float64(time.Millisecond))), Colour: screen.Quiet})
	}
	return t
}
