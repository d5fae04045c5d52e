// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package workflowcmd

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/builtin"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/configfile"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/screen"
	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/internal/shield"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
	"github.com/toolscope/toolscope/workflow"
)

const about = `toolscope workflow checks and runs the workflows of a configuration file (section workflows).

Steps call the built-in tools that the options choose, or the tools of MCP servers. Policies are
those of FILE. ARGUMENTS of a run is a JSON object; "-" reads it from standard input, and without it
there are none.

` + builtin.About

const examples = `  toolscope workflow check toolscope.yaml
  toolscope workflow run toolscope.yaml digest '{"paths": ["README.md"]}'
  toolscope workflow run --dry-run toolscope.yaml digest '{"paths": ["README.md"]}'
  toolscope workflow graph toolscope.yaml digest`

// Command returns the command.
func Command() *cobra.Command {
	c := &cobra.Command{
		Use: "workflow COMMAND [OPTIONS] FILE", Short: "check and run fixed orders of tool calls", Long: about, Example: examples,
		Annotations: cli.Notes(""),
		RunE: func(_ *cobra.Command, args []string) error {
			return cli.Usage("got %.40q, want check, run, list or graph", strings.Join(args, " "))
		},
	}
	c.AddCommand(check(), run(), list(), graph())
	return c
}

// command is a command with a file, and least to most arguments in all. runs says whether it runs tools; nil is never.
func command(
	use, short, exits string, least, most int, runs func() bool,
	do func(ctx context.Context, c *cobra.Command, e *environment, args []string) error,
) *cobra.Command {
	e := new(environment)
	c := &cobra.Command{
		Use: use, Short: short, Example: examples, Annotations: cli.Notes(exits),
		RunE: func(c *cobra.Command, args []string) (err error) {
			if len(args) < least || len(args) > most {
				return cli.Usage("got %d arguments, want those of '%s'", len(args), c.UseLine())
			}
			ctx, stop := cli.UntilInterrupted(c)
			defer stop()
			if err := e.open(ctx, args[0], runs != nil && runs(), c.ErrOrStderr()); err != nil {
				return err
			}
			defer e.close(&err)
			return do(ctx, c, e, args)
		},
	}
	e.Define(c)
	builtin.DefineServers(c, &e.servers)
	configfile.TenantFlag(c.Flags(), &e.tenant)
	e.exporting.DefinePush(c.Flags())
	return c
}

func check() *cobra.Command {
	return command("check [OPTIONS] FILE", "are the workflows right, and are their tools there",
		", 1 if something is wrong", 1, 1, nil,
		func(_ context.Context, c *cobra.Command, e *environment, args []string) error {
			n := len(e.set.Workflows())
			if n == 0 {
				return e.noWorkflows()
			}
			_, err := fmt.Fprintf(c.OutOrStdout(), "%s: %s: OK\n", display.Plain(args[0]), display.Number(uint64(n), "workflow"))
			return err
		})
}

func list() *cobra.Command {
	asJSON := false
	c := command("list [OPTIONS] FILE", "the workflows, with their tools", ", 1 if something is wrong", 1, 1, nil,
		func(_ context.Context, c *cobra.Command, e *environment, _ []string) error {
			all := e.set.Workflows()
			if asJSON {
				return cli.PrintJSON(c.OutOrStdout(), all)
			}
			if len(all) == 0 {
				_, err := fmt.Fprintln(c.OutOrStdout(), "No workflows.")
				return err
			}
			t := &screen.Table{Report: true, Columns: []screen.Column{
				{Title: "WORKFLOW"}, {Title: "DOES"}, {Title: "TOOLS"}, {Title: "DESCRIPTION", Wide: true},
			}}
			for _, w := range all {
				does := "may write"
				if w.ReadOnly {
					does = "reads"
				}
				t.Add(screen.Cell{Text: w.Name, Colour: screen.Bold}, screen.Cell{Text: does},
					screen.Cell{Text: display.Clip(strings.Join(w.Tools, " "), 60)},
					screen.Cell{Text: display.Clip(w.Description, 80), Colour: screen.Quiet})
			}
			var b strings.Builder
			t.Print(&b, screen.PaintFor(c.OutOrStdout()))
			_, err := io.WriteString(c.OutOrStdout(), b.String())
			return err
		})
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	return c
}

func graph() *cobra.Command {
	return command("graph [OPTIONS] FILE NAME", "a picture of a workflow, as a Mermaid flowchart",
		", 1 if something is wrong", 2, 2, nil,
		func(_ context.Context, c *cobra.Command, e *environment, args []string) error {
			w, err := e.find(args[1])
			if err == nil {
				_, err = io.WriteString(c.OutOrStdout(), w.Graph)
			}
			return err
		})
}

// noWorkflows is the error of a file without workflows.
func (e *environment) noWorkflows() error {
	return fmt.Errorf("%s: workflows: got none, want one or more", display.Plain(e.path))
}

// find returns a workflow by its name.
func (e *environment) find(name string) (stats.Workflow, error) {
	all := e.set.Workflows()
	if len(all) == 0 {
		return stats.Workflow{}, e.noWorkflows()
	}
	var names []string
	for _, w := range all {
		if w.Name == name {
			return w, nil
		}
		names = append(names, w.Name)
	}
	return stats.Workflow{}, cli.Usage(
		"got the workflow %.60q, want one of %s%s", name, strings.Join(names, ", "), cli.DidYouMean(name, "", names),
	)
}

// lastUndos is how long undos may take once the command is asked to end: it ends before a supervisor kills it after 30 s.
const lastUndos = 25 * time.Second

var errNoTime error = &toolkit.Error{Kind: toolkit.ErrCanceled,
	Message: fmt.Sprintf("toolscope workflow was asked to end %v ago", lastUndos)}

// maxArguments is how many bytes are read from standard input.
const maxArguments = 16 << 20

func run() *cobra.Command {
	var dry, quiet, asJSON bool
	c := command("run [OPTIONS] FILE NAME [ARGUMENTS]", "run a workflow, and show its result, steps and trace",
		", 1 if the workflow failed or could not be run", 2, 3, func() bool { return !dry },
		func(ctx context.Context, c *cobra.Command, e *environment, args []string) error {
			switch {
			case quiet && dry:
				return cli.Usage("--quiet: got --dry-run, which prints no result, want one of the two")
			case quiet && asJSON:
				return cli.Usage("--quiet: got --json, which prints the whole run, want one of the two")
			}
			var arguments json.RawMessage
			if len(args) == 3 {
				arguments = json.RawMessage(args[2])
			}
			if string(arguments) == "-" {
				text, err := io.ReadAll(io.LimitReader(c.InOrStdin(), maxArguments))
				if err != nil {
					return err
				}
				arguments = text
			}
			if _, err := e.find(args[1]); err != nil {
				return err
			}
			if dry {
				steps, err := e.set.DryRun(ctx, args[1], arguments)
				if err != nil {
					return err
				}
				return printDry(c.OutOrStdout(), steps, asJSON)
			}
			// The run is a session, so that budgets and rate limits of sessions count its steps.
			ctx = toolkit.WithSession(ctx, toolkit.Session{
				ID: "workflow-" + strings.ToLower(rand.Text()[:16]), Tenant: e.tenant,
			})
			undos, release := shield.After(ctx, lastUndos, errNoTime)
			defer release()
			return e.print(c.OutOrStdout(), e.set.Run(shield.Until(ctx, undos), args[1], arguments), quiet, asJSON)
		})
	f := c.Flags()
	f.BoolVar(&dry, "dry-run", false, "run nothing: print the calls whose arguments are known, and what the rules say to them")
	f.BoolVar(&quiet, "quiet", false, "print only the result")
	f.BoolVar(&asJSON, "json", false, "print one JSON object: output, error, run; with --dry-run an array of calls")
	return c
}

func printDry(w io.Writer, steps []workflow.DryStep, asJSON bool) error {
	if asJSON {
		return cli.PrintJSON(w, steps)
	}
	if len(steps) == 0 {
		_, err := fmt.Fprintln(w, "No calls.")
		return err
	}
	t := &screen.Table{Report: true, Columns: []screen.Column{
		{Title: "STEP"}, {Title: "TOOL"}, {Title: "VERDICT"}, {Title: "ARGUMENTS", Wide: true},
	}}
	for _, s := range steps {
		text := string(s.Arguments)
		if s.Reason != "" {
			text = s.Reason
		}
		path := strings.Repeat("  ", s.Depth) + s.Step
		t.Add(screen.Cell{Text: path, Colour: screen.Bold}, screen.Cell{Text: s.Tool}, screen.Cell{Text: s.Verdict},
			screen.Cell{Text: display.Clip(text, 120), Colour: screen.Quiet})
	}
	var b strings.Builder
	t.Print(&b, screen.PaintFor(w))
	_, err := io.WriteString(w, b.String())
	return err
}
