// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package statscmd

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/programs"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/screen"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/summary"
	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/stats"
)

const about = `toolscope stats shows the statistics of running programs.

A URL is where a program has mounted its scope's HTTP handler. Without one, $TOOLSCOPE_URL
is asked; else all programs of yours that run on this machine and have announced
themselves, as "toolscope demo" does, and others by statshttp.Announce; else
` + programs.DefaultURL + `.

Percentiles include only executed calls. The columns ± compare with the window of the same
length before. Columns that matter less are left out where the terminal, or $COLUMNS, is
too narrow for them; a pipe gets all.`

const examples = `  toolscope stats
  toolscope stats --window 1h --sort p99 http://localhost:8080/debug/tools/
  toolscope stats --merge --json http://a:9464/ http://b:9464/ | jq .overall.p99_ms`

// options are those of the command line.
type options struct {
	programs.Options
	window, since, until string
	tool, sort           string
	merge, watch, json   bool
	list                 bool
	every                time.Duration
}

// Command returns the command.
func Command() *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:         "stats [OPTIONS] [URL...]",
		Short:       "show the statistics of running programs, or merge those of several",
		Long:        about,
		Example:     examples,
		Annotations: cli.Notes(", 1 if a program could not be asked"),
		RunE:        func(c *cobra.Command, urls []string) error { return o.run(c, urls) },
	}
	f := c.Flags()
	cli.Choice(c, &o.window, "window", "", stats.WindowNames(), "the last `TIME`, 5m without --since and --until")
	f.StringVar(&o.since, "since", "", "a window from this `TIME` on: RFC 3339, or seconds since 1970")
	f.StringVar(&o.until, "until", "", "a window up to this `TIME`")
	f.StringVar(&o.tool, "tool", "", "only the tool `NAME`")
	cli.Choice(c, &o.sort, "sort", "time", summary.OrderNames(), "sort by `ORDER`")
	f.BoolVar(&o.list, "list", false, "print which programs have announced themselves, and exit")
	f.BoolVar(&o.merge, "merge", false, "add the programs up: percentiles are those of all their calls")
	f.BoolVar(&o.watch, "watch", false, "show the tables again and again, until interrupted")
	f.DurationVar(&o.every, "every", 2*time.Second, "with --watch: show them once per `TIME`")
	f.BoolVar(&o.json, "json", false, "print one JSON object for each URL, or one for all with --merge")
	o.Define(c)
	c.AddCommand(serveCommand())
	return c
}

// run shows the statistics once, or until the program is interrupted.
func (o *options) run(c *cobra.Command, urls []string) error {
	if err := o.complete(urls); err != nil {
		return err
	}
	if o.list {
		return listPrograms(c.OutOrStdout(), c.ErrOrStderr())
	}
	token, err := o.Token(c.InOrStdin())
	if err != nil {
		return err
	}
	ctx, stop := cli.UntilInterrupted(c)
	defer stop()
	for {
		sources, err := o.Sources(token)
		if err != nil {
			return err
		}
		err = o.show(ctx, sources, c.OutOrStdout(), c.ErrOrStderr())
		if !o.watch {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(o.every):
		}
	}
}

// complete checks the options and fills in defaults.
func (o *options) complete(urls []string) error {
	switch {
	case o.window != "" && o.since+o.until != "":
		return cli.Usage("--window: got it together with --since or --until, want one of the two")
	case o.every < 100*time.Millisecond:
		return cli.Usage("--every: got %v, want at least 100ms", o.every)
	case o.list && len(urls) > 0:
		return cli.Usage("--list: got a URL as well, want one of the two")
	}
	if o.window == "" && o.since+o.until == "" {
		o.window = "5m"
	}
	return o.Complete(urls)
}

// show asks all sources and prints what they answer.
func (o *options) show(ctx context.Context, sources []*programs.Source, stdout, stderr io.Writer) (err error) {
	views, failures := programs.AskAll(sources, func(s *programs.Source) (*summary.View, error) { return o.view(ctx, s) })
	names := make([]string, len(sources))
	for i, s := range sources {
		names[i] = s.Name
		if failures[i] == nil {
			continue
		}
		err = cli.Exit(cli.ExitError)
		if ctx.Err() != nil { // interrupted: that is why
			return err
		}
		fmt.Fprintf(stderr, "toolscope stats: %s: %s\n", display.Clip(s.Name, 100), display.Clip(s.Explain(failures[i]), 400))
	}
	if o.merge {
		views, names = o.merged(views)
	}
	if o.watch && !o.json && screen.IsTerminal(stdout) {
		fmt.Fprint(stdout, "\x1b[H\x1b[2J")
	}
	var b strings.Builder
	for i, v := range views {
		switch {
		case v == nil:
		case o.json:
			if err := cli.PrintJSON(&b, v.JSON(names[i])); err != nil {
				return err
			}
		default:
			if b.Len() > 0 {
				b.WriteString("\n")
			}
			v.Write(&b, names[i], screen.PaintFor(stdout), true)
		}
	}
	if _, failed := io.WriteString(stdout, b.String()); failed != nil {
		return failed
	}
	return err
}

// listPrograms is --list.
func listPrograms(stdout, stderr io.Writer) error {
	running, err := programs.Running()
	if err != nil {
		return err
	}
	if len(running) == 0 {
		fmt.Fprintln(stderr, "toolscope stats: no program of yours on this machine has announced itself")
		return nil
	}
	t := &screen.Table{Report: true, Columns: []screen.Column{
		{Title: "URL"}, {Title: "TITLE"}, {Title: "PID", Right: true, Rank: 1}, {Title: "SINCE", Rank: 2},
	}}
	for _, p := range running {
		t.Add(screen.Cell{Text: display.Clip(p.URL, 100)}, screen.Cell{Text: display.Clip(p.Title, 40)},
			screen.Cell{Text: strconv.Itoa(p.PID)}, screen.Cell{Text: p.Started.Local().Format(time.DateTime)})
	}
	var b strings.Builder
	t.Print(&b, screen.PaintFor(stdout))
	_, err = io.WriteString(stdout, b.String())
	return err
}
