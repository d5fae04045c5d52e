// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package spoolcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"go.opentelemetry.io/otel"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/telemetry"
	"github.com/toolscope/toolscope/exporters"
	"github.com/toolscope/toolscope/internal/display"
)

const about = `toolscope spool shows, sends and deletes the spans in the directory of a spool
(exporters.Options.SpoolDir): those that wait for their destination, and those that it rejected.

Programs may use the directory meanwhile. What a running program has is sent by it: "retry" and
"purge" leave it alone.`

const aboutList = `toolscope spool list prints a line for each program that has spans in DIR. PART is the program's
folder, which begins with its process id, or "rejected" for what the destination refused. SPANS are those that
wait, and FAILED those of them that ended with an error.`

const aboutShow = `toolscope spool show prints the spans in DIR as lines of OTLP JSON. Each line can be posted to an OTLP
endpoint over HTTP as it is.`

const aboutRetry = `toolscope spool retry sends what programs that ended left in DIR, and what was rejected, to
the destination of --otlp or of the environment (OTEL_EXPORTER_OTLP_ENDPOINT and the other OTEL_
variables). What it does not take stays in DIR; what it rejects again is kept among the rejected.

Spans of a program that runs are sent by itself. Rejected spans are not sent while a program uses DIR. Both are
errors, and say which program to end first. What cannot be read stays, and is an error, too.`

const aboutPurge = `toolscope spool purge deletes spans in DIR: with --waiting those that programs that ended
left, with --rejected those that were rejected. It cannot be undone.`

const examples = `  toolscope spool list /var/lib/agent/spool
  toolscope spool show --rejected /var/lib/agent/spool
  toolscope spool retry --otlp http://localhost:4317 /var/lib/agent/spool
  toolscope spool purge --rejected /var/lib/agent/spool`

// Command returns the command.
func Command() *cobra.Command {
	c := &cobra.Command{
		Use: "spool COMMAND [OPTIONS] DIR", Short: "show, send and delete spans that wait on disk", Long: about, Example: examples,
		Annotations: cli.Notes(", 1 if something could not be read, sent or deleted"),
		RunE: func(_ *cobra.Command, args []string) error {
			return cli.Usage("got %.40q, want list, show, retry or purge", strings.Join(args, " "))
		},
	}
	c.AddCommand(list(), show(), retry(), purge())
	return c
}

// command is a command with a directory as its argument.
func command(use, short, long, exits string, run func(*cobra.Command, exporters.SpoolDir) error) *cobra.Command {
	return &cobra.Command{
		Use: use + " [OPTIONS] DIR", Short: short, Long: long, Example: examples, Annotations: cli.Notes(exits),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] == "" {
				return cli.Usage("got %d directories, want the one of a spool", len(args))
			}
			return run(c, exporters.SpoolDir(args[0]))
		},
	}
}

func list() *cobra.Command {
	var asJSON bool
	c := command("list", "what waits, by program, and what was rejected", aboutList, ", 1 if a part cannot be read",
		func(c *cobra.Command, dir exporters.SpoolDir) error {
			parts, err := dir.List()
			if err != nil {
				return err
			}
			if asJSON {
				err = cli.PrintJSON(c.OutOrStdout(), map[string]any{"dir": dir, "parts": parts})
			} else {
				err = print(c.OutOrStdout(), parts)
			}
			if err == nil && slices.ContainsFunc(parts, func(p exporters.SpoolPart) bool { return p.Error != "" }) {
				return cli.Exit(cli.ExitError)
			}
			return err
		})
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON object")
	return c
}

func print(stdout io.Writer, parts []exporters.SpoolPart) error {
	if len(parts) == 0 {
		_, err := io.WriteString(stdout, "nothing waits, and nothing was rejected\n")
		return err
	}
	w := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "PART\tSPANS\tFAILED\tBYTES\tOLDEST\tSTATE")
	for _, p := range parts {
		oldest, state := "-", "its program has ended"
		if !p.Oldest.IsZero() {
			oldest = p.Oldest.UTC().Format(time.RFC3339)
		}
		switch {
		case p.Error != "":
			state = "cannot be read: " + display.Plain(p.Error)
		case p.Name == exporters.RejectedDir:
			state = "the destination refused them"
		case p.Running:
			state = "its program runs"
		}
		if p.Damaged > 0 {
			state += "; damaged: " + display.Number(uint64(p.Damaged), "place")
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%s\t%s\n", display.Plain(p.Name), p.Spans, p.Failed, p.Bytes, oldest, state)
	}
	return w.Flush()
}

func show() *cobra.Command {
	var rejected bool
	c := command("show", "the spans themselves, as lines of OTLP JSON", aboutShow, ", 1 if a part cannot be read",
		func(c *cobra.Command, dir exporters.SpoolDir) error {
			return dir.Show(rejected, func(text []byte) error { _, err := c.OutOrStdout().Write(text); return err })
		})
	c.Flags().BoolVar(&rejected, "rejected", false, "those that were rejected, instead of those that wait")
	return c
}

// destinations are the variables that may say where spans go.
var destinations = []string{
	"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_TRACES_EXPORTER", "OTEL_CONFIG_FILE",
}

func retry() *cobra.Command {
	var otlp string
	var limit time.Duration
	c := command("retry", "send what waits and what was rejected", aboutRetry,
		", 1 if something was not delivered, a running program has it, or it cannot be read",
		func(c *cobra.Command, dir exporters.SpoolDir) error {
			if err := telemetry.SendTo(otlp); err != nil {
				return cli.Usage("%w", err)
			}
			_, missing := os.Stat(string(dir))
			named := slices.ContainsFunc(destinations, func(name string) bool { return os.Getenv(name) != "" })
			if missing == nil && otlp == "" && !named {
				return errors.New("OTEL_EXPORTER_OTLP_ENDPOINT: got none, want it or --otlp URL, to say where to send the spans")
			}
			ctx, stop := cli.UntilInterrupted(c)
			defer stop()
			ctx, cancel := context.WithTimeout(ctx, limit)
			defer cancel()
			var first atomic.Pointer[error] // the others say the same; what fails Retry returns as well
			otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { first.CompareAndSwap(nil, &err) }))
			defer otel.SetErrorHandler(otel.ErrorHandlerFunc(func(error) {}))
			l, err := dir.Retry(ctx)
			if l.Destination != "" {
				_, printErr := fmt.Fprintf(c.OutOrStdout(), "%d spans found, %d delivered, %d on disk, %d rejected or lost\n",
					l.Found, l.Delivered, l.OnDisk, l.DroppedSpans())
				err = errors.Join(err, printErr)
			}
			if err == nil && l.OnDisk+l.DroppedSpans() > 0 {
				if why := first.Load(); why != nil {
					return *why
				}
				return cli.Exit(cli.ExitError)
			}
			return err
		})
	c.Flags().StringVar(&otlp, "otlp", "", "send to `URL`; the default is what the OTEL_ variables say")
	c.Flags().DurationVar(&limit, "limit", 10*time.Minute, "stop after `TIME`; what is not sent by then stays in DIR")
	return c
}

func purge() *cobra.Command {
	var waiting, rejected bool
	c := command("purge", "delete what waits, or what was rejected", aboutPurge,
		", 1 if spans were left, since a running program has them or they cannot be read",
		func(c *cobra.Command, dir exporters.SpoolDir) error {
			if !waiting && !rejected {
				return cli.Usage("got neither --waiting nor --rejected, want what to delete")
			}
			var errs []error
			for _, what := range []struct {
				wanted, rejected bool
				name             string
			}{{waiting, false, "waiting"}, {rejected, true, "rejected"}} {
				if !what.wanted {
					continue
				}
				n, err := dir.Purge(c.Context(), what.rejected)
				_, printErr := fmt.Fprintf(c.OutOrStdout(), "%s: %s deleted\n", what.name, display.Number(uint64(n), "span"))
				errs = append(errs, err, printErr)
			}
			return errors.Join(errs...)
		})
	c.Flags().BoolVar(&waiting, "waiting", false, "what programs that ended left")
	c.Flags().BoolVar(&rejected, "rejected", false, "what the destination rejected")
	return c
}
