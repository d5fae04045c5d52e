// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"time"

	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/stats"
)

const defaultURL = "http://127.0.0.1:9464/"

const statsHelp = `toolscope stats shows the statistics of running programs.

Usage: toolscope stats [OPTIONS] [URL…]

A URL is where a program has mounted its scope's HTTP handler. Without one,
$TOOLSCOPE_URL is asked; else all programs of yours that run on this machine and
have announced themselves, as "toolscope demo" does, and others by
statshttp.Announce; else ` + defaultURL + `.

  --window NAME   1m, 5m (the default), 15m, 1h, 24h or total
  --since TIME    a window by its bounds: RFC 3339, or seconds since 1970
  --until TIME
  --tool NAME     only this tool
  --sort ORDER    ` + orderList + `; the default is time
  --list          print which programs have announced themselves, and leave
  --merge         add the programs up: percentiles are those of all their calls
  --watch         show the tables again and again, until interrupted
  --every TIME    how often to show them; the default is 2s
  --json          print one JSON object for each URL, or one for all with --merge
  --token-file F  read the bearer token from a file ("-": standard input);
                  without it $TOOLSCOPE_TOKEN is the token, if set
  --timeout TIME  how long a program may take to answer; the default is 10s

Percentiles are of calls that ran: hits and refusals do not flatter them. The
columns ± compare with the window of the same length before. Columns that matter less
are left out where the terminal, or $COLUMNS, is too narrow for them; a pipe gets all.

  toolscope stats
  toolscope stats --window 1h --sort p99 http://localhost:8080/debug/tools/
  toolscope stats --merge --json http://a:9464/ http://b:9464/ | jq .overall.p99_ms

Exit code: 0, 1 if a program could not be asked, 2 for wrong words.
`

// statsOptions are what the command line says.
type statsOptions struct {
	window, since, until string
	tool, sort           string
	merge, watch, json   bool
	list                 bool
	every, timeout       time.Duration
	tokenFile            string
	urls                 []string
}

// statsCommand is `toolscope stats`.
func statsCommand(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return runStats(ctx, args, stdin, stdout, stderr)
}

func runStats(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	var o statsOptions
	f := flag.NewFlagSet("stats", flag.ContinueOnError)
	f.StringVar(&o.window, "window", "", "")
	f.StringVar(&o.since, "since", "", "")
	f.StringVar(&o.until, "until", "", "")
	f.StringVar(&o.tool, "tool", "", "")
	f.StringVar(&o.sort, "sort", "time", "")
	f.BoolVar(&o.list, "list", false, "")
	f.BoolVar(&o.merge, "merge", false, "")
	f.BoolVar(&o.watch, "watch", false, "")
	f.BoolVar(&o.json, "json", false, "")
	f.DurationVar(&o.every, "every", 2*time.Second, "")
	f.DurationVar(&o.timeout, "timeout", 10*time.Second, "")
	f.StringVar(&o.tokenFile, "token-file", "", "")
	urls, code, done := parseArguments(f, statsHelp, args, stdout, stderr)
	if done {
		return code
	}
	o.urls = urls
	if err := o.complete(); err != nil {
		fmt.Fprintf(stderr, "toolscope stats: %v\nRun 'toolscope stats --help' for the options.\n", err)
		return exitUsage
	}
	if o.list {
		return listPrograms(stdout, stderr)
	}
	token, err := readToken(o.tokenFile, stdin)
	if err != nil {
		fmt.Fprintf(stderr, "toolscope stats: --token-file: %v\n", err)
		return exitError
	}
	for {
		sources, err := o.sources(token)
		if err != nil {
			fmt.Fprintf(stderr, "toolscope stats: %v\n", err)
			return exitUsage
		}
		code := o.show(ctx, sources, stdout, stderr)
		if !o.watch {
			return code
		}
		select {
		case <-ctx.Done():
			return exitOK
		case <-time.After(o.every):
		}
	}
}

// complete checks the options and fills in what was not said.
func (o *statsOptions) complete() error {
	switch {
	case orders[o.sort] == nil:
		return fmt.Errorf("--sort: got %.40q, want one of %s", o.sort, orderList)
	case o.window != "" && o.since+o.until != "":
		return fmt.Errorf("--window: got it beside --since or --until, want one of the two")
	case o.every < 100*time.Millisecond:
		return fmt.Errorf("--every: got %v, want at least 100ms", o.every)
	case o.timeout <= 0:
		return fmt.Errorf("--timeout: got %v, want more than 0", o.timeout)
	}
	if o.window == "" && o.since+o.until == "" {
		o.window = "5m"
	}
	if o.window != "" {
		if _, err := stats.ParseWindow(o.window); err != nil {
			return fmt.Errorf("--window: got %.40q, want one of %s", o.window, strings.Join(stats.WindowNames(), ", "))
		}
	}
	if u := os.Getenv("TOOLSCOPE_URL"); u != "" && len(o.urls) == 0 {
		o.urls = []string{u}
	}
	if o.list && len(o.urls) > 0 {
		return fmt.Errorf("--list: got a URL beside it, want one of the two")
	}
	return nil
}

// show asks all sources and prints what they answer.
func (o *statsOptions) show(ctx context.Context, sources []*source, stdout, stderr io.Writer) int {
	views := make([]*view, len(sources))
	failures := make([]error, len(sources))
	var all sync.WaitGroup
	turns := make(chan struct{}, 8)
	for i, s := range sources {
		all.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			views[i], failures[i] = s.view(ctx, o)
		})
	}
	all.Wait()
	code := exitOK
	for i, err := range failures {
		if err != nil {
			if ctx.Err() != nil {
				return exitError // interrupted: that is why
			}
			code = exitError
			fmt.Fprintf(stderr, "toolscope stats: %s: %s\n", display.Clip(sources[i].name, 100), display.Clip(brief(err)+sources[i].hint, 400))
		}
	}
	names := make([]string, len(sources))
	for i, s := range sources {
		names[i] = s.name
	}
	if o.merge {
		views, names = o.merged(views, len(sources))
	}
	var b strings.Builder
	p := paintFor(stdout)
	if o.watch && !o.json && isTerminal(stdout) {
		b.WriteString("\x1b[H\x1b[2J")
	}
	for i, v := range views {
		switch {
		case v == nil:
		case o.json:
			if err := printJSON(&b, v.json(names[i])); err != nil {
				fmt.Fprintf(stderr, "toolscope stats: %v\n", err)
				return exitError
			}
		default:
			if i > 0 {
				b.WriteString("\n")
			}
			v.print(&b, names[i], p, true)
		}
	}
	if _, err := io.WriteString(stdout, b.String()); err != nil {
		return exitError
	}
	return code
}
