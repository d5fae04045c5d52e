// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/top"
	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/stats"
)

const topHelp = `toolscope top shows tool calls live in the terminal.

Usage: toolscope top [OPTIONS] [URL…]
       toolscope top [OPTIONS] --log FILE

A URL is where a program has mounted its scope's HTTP handler, or a proxy serves its
statistics. Without one, $TOOLSCOPE_URL is asked; else all programs of yours that run
on this machine and have announced themselves, added up; else ` + defaultURL + `.

  --log FILE      a call log instead; it is read whole, and then as it grows
  --window NAME   1m, 5m (the default), 15m, 1h, 24h or total; the key w changes it
  --tool NAME     begin with this tool
  --every TIME    how often to ask; the default is 2s
  --once          print one plain frame, and leave; so it does where standard output
                  is no terminal
  --width CELLS   of that frame; the default is the terminal's, $COLUMNS, or 100
  --ascii         draw with ASCII only; the default is to look at the locale
  --token-file F  read the bearer token from a file ("-": standard input);
                  without it $TOOLSCOPE_TOKEN is the token, if set
  --timeout TIME  how long a program may take to answer; the default is 10s

Keys: ? shows them all. 1 to 5 are tools, calls, running calls, sessions and errors;
enter opens a row, esc goes back, / filters, s sorts, p pauses, q quits.

Arguments and results of recent calls are shown where the program keeps its spans
(statshttp.Options.Traces) or the log has them, and arguments of running calls where it tells
of them (statshttp.Options.Running). All of it was redacted by who recorded it; what a log
has is redacted again. With NO_COLOR there is no colour. A terminal that cannot move
its cursor (TERM=dumb) gets a plain frame each time.

  toolscope top
  toolscope top --window 1h http://localhost:8080/debug/tools/
  toolscope top --log calls.jsonl
  toolscope top --once | head -20

Exit code: 0, 1 if there is nothing that could be shown, 2 for wrong words.
`

// topOptions are what the command line says.
type topOptions struct {
	statsOptions
	log   string
	once  bool
	width int
	ascii bool
}

// topCommand is `toolscope top`.
func topCommand(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return runTop(ctx, args, stdin, stdout, stderr)
}

func runTop(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	var o topOptions
	f := flag.NewFlagSet("top", flag.ContinueOnError)
	f.StringVar(&o.log, "log", "", "")
	f.StringVar(&o.window, "window", "5m", "")
	f.StringVar(&o.tool, "tool", "", "")
	f.DurationVar(&o.every, "every", 2*time.Second, "")
	f.BoolVar(&o.once, "once", false, "")
	f.IntVar(&o.width, "width", 0, "")
	f.BoolVar(&o.ascii, "ascii", !unicodeLocale(os.Getenv), "")
	f.StringVar(&o.tokenFile, "token-file", "", "")
	f.DurationVar(&o.timeout, "timeout", 10*time.Second, "")
	rest, code, done := parseArguments(f, topHelp, args, stdout, stderr)
	if done {
		return code
	}
	o.urls, o.sort = rest, "time"
	if err := o.complete(stdout); err != nil {
		fmt.Fprintf(stderr, "toolscope top: %v\nRun 'toolscope top --help' for the options.\n", err)
		return exitUsage
	}
	source, end, err := o.source(stdin)
	if err != nil {
		complain(stderr, "top", err)
		return exitError
	}
	defer end()
	options := top.Options{Every: o.every, Window: o.window, Tool: o.tool, Plain: !colored(stdout), ASCII: o.ascii}
	dumb := os.Getenv("TERM") == "dumb" || os.Getenv("TERM") == ""
	switch {
	case o.once || !isTerminal(stdout):
		return o.frame(ctx, source, options, stdout, stderr)
	case dumb || !isTerminal(stdin):
		return o.frames(ctx, source, options, stdout, stderr)
	}
	if err := top.Run(ctx, source, options, stdin, stdout); err != nil {
		complain(stderr, "top", err)
		return exitError
	}
	return exitOK
}

// complete checks the options and fills in what was not said.
func (o *topOptions) complete(stdout io.Writer) error {
	if o.log != "" && len(o.urls) > 0 {
		return fmt.Errorf("--log: got a URL beside it, want one of the two")
	}
	if o.width < 0 {
		return fmt.Errorf("--width: got %d, want 0 or more", o.width)
	}
	if o.width == 0 {
		o.width = cmp.Or(cellsOf(stdout), 100)
	}
	if err := o.statsOptions.complete(); err != nil {
		return err
	}
	if o.log == "" {
		for _, u := range o.urls { // those that are wrong are so from the beginning
			if _, err := newSource(u, "", &o.statsOptions); err != nil {
				return err
			}
		}
	}
	return nil
}

// source is what is looked at, and what ends looking at it.
func (o *topOptions) source(stdin io.Reader) (source top.Source, done func(), err error) {
	if o.log != "" {
		log, err := openTopLog(o.log)
		if err != nil {
			return nil, nil, err
		}
		return log, log.close, nil
	}
	token, err := readToken(o.tokenFile, stdin)
	if err != nil {
		return nil, nil, fmt.Errorf("--token-file: %w", err)
	}
	return &topPrograms{options: &o.statsOptions, token: token, parts: make(map[partKey]*stats.Snapshot)}, func() {}, nil
}

// frame prints one plain frame.
func (o *topOptions) frame(ctx context.Context, source top.Source, options top.Options, stdout, stderr io.Writer) int {
	text, err := top.Once(ctx, source, options, o.width)
	if err != nil {
		fmt.Fprintf(stderr, "toolscope top: %s\n", display.Clip(err.Error(), 400))
		return exitError
	}
	if _, err := io.WriteString(stdout, text); err != nil {
		return exitError
	}
	return exitOK
}

// frames prints one plain frame after the other, until it is interrupted.
func (o *topOptions) frames(ctx context.Context, source top.Source, options top.Options, stdout, stderr io.Writer) int {
	for {
		o.frame(ctx, source, options, stdout, stderr)
		select {
		case <-ctx.Done():
			return exitOK
		case <-time.After(o.every):
			fmt.Fprintln(stdout)
		}
	}
}

// unicodeLocale reports whether the locale's characters are Unicode's; where none is
// set, they are taken to be.
func unicodeLocale(getenv func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToUpper(getenv(name)); v != "" {
			return strings.Contains(v, "UTF-8") || strings.Contains(v, "UTF8")
		}
	}
	return true
}
