// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package approvalscmd

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/programs"
	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/middleware/approve"
)

const aboutStop = `toolscope stop ends a session, an agent, a tool or everything in a running program.

Calls that run are cancelled, those that wait for a person are rejected, and further ones are
refused with your reason, until --resume or the end of the program. The audit log has both.

The program must serve approvals (--approvals-token-file of serve and mcp, or
toolscope.Options.ApprovalsToken) and give you a token, in $TOOLSCOPE_TOKEN or a file.`

const stopExamples = `  toolscope stop session s-42 --reason "it deletes backups"
  toolscope stop all
  toolscope stop all --resume
  toolscope stop list`

// stopOptions are those of the command line.
type stopOptions struct {
	target
	reason     string
	resume     bool
	kind, name string
}

// stopKinds are what can be stopped.
var stopKinds = []string{"session", "agent", "tool", "all", "list"}

// Stop returns the command of the kill switch.
func Stop() *cobra.Command {
	var o stopOptions
	c := &cobra.Command{
		Use:     "stop [OPTIONS] session ID",
		Short:   "end a session, an agent, a tool or everything in a running program",
		Long:    aboutStop,
		Example: stopExamples,
		Annotations: cli.Notes(", 1 if the program could not be asked or refused",
			"stop [OPTIONS] agent NAME", "stop [OPTIONS] tool NAME", "stop [OPTIONS] all", "stop [OPTIONS] list"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := o.parse(args); err != nil {
				return err
			}
			ctx, stop := cli.UntilInterrupted(c)
			defer stop()
			return o.run(ctx, c.InOrStdin(), c.OutOrStdout())
		},
	}
	f := c.Flags()
	f.StringVar(&o.reason, "reason", "", "the `TEXT` that the model gets, and that is kept in the audit log")
	f.BoolVar(&o.resume, "resume", false, "let the calls pass again")
	o.define(c, "stops")
	c.ValidArgsFunction = cobra.FixedCompletions(stopKinds, cobra.ShellCompDirectiveNoFileComp)
	return c
}

// parse checks the command line.
func (o *stopOptions) parse(args []string) error {
	if len(args) > 0 {
		o.kind = args[0]
	}
	switch o.kind {
	case "session", "agent", "tool":
		if len(args) != 2 || args[1] == "" {
			return cli.Usage("got %.80q, want %s and its name or id", strings.Join(args, " "), o.kind)
		}
		o.name = args[1]
	case "all", "list":
		if len(args) != 1 {
			return cli.Usage("got %.80q, want %s alone", strings.Join(args, " "), o.kind)
		}
	default:
		return cli.Usage("got %.80q, want session ID, agent NAME, tool NAME, all or list%s", strings.Join(args, " "),
			cli.DidYouMean(o.kind, "", stopKinds))
	}
	return o.complete()
}

func (o *stopOptions) run(ctx context.Context, stdin io.Reader, stdout io.Writer) error {
	s, err := o.source(stdin)
	if err != nil {
		return err
	}
	if o.kind == "list" {
		return o.list(ctx, s, stdout)
	}
	body := map[string]any{"kind": o.kind, "name": o.name, "reason": o.reason, "resume": o.resume, "by": o.by}
	return post(ctx, s, s.Base.JoinPath("api/v1/stops"), body, func(answer io.Reader) error {
		if o.json {
			_, err := io.Copy(stdout, io.LimitReader(answer, programs.MaxAnswer))
			return err
		}
		var done struct{ Cancelled int }
		if err := json.NewDecoder(io.LimitReader(answer, programs.MaxAnswer)).Decode(&done); err != nil {
			return err
		}
		what := display.Plain(strings.TrimSpace(o.kind + " " + o.name))
		if o.resume {
			_, err := fmt.Fprintf(stdout, "resumed: %s\n", what)
			return err
		}
		_, err := fmt.Fprintf(stdout, "stopped: %s; %s cancelled\n", what,
			display.Number(uint64(max(0, done.Cancelled)), "running call"))
		return err
	})
}

// list prints what is stopped.
func (o *stopOptions) list(ctx context.Context, s *programs.Source, stdout io.Writer) error {
	var answer struct {
		Stops []approve.Stop `json:"stops"`
	}
	if err := s.Get(ctx, "api/v1/stops", nil, &answer); err != nil {
		return err
	}
	if o.json {
		return cli.PrintJSON(stdout, answer)
	}
	var b strings.Builder
	if len(answer.Stops) == 0 {
		b.WriteString("nothing is stopped\n")
	}
	for _, x := range answer.Stops {
		fmt.Fprintf(&b, "%s  %s %s  by %s  %s\n", x.At.Format(time.DateTime), x.Kind, display.Clip(x.Name, 80),
			display.Clip(x.By, 40), display.Clip(x.Reason, 80))
	}
	_, err := io.WriteString(stdout, b.String())
	return err
}
