// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package reportcmd

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/toolscope/toolscope/internal/calllog"

	"github.com/spf13/cobra"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/logfile"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/recordings"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/summary"
	"github.com/toolscope/toolscope/toolkit"
)

const about = `toolscope report shows the statistics of a call log.

FILE has one JSON object on each line; "-" is standard input. The members are

  tool          the tool's name (required)
  duration_us   running time in microseconds (required for a call that ran)
  outcome       %s (the default), %s
  error_type    the kind of failure; a call with an error but no type is a tool_error
  error         the error's text; it is redacted before it is shown
  session       the session that made the call
  time          when it ended: RFC 3339, or seconds since 1970

Other members are ignored. Lines that cannot be read are counted, and the first ones are
named with the reason. Memory use does not depend on the length of the log: at most 512
tools, 1024 kinds of errors and 4096 sessions are counted separately.`

const examples = `  toolscope report calls.jsonl
  zcat calls.jsonl.gz | toolscope report --sort p99 -`

type options struct {
	tool, sort  string
	json, quiet bool
}

// Command returns the command.
func Command() *cobra.Command {
	var o options
	outcomes := toolkit.Outcomes()
	var others []string
	for _, other := range outcomes[1:] {
		others = append(others, other.String())
	}
	c := &cobra.Command{
		Use:         "report [OPTIONS] FILE",
		Short:       "show the statistics of a call log in JSON lines",
		Long:        fmt.Sprintf(about, outcomes[0], strings.Join(others, ", ")),
		Example:     examples,
		Annotations: cli.Notes(", 1 if the log cannot be read or no line of it"),
		Args:        cli.OneFile,
		RunE: func(c *cobra.Command, files []string) error {
			return o.run(files[0], c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	f := c.Flags()
	f.StringVar(&o.tool, "tool", "", "only the tool `NAME`")
	cli.Choice(c, &o.sort, "sort", "time", summary.OrderNames(), "sort by `ORDER`")
	f.BoolVar(&o.json, "json", false, "print a JSON object")
	f.BoolVar(&o.quiet, "quiet", false, "no progress bar")
	return c
}

func (o *options) run(name string, stdin io.Reader, stdout, stderr io.Writer) error {
	name = recordings.FullName(name)
	from, size, err := logfile.Open(name, stdin)
	if err != nil {
		return err
	}
	defer from.Close()
	if name == "-" {
		name = "standard input"
	}
	bar := logfile.NewProgress(stderr, size, o.quiet)
	log, counts := calllog.New(nil), new(logfile.Counts)
	err = logfile.Read(from, log, bar, counts, func() error { return nil })
	bar.Clear()
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	v := &summary.View{Snapshot: log.Snapshot(), Tool: o.tool, Sort: o.sort}
	if o.tool == "" {
		v.Sessions = log.Sessions()
	}
	if o.json {
		j := v.JSON(name)
		j.Log = counts
		err = cli.PrintJSON(stdout, j)
	} else {
		err = v.Print(stdout, name, !v.Snapshot.To.Equal(time.Unix(0, 0)))
	}
	if err != nil {
		return err
	}
	counts.ReportBad("report", stderr)
	if counts.Bad > 0 && counts.Calls == 0 {
		return cli.Exit(cli.ExitError)
	}
	return nil
}
