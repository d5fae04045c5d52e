// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/toolscope/toolscope/exporters"
	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/redact"
)

const forgetHelp = `toolscope forget removes one session from the files that are kept.

Usage: toolscope forget --session ID [OPTIONS]

  --session ID   whose traces go; there must be one
  --tenant NAME  only this tenant's session of that id
  --log FILE     a call log, or a recorded session: JSON lines with a member "session"
  --audit FILE   an audit log, with those set aside next to it
  --traces DIR   OTLP JSON lines, as exporters.Options.JSONLines writes them: the session's
                 spans, and those of the same traces that name no other session
  --spool DIR    the spans of programs that do not run now (exporters.Options.SpoolDir); what a
                 running one keeps has to be asked of it (Spool.DeleteSession), and is an error
  --dry-run      count, and change nothing; spools are not looked at
  --json         print a JSON object

The places may be given more than once. Files whose names end with
.gz are taken as compressed.

What goes is overwritten where it stands, so programs that have the files open go on
writing to them. A line of a call log becomes an empty one; an entry of an audit log
says from then on that it was forgotten, and when. If the command is interrupted, run it again.

Not removed is what is elsewhere: a running program's memory (Recorder.Forget and
Ring.Forget do that from within), Jaeger, Prometheus, backups. Ids that look like a secret or
like personal data were redacted before they were written: then the command says what
to ask for instead.

  toolscope forget --session s-42 --audit audit.jsonl --traces traces --dry-run
  toolscope forget --session s-42 --audit audit.jsonl --traces traces

Exit code: 0, also if nothing was found; 1 if something could not be read or written,
2 for wrong words.
`

// forgetOptions are what the command line says.
type forgetOptions struct {
	exporters.Forget
	json                 bool
	logs, audits, traces []string
	spools               []string
}

// forgotten is what was done at one place.
type forgotten struct {
	Kind    string `json:"kind"`
	Path    string `json:"path"`
	Files   int    `json:"files"`
	Removed int    `json:"removed"` // spans, or lines
	Error   string `json:"error,omitempty"`
}

// forgetCommand is `toolscope forget`.
func forgetCommand(args []string, _ io.Reader, stdout, stderr io.Writer) int {
	var o forgetOptions
	f := flag.NewFlagSet("forget", flag.ContinueOnError)
	f.StringVar(&o.Session, "session", "", "")
	f.StringVar(&o.Tenant, "tenant", "", "")
	f.BoolVar(&o.DryRun, "dry-run", false, "")
	f.BoolVar(&o.json, "json", false, "")
	each := func(name string, to *[]string) {
		f.Func(name, "", func(s string) error { *to = append(*to, s); return nil })
	}
	each("log", &o.logs)
	each("audit", &o.audits)
	each("traces", &o.traces)
	each("spool", &o.spools)
	rest, code, done := parseArguments(f, forgetHelp, args, stdout, stderr)
	if done {
		return code
	}
	if err := o.check(rest); err != nil {
		fmt.Fprintf(stderr, "toolscope forget: %s\nRun 'toolscope forget --help' for the options.\n", display.Plain(err.Error()))
		return exitUsage
	}
	return o.print(o.forget(), stdout, stderr)
}

// check checks the words.
func (o *forgetOptions) check(rest []string) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("got %.40q, want a place after --log, --audit, --traces or --spool", rest[0])
	case o.Session == "":
		return errors.New("--session: got none, want the id of a session")
	case len(o.logs)+len(o.audits)+len(o.traces)+len(o.spools) == 0:
		return errors.New("got no place to look, want --log, --audit, --traces or --spool")
	}
	return nil
}

// forget goes through all places, also when one fails.
func (o *forgetOptions) forget() []forgotten {
	var all []forgotten
	for _, place := range []struct {
		kind   string
		paths  []string
		forget func(string) (exporters.ForgetReport, error)
	}{{"log", o.logs, o.CallLog}, {"audit", o.audits, o.Audit}, {"traces", o.traces, o.Spans}, {"spool", o.spools, func(dir string) (exporters.ForgetReport, error) { return o.Spool(context.Background(), dir) }}} {
		for _, path := range place.paths {
			if place.kind == "spool" && o.DryRun {
				continue
			}
			r, err := place.forget(path)
			x := forgotten{Kind: place.kind, Path: path, Files: r.Files, Removed: r.Removed}
			if err != nil {
				x.Error = strings.TrimPrefix(err.Error(), "retention: ")
			}
			all = append(all, x)
		}
	}
	return all
}

// print tells what was done.
func (o *forgetOptions) print(all []forgotten, stdout, stderr io.Writer) int {
	code, removed := exitOK, 0
	for _, x := range all {
		removed += x.Removed
		if x.Error != "" {
			code = exitError
			fmt.Fprintf(stderr, "toolscope forget: %s\n", display.Plain(x.Error))
		}
	}
	var b strings.Builder
	if o.json {
		if err := printJSON(&b, map[string]any{"session": o.Session, "dry_run": o.DryRun, "removed": removed, "places": all}); err != nil {
			fmt.Fprintf(stderr, "toolscope forget: %v\n", err)
			return exitError
		}
	} else {
		verb := "removed"
		if o.DryRun {
			verb = "would be removed"
		}
		for _, x := range all {
			what := "lines"
			if x.Kind == "traces" || x.Kind == "spool" {
				what = "spans"
			}
			fmt.Fprintf(&b, "%-7s %s: %d %s %s\n", x.Kind, display.Plain(x.Path), x.Removed, what, verb)
		}
	}
	if _, err := io.WriteString(stdout, b.String()); err != nil {
		return exitError
	}
	if shown, _ := redact.Default().Text(o.Session); shown != o.Session {
		fmt.Fprintf(stderr, "toolscope forget: note: logs that were redacted have this id as %s, which other sessions may share; to remove the lines of all of them, give that to --session\n", display.Plain(shown))
	}
	return code
}
