// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package forgetcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/recordings"
	"github.com/toolscope/toolscope/exporters"
	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/redact"
)

const about = `toolscope forget removes one session from log files, audit logs, trace files and spools.

Requests over HTTP without a session have no id to give: --call removes one call with its
steps from call logs and recordings. 'toolscope sessions show --ids' prints the ids of calls.

The places may be given more than once. Files whose names end with .gz are read as
compressed.

Removed text is overwritten in place, so programs that have the files open go on writing to
them. A line of a call log becomes an empty one; an entry of an audit log records that
it was forgotten, and when. If the command is interrupted, run it again.

Copies elsewhere are not removed: a running program's memory (Recorder.Forget and
Ring.Forget do that from within), Jaeger, Prometheus, backups. Ids that look like a secret
or like personal data were redacted before they were written: then the command prints
the id to use instead.`

const examples = `  toolscope forget --call Q5L6HHKY-1 --recordings
  toolscope forget --session s-42 --audit audit.jsonl --traces traces --dry-run
  toolscope forget --session s-42 --audit audit.jsonl --traces traces`

// options are those of the command line.
type options struct {
	exporters.Forget
	json                 bool
	logs, audits, traces []string
	spools               []string
	recordings           []string
}

// defaultDir stands for the directory of recordings.
const defaultDir = "default"

// forgotten is what was done at one place.
type forgotten struct {
	Kind    string `json:"kind"`
	Path    string `json:"path"`
	Files   int    `json:"files"`
	Removed int    `json:"removed"` // spans, or lines
	Error   string `json:"error,omitempty"`
}

// Command returns the command.
func Command() *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:         "forget --session ID [OPTIONS]",
		Short:       "remove one session from logs, traces and spools",
		Long:        about,
		Example:     examples,
		Annotations: cli.Notes(", also if nothing was found; 1 if a file could not be read or written", "forget --call ID [OPTIONS]"),
		RunE: func(c *cobra.Command, args []string) error {
			if err := o.check(args); err != nil {
				return err
			}
			return o.print(o.forget(), c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	f := c.Flags()
	f.StringVar(&o.Session, "session", "", "the `ID` of the session; required without --call")
	f.StringVar(&o.Call, "call", "", "in its place the `ID` of a call in --log and --recordings")
	f.StringVar(&o.Tenant, "tenant", "", "only the session of the tenant `NAME`")
	f.StringArrayVar(&o.logs, "log", nil, "a call log, or a recorded session, in `FILE`: JSON lines with a member \"session\"")
	f.StringArrayVar(&o.audits, "audit", nil, "an audit log in `FILE`, with the rotated ones next to it")
	f.StringArrayVar(&o.traces, "traces", nil, "OTLP JSON lines in `DIR`, as exporters.Options.JSONLines writes "+
		"them: the session's spans, "+
		"and those of the same traces that name no other session")
	f.StringArrayVar(&o.recordings, "recordings", nil, "the recordings in `DIR`; without =DIR where toolscope mcp and serve "+
		"record ('toolscope sessions')")
	f.Lookup("recordings").NoOptDefVal = defaultDir
	f.StringArrayVar(&o.spools, "spool", nil, "the spans in `DIR` (exporters.Options.SpoolDir) of programs that do "+
		"not run now; those of a running "+
		"one have to be removed by it (Providers.Forget), and are an error")
	f.BoolVar(&o.DryRun, "dry-run", false, "count, and change nothing")
	f.BoolVar(&o.json, "json", false, "print a JSON object")
	return c
}

// check checks the command line.
func (o *options) check(args []string) error {
	switch {
	case len(args) > 0:
		return cli.Usage("got %.40q, want a place after --log, --audit, --traces, --spool or --recordings=", args[0])
	case o.Session == "" && o.Call == "":
		return cli.Usage("--session: got none, want the id of a session, or --call and that of a call")
	case o.Session != "" && o.Call != "":
		return cli.Usage("got --session and --call, want one of them")
	case o.Call != "" && len(o.audits)+len(o.traces)+len(o.spools) > 0:
		return cli.Usage("--call: got it with --audit, --traces or --spool, want --log or --recordings")
	case o.Call != "" && o.Tenant != "":
		return cli.Usage("--tenant: got it with --call, want --session")
	case len(o.logs)+len(o.audits)+len(o.traces)+len(o.spools)+len(o.recordings) == 0:
		return cli.Usage("got no place to look, want --log, --audit, --traces, --spool or --recordings")
	}
	return nil
}

// forget removes the session from all places, also when one fails.
func (o *options) forget() []forgotten {
	var all []forgotten
	for _, place := range []struct {
		kind   string
		paths  []string
		forget func(string) (exporters.ForgetReport, error)
	}{
		{"log", o.logs, o.CallLog}, {"audit", o.audits, o.Audit}, {"traces", o.traces, o.Spans},
		{"spool", o.spools, o.spool}, {"recordings", o.recordings, o.recorded},
	} {
		for _, path := range place.paths {
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

// spool removes the session from a directory of spools.
func (o *options) spool(dir string) (exporters.ForgetReport, error) {
	return o.Spool(context.Background(), dir)
}

// recorded removes the session from the recordings in a directory.
func (o *options) recorded(dir string) (report exporters.ForgetReport, err error) {
	given := dir != defaultDir
	if !given {
		if dir, err = recordings.Dir(); err != nil || dir == "" {
			return report, cmp.Or(err, errors.New("recordings are turned off: want --recordings=DIR"))
		}
	}
	if _, err := os.Stat(dir); err != nil && (given || !errors.Is(err, fs.ErrNotExist)) {
		return report, err
	}
	list, err := recordings.List(dir)
	for _, f := range list {
		for _, path := range f.Paths {
			r, e := o.CallLog(path)
			report.Files, report.Removed, err = report.Files+r.Files, report.Removed+r.Removed, errors.Join(err, e)
		}
	}
	return report, err
}

// print reports what was done.
func (o *options) print(all []forgotten, stdout, stderr io.Writer) (err error) {
	removed := 0
	var b strings.Builder
	for _, x := range all {
		removed += x.Removed
		if x.Error != "" {
			err = cli.Exit(cli.ExitError)
			fmt.Fprintf(stderr, "toolscope forget: %s\n", display.Plain(x.Error))
		}
		what, verb := "lines", "removed"
		if x.Kind == "traces" || x.Kind == "spool" {
			what = "spans"
		}
		if o.DryRun {
			verb = "would be removed"
		}
		fmt.Fprintf(&b, "%-7s %s: %d %s %s\n", x.Kind, display.Plain(x.Path), x.Removed, what, verb)
	}
	if o.json {
		b.Reset()
		report := map[string]any{"session": o.Session, "call": o.Call, "dry_run": o.DryRun, "removed": removed, "places": all}
		if err := cli.PrintJSON(&b, report); err != nil {
			return err
		}
	}
	if _, err := io.WriteString(stdout, b.String()); err != nil {
		return err
	}
	if shown, _ := redact.Default().Text(o.Session); shown != o.Session {
		fmt.Fprintf(stderr, "toolscope forget: note: logs that were redacted have this id as %s, which other "+
			"sessions may share; "+
			"to remove the lines of all of them, give that to --session\n", display.Plain(shown))
	}
	if removed == 0 && err == nil {
		where, id := "'toolscope report FILE' names the sessions", o.Session
		if o.Call != "" {
			where, id = "'toolscope sessions show --ids FILE' prints the ids of calls", o.Call
		}
		shown, _ := redact.Default().Text(id)
		fmt.Fprintf(stderr, "toolscope forget: note: nothing has the id %q: %s\n", display.Clip(shown, 80), where)
	}
	return err
}
