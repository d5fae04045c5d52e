// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/logexport"
	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/redact/redactfile"
	"github.com/toolscope/toolscope/toolkit"
)

const exportHelp = `toolscope export turns a call log into what other tools read.

Usage: toolscope export --to FORM [OPTIONS] FILE

FILE has one JSON object on each line, as "toolscope report" and "toolscope mcp --log"
have them; "-" is standard input. The form is one of

  otlp            spans, sent to a collector, Jaeger or whatever takes OTLP
  har             an HTTP archive (HAR 1.2), for browsers' developer tools
  html            one page with plots that needs nothing else
  text            a line for each call, and its content below it

  -o FILE         where to write; the default is "-", standard output. The file is there
                  when it is whole. Its ending (.har, .html, .txt) stands for --to.

Which calls:

  --tool NAMES    tools, separated by commas; a name may end with "*"
  --session IDS   sessions, separated by commas
  --outcome LIST  executed, cache_hit, coalesced, repeated, refused
  --error TYPES   kinds of errors, such as timeout; "any" is all that failed
  --since TIME    calls that ended then or later: RFC 3339, seconds since 1970, or how
                  long before now, such as 2h
  --until TIME    calls that ended before
  --min TIME      calls that ran for as long, such as 250ms

What is removed: all texts pass the default redactor, whatever the log's writer did.
More can be removed, never less:

  --redact NAME   default, or strict: every kind there is
  --rules FILE    rules of your own on top, as docs/redaction.md tells
  --no-content    no arguments and no results

For OTLP (the variables OTEL_EXPORTER_OTLP_* hold, too):

  --endpoint URL  the default is $OTEL_EXPORTER_OTLP_ENDPOINT, or http://localhost:4317
  --protocol NAME grpc (the default) or http/protobuf
  --service NAME  service.name; the default is $OTEL_SERVICE_NAME, or toolscope

  --title TEXT    of the page; the default is the file's name
  --quiet         no progress bar, no summary

Calls without a time become no spans and no archive entries; they are counted. Ids of
spans are those of the log, or made of the call, so that a second export has the same.

  toolscope export --to otlp --endpoint http://localhost:4317 calls.jsonl
  toolscope export -o report.html --since 24h calls.jsonl
  zcat calls.jsonl.gz | toolscope export --to har --error any -o failed.har -

Exit code: 0, 1 if the log cannot be read, no line of it, or nobody takes what is
exported, 2 for wrong words.
`

// exportOptions are what the command line says.
type exportOptions struct {
	to, output, file            string
	filter                      logexport.Filter
	redact, rules               string
	noContent, quiet            bool
	endpoint, protocol, service string
	title                       string
	strictest                   *redact.Redactor // of those asked for; nil for the default
	cleaner                     *logexport.Cleaner
}

// exportCommand is `toolscope export`.
func exportCommand(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	o, code, done := exportWords(args, stdout, stderr)
	if done {
		return code
	}
	counts, export, err := o.run(ctx, stdin, stdout, stderr)
	if err != nil {
		fmt.Fprintf(stderr, "toolscope export: %s\n", display.Clip(err.Error(), 600))
		if counts == nil {
			return exitError
		}
		code = exitError
	}
	o.told(counts, export, err == nil, stderr)
	if counts.Calls == 0 && counts.Bad > 0 {
		return exitError
	}
	return code
}

// exportWords reads the command line.
func exportWords(args []string, stdout, stderr io.Writer) (o *exportOptions, code int, done bool) {
	o = &exportOptions{}
	var tools, sessions, outcomes, errorTypes, since, until string
	f := flag.NewFlagSet("export", flag.ContinueOnError)
	for name, to := range map[string]*string{"to": &o.to, "o": &o.output, "tool": &tools, "session": &sessions, "outcome": &outcomes, "error": &errorTypes, "since": &since, "until": &until,
		"redact": &o.redact, "rules": &o.rules, "endpoint": &o.endpoint, "protocol": &o.protocol, "service": &o.service, "title": &o.title} {
		f.StringVar(to, name, "", "")
	}
	f.DurationVar(&o.filter.MinDuration, "min", 0, "")
	f.BoolVar(&o.noContent, "no-content", false, "")
	f.BoolVar(&o.quiet, "quiet", false, "")
	files, code, done := parseArguments(f, exportHelp, args, stdout, stderr)
	if done {
		return nil, code, true
	}
	o.filter.Tools, o.filter.Sessions = split(tools), split(sessions)
	err := o.complete(files)
	if err == nil {
		err = o.outcomes(outcomes, errorTypes)
	}
	if err == nil {
		o.filter.Since, err = logTime("since", since)
	}
	if err == nil {
		o.filter.Until, err = logTime("until", until)
	}
	if err == nil && !o.filter.Until.IsZero() && !o.filter.Until.After(o.filter.Since) {
		err = errors.New("--until: got a time that is not after --since")
	}
	if err != nil {
		fmt.Fprintf(stderr, "toolscope export: %v\nRun 'toolscope export --help' for the options.\n", err)
		return nil, exitUsage, true
	}
	return o, exitOK, false
}

func split(list string) []string {
	return slices.DeleteFunc(strings.Split(list, ","), func(s string) bool { return s == "" })
}

// forms are the endings of files that stand for a form.
var forms = map[string]string{".har": "har", ".html": "html", ".htm": "html", ".txt": "text"}

// complete checks the options and fills in what was not said.
func (o *exportOptions) complete(files []string) error {
	if len(files) != 1 {
		return fmt.Errorf("got %d files, want one, or - for standard input", len(files))
	}
	o.file = files[0]
	if o.to == "" {
		if i := strings.LastIndexByte(o.output, '.'); i >= 0 {
			o.to = forms[strings.ToLower(o.output[i:])]
		}
	}
	otlp := o.to == "otlp"
	switch {
	case o.to == "" && o.output != "":
		return fmt.Errorf("-o: got %.40q without --to, want a name that ends with .har, .html or .txt, or --to as well", o.output)
	case !slices.Contains([]string{"otlp", "har", "html", "text"}, o.to):
		return fmt.Errorf("--to: got %.40q, want one of otlp, har, html, text", o.to)
	case o.redact != "" && o.redact != "default" && o.redact != "strict":
		return fmt.Errorf("--redact: got %.40q, want default or strict: less cannot be removed", o.redact)
	case otlp && o.output != "":
		return errors.New("-o: got it with --to otlp, which sends: want --endpoint")
	case !otlp && o.endpoint+o.protocol+o.service != "":
		return fmt.Errorf("--endpoint, --protocol, --service: got one with --to %s, want --to otlp", o.to)
	case o.title != "" && o.to != "html":
		return fmt.Errorf("--title: got it with --to %s, want --to html", o.to)
	case o.filter.MinDuration < 0:
		return fmt.Errorf("--min: got %v, want 0 or more", o.filter.MinDuration)
	}
	if otlp {
		return o.completeOTLP()
	}
	return nil
}

// outcomes reads --outcome and --error.
func (o *exportOptions) outcomes(outcomes, errorTypes string) error {
	for _, name := range split(outcomes) {
		outcome, ok := toolkit.ParseOutcome(name)
		if !ok {
			return fmt.Errorf("--outcome: got %.40q, want one or more of %v", name, toolkit.Outcomes())
		}
		o.filter.Outcomes = append(o.filter.Outcomes, outcome)
	}
	if errorTypes == "any" {
		o.filter.ErrorsOnly = true
		return nil
	}
	o.filter.ErrorTypes = split(errorTypes)
	return nil
}

// logTime is a time: RFC 3339, seconds since 1970, or how long before now.
func logTime(name, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return t, nil
	}
	if s, err := strconv.ParseFloat(text, 64); err == nil && s > 0 && s < 9e9 {
		return time.Unix(0, int64(s*1e9)), nil
	}
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return time.Now().Add(-d), nil
	}
	return time.Time{}, fmt.Errorf("--%s: got %.40q, want a time such as 2026-11-21T09:30:00Z, seconds since 1970, or how long ago, such as 2h", name, text)
}

// cleaners make the redactors that were asked for.
func (o *exportOptions) cleaners() error {
	var others []*redact.Redactor
	if o.redact == "strict" {
		r, err := redact.New(redact.Options{Preset: redact.Strict})
		if err != nil {
			return fmt.Errorf("--redact: %w", err)
		}
		others = append(others, r)
		o.strictest = r
	}
	if o.rules != "" {
		r, err := redactfile.Load(o.rules)
		if err != nil {
			return fmt.Errorf("--rules: %w", err)
		}
		others = append(others, r)
	}
	o.cleaner = logexport.NewCleaner(others...)
	o.cleaner.NoContent = o.noContent
	return nil
}
