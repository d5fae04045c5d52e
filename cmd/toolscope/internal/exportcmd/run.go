// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package exportcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/logexport"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/logfile"
	"github.com/toolscope/toolscope/internal/display"
)

// completeOTLP checks where spans go.
func (o *options) completeOTLP() error {
	o.protocol = cmp.Or(
		o.protocol, os.Getenv("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"), os.Getenv("OTEL_EXPORTER_OTLP_PROTOCOL"),
		"grpc",
	)
	if o.protocol != "grpc" && o.protocol != "http/protobuf" {
		return cli.Usage("--protocol: got %.40q, want grpc or http/protobuf", o.protocol)
	}
	o.service = cmp.Or(o.service, os.Getenv("OTEL_SERVICE_NAME"), "toolscope")
	if o.endpoint == "" {
		if os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")+os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" {
			return nil
		}
		o.endpoint = map[string]string{"grpc": "http://localhost:4317", "http/protobuf": "http://localhost:4318"}[o.protocol]
	}
	u, err := url.Parse(o.endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return cli.Usage("--endpoint: got %s, want a URL such as http://localhost:4317", display.Clip(o.endpoint, 100))
	}
	if o.protocol == "http/protobuf" && strings.Trim(u.Path, "/") == "" {
		o.endpoint = u.JoinPath("v1", "traces").String()
	}
	return nil
}

// run exports. What failed on the way is reported with what was exported until then.
func (o *options) run(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) error {
	if err := o.cleaners(); err != nil {
		return err
	}
	from, size, err := logfile.Open(o.file, stdin)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := o.create(stdout)
	if err != nil {
		return err
	}
	defer to.abandon()
	counts, export := new(logfile.Counts), &logexport.Export{Filter: o.filter, Cleaner: o.cleaner}
	complaints := collectComplaints()
	defer complaints.stop()
	if export.Sink, err = o.sink(ctx, to, counts, export); err != nil {
		return err
	}
	bar := logfile.NewProgress(stderr, size, o.quiet)
	err = logfile.Read(from, export, bar, counts, func() error {
		if ctx.Err() != nil {
			return errors.New("interrupted")
		}
		return export.Failed
	})
	bar.Clear()
	if export.Failed != nil {
		err = nil // Close returns it
	}
	err = errors.Join(err, export.Close(), complaints.error())
	if err == nil {
		err = to.commit()
	}
	o.report(counts, export, err == nil, stderr)
	if err == nil && counts.Calls == 0 && counts.Bad > 0 {
		return cli.Exit(cli.ExitError)
	}
	return err
}

// sink is what calls are handed to.
func (o *options) sink(
	ctx context.Context, to io.Writer, counts *logfile.Counts, export *logexport.Export,
) (logexport.Sink, error) {
	switch o.to {
	case "otlp":
		return logexport.NewOTLP(ctx, logexport.OTLP{
			Endpoint: o.endpoint, HTTP: o.protocol == "http/protobuf", Service: o.service, Version: cli.Version(),
		})
	case "har":
		return logexport.NewHAR(to, cli.Version()), nil
	case "html":
		title := o.title
		if title == "" && o.file != "-" {
			title = "Tool calls in " + filepath.Base(o.file)
		}
		return logexport.NewHTML(to, logexport.HTML{
			Title: title, Redactor: o.strictest, Zone: time.Local, Notes: func() []string { return notes(counts, export) },
		}), nil
	}
	return logexport.NewText(to, time.Local), nil
}

// notes are what a reader should know of an export.
func notes(counts *logfile.Counts, export *logexport.Export) (list []string) {
	if export.Filtered > 0 {
		list = append(
			list,
			fmt.Sprintf(
				"%s of %s calls did not pass the filter.", display.Count(export.Filtered),
				display.Count(counts.Calls),
			),
		)
	}
	if export.Untimed > 0 {
		list = append(list, fmt.Sprintf("%s calls have no time and were left out.", display.Count(export.Untimed)))
	}
	if counts.Bad > 0 {
		list = append(list, fmt.Sprintf("%s of %s lines could not be read; the first is line %d: %s.",
			display.Count(counts.Bad), display.Count(counts.Lines), counts.First[0].Line, counts.First[0].Reason))
	}
	return list
}

// report prints what was exported, if it was, and what was not.
func (o *options) report(counts *logfile.Counts, export *logexport.Export, arrived bool, stderr io.Writer) {
	if !o.quiet && arrived {
		fmt.Fprintf(stderr, "toolscope export: %s", display.Number(export.Exported, "call"))
		if where := o.destination(); where != "" {
			fmt.Fprintf(stderr, " to %s", display.Clip(where, 200))
		}
		fmt.Fprintln(stderr)
		if export.Filtered > 0 {
			fmt.Fprintf(stderr, "  %s did not pass the filter\n", display.Count(export.Filtered))
		}
	}
	if export.Untimed > 0 {
		fmt.Fprintf(stderr, "  %s have no time and were left out\n", display.Count(export.Untimed))
	}
	counts.ReportBad("export", stderr)
}

// destination is where calls went; "" for standard output.
func (o *options) destination() string {
	if o.to != "otlp" {
		return strings.TrimPrefix(o.output, "-")
	}
	endpoint := cmp.Or(o.endpoint, os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"), os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT"))
	if u, err := url.Parse(endpoint); err == nil {
		return u.Redacted()
	}
	return ""
}

// complaints are what OpenTelemetry's exporters report in addition to their errors: that some
// spans were not accepted.
type complaints struct {
	mu    sync.Mutex
	first error
}

func collectComplaints() *complaints {
	c := &complaints{}
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.first == nil {
			c.first = err
		}
	}))
	return c
}

func (c *complaints) error() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.first
}

func (c *complaints) stop() { otel.SetErrorHandler(otel.ErrorHandlerFunc(func(error) {})) }
