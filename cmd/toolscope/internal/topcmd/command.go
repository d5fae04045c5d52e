// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package topcmd

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/programs"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/screen"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/top"
	"github.com/toolscope/toolscope/stats"
)

const about = `toolscope top shows tool calls live in the terminal.

A URL is where a program has mounted its scope's HTTP handler, or a proxy serves its
statistics. Without one, $TOOLSCOPE_URL is asked; else all programs of yours that run on
this machine and have announced themselves, added up; else ` + programs.DefaultURL + `.

Keys: ? shows them all. 1 to 5 are tools, calls, running calls, sessions and errors,
6 the frames of a log; enter opens a row, esc goes back, / filters, s sorts, p pauses,
q quits.

Arguments and results of recent calls are shown where the program keeps its spans
(statshttp.Options.Traces) or the log has them, and arguments of running calls where
the program serves them (statshttp.Options.Running). The recorder has redacted all of
it; the content of a log is redacted again. With NO_COLOR there is no colour. A terminal
that cannot move its cursor (TERM=dumb) gets a plain frame each time.`

const examples = `  toolscope top
  toolscope top --window 1h http://localhost:8080/debug/tools/
  toolscope top --log calls.jsonl
  toolscope top --once | head -20`

// options are those of the command line.
type options struct {
	programs.Options
	log, window, tool string
	every             time.Duration
	once              bool
	width             int
	ascii             bool
}

// Command returns the command.
func Command() *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:         "top [OPTIONS] [URL...]",
		Short:       "show tool calls live in the terminal, of running programs or of a call log",
		Long:        about,
		Example:     examples,
		Annotations: cli.Notes(", 1 if there is nothing to show", "top [OPTIONS] --log FILE"),
		RunE:        func(c *cobra.Command, urls []string) error { return o.run(c, urls) },
	}
	f := c.Flags()
	f.StringVar(&o.log, "log", "", "show the call log `FILE` instead: all of it, and then as it grows")
	cli.Choice(c, &o.window, "window", "5m", stats.WindowNames(), "begin with the last `TIME`; the key w changes it")
	f.StringVar(&o.tool, "tool", "", "begin with the tool `NAME`")
	f.DurationVar(&o.every, "every", 2*time.Second, "ask once per `TIME`")
	f.BoolVar(&o.once, "once", false, "print one plain frame, and exit; the default where standard output is no terminal")
	f.IntVar(&o.width, "width", 0, "of that frame, in `CELLS`; the default is the terminal's, $COLUMNS, or 100")
	f.BoolVar(&o.ascii, "ascii", false, "draw with ASCII only; the default depends on the locale")
	o.Define(c)
	return c
}

// run shows the view.
func (o *options) run(c *cobra.Command, urls []string) error {
	stdin, stdout := c.InOrStdin(), c.OutOrStdout()
	if !c.Flags().Changed("ascii") {
		o.ascii = !unicodeLocale(os.Getenv)
	}
	if err := o.complete(urls, stdout); err != nil {
		return err
	}
	ctx, stop := cli.UntilInterrupted(c)
	defer stop()
	source, end, err := o.source(stdin)
	if err != nil {
		return err
	}
	defer end()
	view := top.Options{Every: o.every, Window: o.window, Tool: o.tool, Plain: !screen.Colored(stdout), ASCII: o.ascii}
	dumb := os.Getenv("TERM") == "dumb" || os.Getenv("TERM") == ""
	switch {
	case o.once || !screen.IsTerminal(stdout):
		return o.lastFrame(ctx, source, view, stdout, c.ErrOrStderr())
	case dumb || !screen.IsTerminal(stdin):
		return o.frames(ctx, source, view, stdout, c.ErrOrStderr())
	}
	return top.Run(ctx, source, view, stdin, stdout)
}

// complete checks the options and fills in defaults.
func (o *options) complete(urls []string, stdout io.Writer) error {
	switch {
	case o.log != "" && len(urls) > 0:
		return cli.Usage("--log: got a URL as well, want one of the two")
	case o.width < 0:
		return cli.Usage("--width: got %d, want 0 or more", o.width)
	case o.every < 100*time.Millisecond:
		return cli.Usage("--every: got %v, want at least 100ms", o.every)
	}
	o.width = cmp.Or(o.width, screen.Cells(stdout), 100)
	return o.Complete(urls)
}

// source returns what is shown, and what ends it.
func (o *options) source(stdin io.Reader) (source top.Source, end func(), err error) {
	if o.log != "" {
		log, err := openLog(o.log)
		if err != nil {
			return nil, nil, err
		}
		return log, log.close, nil
	}
	token, err := o.Token(stdin)
	if err != nil {
		return nil, nil, err
	}
	return &live{options: o.Options, token: token, parts: make(map[partKey]*stats.Snapshot)}, func() {}, nil
}

// frame prints one plain frame.
func (o *options) frame(ctx context.Context, source top.Source, view top.Options, stdout io.Writer) error {
	text, err := top.Once(ctx, source, view, o.width)
	if err != nil {
		return err
	}
	_, err = io.WriteString(stdout, text)
	return err
}

// lastFrame prints the only frame. It says that the last line of a log is cut.
func (o *options) lastFrame(ctx context.Context, source top.Source, view top.Options, stdout, stderr io.Writer) error {
	log, ofLog := source.(*callLog)
	if ofLog {
		log.once = true
	}
	err := o.frame(ctx, source, view, stdout)
	if ofLog {
		log.counts.ReportTorn("top", stderr)
	}
	return err
}

// frames prints one plain frame after the other, until it is interrupted.
func (o *options) frames(ctx context.Context, source top.Source, view top.Options, stdout, stderr io.Writer) error {
	for {
		if err := o.frame(ctx, source, view, stdout); err != nil {
			cli.Complain(stderr, "toolscope top", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(o.every):
			fmt.Fprintln(stdout)
		}
	}
}

// unicodeLocale reports whether the locale's characters are Unicode's. Where no locale is
// set, they are assumed to be.
func unicodeLocale(getenv func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToUpper(getenv(name)); v != "" {
			return strings.Contains(v, "UTF-8") || strings.Contains(v, "UTF8")
		}
	}
	return true
}
