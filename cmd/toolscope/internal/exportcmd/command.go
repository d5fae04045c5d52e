// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exportcmd

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/logexport"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/recordings"
	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/redact/redactfile"
	"github.com/toolscope/toolscope/toolkit"
)

const about = `toolscope export converts a call log for other tools.

FILE has one JSON object on each line, as "toolscope report" and "toolscope mcp --log"
have them; "-" is standard input. The form is one of

  otlp            spans, sent to a collector, Jaeger or any other OTLP receiver
  har             an HTTP archive (HAR 1.2), for browsers' developer tools
  html            one self-contained page with plots
  text            a line for each call, and its content below it

All texts pass the default redactor, whatever the log's writer did. More can be removed,
never less. The variables OTEL_EXPORTER_OTLP_* apply to OTLP.

Calls without a time become no spans and no archive entries; they are counted. Ids of
spans are those of the log, or derived from the call, so that a second export has the same.`

const examples = `  toolscope export --to otlp --endpoint http://localhost:4317 calls.jsonl
  toolscope export -o report.html --since 24h calls.jsonl
  zcat calls.jsonl.gz | toolscope export --to har --error any -o failed.har -`

// targets are the forms.
var targets = []string{"otlp", "har", "html", "text"}

// options are those of the command line.
type options struct {
	to, output, file            string
	filter                      logexport.Filter
	since, until                string
	redact, rules               string
	noContent, quiet            bool
	endpoint, protocol, service string
	title                       string
	strictest                   *redact.Redactor // of those asked for; nil for the default
	cleaner                     *logexport.Cleaner
}

// Command returns the command.
func Command() *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:         "export --to FORM [OPTIONS] FILE",
		Short:       "turn a call log into spans (OTLP), an HTTP archive, a page or text",
		Long:        about,
		Example:     examples,
		Annotations: cli.Notes(", 1 if the log cannot be read, no line of it, or the export is not accepted"),
		Args:        cli.OneFile,
		RunE: func(c *cobra.Command, files []string) error {
			o.file = recordings.FullName(files[0])
			if err := o.complete(); err != nil {
				return err
			}
			ctx, stop := cli.UntilInterrupted(c)
			defer stop()
			return o.run(ctx, c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	cli.Choice(c, &o.to, "to", "", targets, "the `FORM`")
	f := c.Flags()
	f.StringVarP(&o.output, "output", "o", "", "write to `FILE`, which appears when it is whole; \"-\", the default,"+
		" is standard output. "+
		"Its ending (.har, .html, .txt) stands for --to")
	f.StringVar(&o.title, "title", "", "the `TITLE` of the page; the default is the file's name")
	f.BoolVar(&o.quiet, "quiet", false, "no progress bar, no summary")
	cli.Group(c, "Which calls", func(f *pflag.FlagSet) {
		f.Var((*list)(&o.filter.Tools), "tool", "tools, by `NAMES` separated by commas; a name may end with \"*\"")
		f.Var((*list)(&o.filter.Sessions), "session", "sessions, by `IDS` separated by commas")
		f.Var((*outcomes)(&o.filter), "outcome", "calls of outcomes: `NAMES` of "+outcomeNames())
		f.Var((*errorTypes)(&o.filter), "error", "kinds of errors: `NAMES` such as timeout; \"any\" is all that failed")
		f.StringVar(
			&o.since, "since", "",
			"calls that ended at `TIME` or later: RFC 3339, seconds since 1970, or how long before now, such as 2h",
		)
		f.StringVar(&o.until, "until", "", "calls that ended before `TIME`")
		f.DurationVar(&o.filter.MinDuration, "min", 0, "calls that ran for `TIME` or longer, such as 250ms")
	})
	cli.Group(c, "What is removed", func(f *pflag.FlagSet) {
		f.StringVar(&o.redact, "redact", "default", "the preset `NAME`: default, or strict, which removes every kind")
		f.StringVar(&o.rules, "rules", "", "your rules in `FILE` on top, see docs/redaction.md")
		f.BoolVar(&o.noContent, "no-content", false, "remove all arguments and results")
	})
	cli.Group(c, "For OTLP", func(f *pflag.FlagSet) {
		f.StringVar(
			&o.endpoint, "endpoint", "",
			"send to `URL`; the default is $OTEL_EXPORTER_OTLP_ENDPOINT, or http://localhost:4317",
		)
		f.StringVar(&o.protocol, "protocol", "", "the protocol `NAME`: grpc (the default) or http/protobuf")
		f.StringVar(&o.service, "service", "", "the service.name `NAME`; the default is $OTEL_SERVICE_NAME, or toolscope")
	})
	return c
}

// outcomeNames lists all outcomes.
func outcomeNames() string {
	var names []string
	for _, o := range toolkit.Outcomes() {
		names = append(names, o.String())
	}
	return strings.Join(names, ", ")
}

// list is a value of names separated by commas.
type list []string

func (l *list) String() string { return strings.Join(*l, ",") }
func (l *list) Type() string   { return "NAMES" }

func (l *list) Set(names string) error {
	*l = append(*l, slices.DeleteFunc(strings.Split(names, ","), func(s string) bool { return s == "" })...)
	return nil
}

// outcomes is the value of --outcome.
type outcomes logexport.Filter

func (o *outcomes) String() string { return "" }
func (o *outcomes) Type() string   { return "NAMES" }

func (o *outcomes) Set(names string) error {
	for name := range strings.SplitSeq(names, ",") {
		outcome, ok := toolkit.ParseOutcome(name)
		if !ok {
			return fmt.Errorf(
				"want one or more of %s%s", outcomeNames(),
				cli.DidYouMean(name, "", strings.Split(outcomeNames(), ", ")),
			)
		}
		o.Outcomes = append(o.Outcomes, outcome)
	}
	return nil
}

// errorTypes is the value of --error.
type errorTypes logexport.Filter

func (e *errorTypes) String() string { return "" }
func (e *errorTypes) Type() string   { return "NAMES" }

func (e *errorTypes) Set(names string) error {
	if names == "any" {
		e.ErrorsOnly = true
		return nil
	}
	return (*list)(&e.ErrorTypes).Set(names)
}

// forms are the file name endings that stand for a form.
var forms = map[string]string{".har": "har", ".html": "html", ".htm": "html", ".txt": "text"}

// complete checks the options and fills in defaults.
func (o *options) complete() (err error) {
	if o.to == "" {
		if i := strings.LastIndexByte(o.output, '.'); i >= 0 {
			o.to = forms[strings.ToLower(o.output[i:])]
		}
	}
	otlp := o.to == "otlp"
	switch {
	case o.to == "" && o.output != "":
		return cli.Usage("-o: got %.40q without --to, want a name that ends with .har, .html or .txt, or --to as well", o.output)
	case o.to == "":
		return cli.Usage("--to: got \"\", want one of %s", strings.Join(targets, ", "))
	case o.redact != "default" && o.redact != "strict":
		return cli.Usage("--redact: got %.40q, want default or strict: less cannot be removed", o.redact)
	case otlp && o.output != "":
		return cli.Usage("-o: got it with --to otlp, which sends: want --endpoint")
	case !otlp && o.endpoint+o.protocol+o.service != "":
		return cli.Usage("--endpoint, --protocol, --service: got one with --to %s, want --to otlp", o.to)
	case o.title != "" && o.to != "html":
		return cli.Usage("--title: got it with --to %s, want --to html", o.to)
	case o.filter.MinDuration < 0:
		return cli.Usage("--min: got %v, want 0 or more", o.filter.MinDuration)
	}
	if o.filter.Since, err = logTime("since", o.since); err != nil {
		return err
	}
	if o.filter.Until, err = logTime("until", o.until); err != nil {
		return err
	}
	if !o.filter.Until.IsZero() && !o.filter.Until.After(o.filter.Since) {
		return cli.Usage("--until: got a time that is not after --since")
	}
	if otlp {
		return o.completeOTLP()
	}
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
	return time.Time{}, cli.Usage("--%s: got %.40q, want a time such as 2026-11-21T09:30:00Z, seconds since 1970, "+
		"or how long ago, "+
		"such as 2h", name, text)
}

// cleaners make the redactors that were asked for.
func (o *options) cleaners() error {
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
