// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/toolscope/toolscope/internal/calllog"
	"github.com/toolscope/toolscope/internal/display"
)

const reportHelp = `toolscope report shows the statistics of a call log.

Usage: toolscope report [OPTIONS] FILE

FILE has one JSON object on each line; "-" is standard input. The members are

  tool          the tool's name (there must be one)
  duration_us   running time in microseconds (there must be one for a call that ran)
  outcome       executed (the default), cache_hit, coalesced, repeated, refused
  error_type    the kind of failure; a call with an error but no type is a tool_error
  error         the error's text; it is redacted before it is shown
  session       whose call it was
  time          when it ended: RFC 3339, or seconds since 1970

Others are passed over. Lines that cannot be read are counted, and the first ones
named with what is wrong. Memory stays the same however long the log is: 512 tools,
1024 kinds of errors and 4096 sessions are told apart.

  --tool NAME   only this tool
  --sort ORDER  ` + orderList + `; the default is time
  --json        print a JSON object
  --quiet       no progress bar

  toolscope report calls.jsonl
  zcat calls.jsonl.gz | toolscope report --sort p99 -

Exit code: 0, 1 if the log cannot be read or no line of it, 2 for wrong words.
`

// logCounts is what was read of a log.
type logCounts struct {
	Lines uint64    `json:"lines"` // but for empty ones
	Calls uint64    `json:"calls"`
	Bad   uint64    `json:"bad_lines"`
	First []badLine `json:"first_bad_lines,omitempty"`
}

// badLine is a line that could not be read, and why.
type badLine struct {
	Line   uint64 `json:"line"`
	Reason string `json:"reason"`
}

// maxBadLines is how many bad lines are named.
const maxBadLines = 5

// reportCommand is `toolscope report`.
func reportCommand(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	f := flag.NewFlagSet("report", flag.ContinueOnError)
	tool := f.String("tool", "", "")
	sort := f.String("sort", "time", "")
	asJSON := f.Bool("json", false, "")
	still := f.Bool("quiet", false, "")
	files, code, done := parseArguments(f, reportHelp, args, stdout, stderr)
	if done {
		return code
	}
	wrong := ""
	switch {
	case len(files) != 1:
		wrong = fmt.Sprintf("got %d files, want one, or - for standard input", len(files))
	case orders[*sort] == nil:
		wrong = fmt.Sprintf("--sort: got %.40q, want one of %s", *sort, orderList)
	}
	if wrong != "" {
		fmt.Fprintf(stderr, "toolscope report: %s\nRun 'toolscope report --help' for the options.\n", wrong)
		return exitUsage
	}
	name := files[0]
	from, size, err := openLog(name, stdin)
	if err != nil {
		complain(stderr, "report", err)
		return exitError
	}
	defer from.Close()
	if name == "-" {
		name = "standard input"
	}
	bar := &logProgress{to: stderr, size: size, off: *still || !isTerminal(stderr)}
	log := calllog.New(nil)
	counts, err := readLog(from, log, bar)
	bar.clear()
	if err != nil {
		fmt.Fprintf(stderr, "toolscope report: %s: %s\n", display.Clip(name, 100), display.Clip(err.Error(), 200))
		return exitError
	}
	v := &view{snapshot: log.Snapshot(), sessions: log.Sessions(), tool: *tool, sort: *sort}
	if *tool != "" {
		v.sessions = nil
	}
	return v.report(name, counts, *asJSON, stdout, stderr)
}

// report prints the view of a log.
func (v *view) report(name string, counts *logCounts, asJSON bool, stdout, stderr io.Writer) int {
	var b strings.Builder
	if asJSON {
		j := v.json(name)
		j.Log = counts
		if err := printJSON(&b, j); err != nil {
			fmt.Fprintf(stderr, "toolscope report: %v\n", err)
			return exitError
		}
	} else {
		v.print(&b, name, paintFor(stdout), !v.snapshot.To.Equal(time.Unix(0, 0)))
	}
	if _, err := io.WriteString(stdout, b.String()); err != nil {
		return exitError
	}
	if counts.Bad > 0 {
		counts.tellBad("report", stderr)
		if counts.Calls == 0 {
			return exitError
		}
	}
	return exitOK
}
