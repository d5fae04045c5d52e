// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"go.opentelemetry.io/otel/attribute"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/demo"
	"github.com/toolscope/toolscope/exporters"
	"github.com/toolscope/toolscope/exporters/statsprom"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/stats/statshttp"
	"github.com/toolscope/toolscope/toolkit"
)

const demoHelp = `toolscope demo runs a real agent session and shows what is seen of it.

Usage: toolscope demo [OPTIONS]

A scripted model works in the current directory with real tools: it lists, reads and
searches files, runs shell commands and Python, fills and queries an SQLite database in a
scratch directory, reads pages of a server of its own, and hands tasks to sub-agents.
What this machine lacks is left out and told. Some tools are slow, fail, panic, or leak
made-up secrets, as tools do. Nothing in the directory is changed.

Then the trace of one turn and the table per tool are printed, and the statistics are
served until Ctrl-C. No key, server or network is needed. With
OTEL_EXPORTER_OTLP_ENDPOINT set, the same session appears there, in Jaeger for example.

  --once          leave after printing, serve nothing
  --listen ADDR   where the statistics are served; the default, 127.0.0.1:0, takes a free
                  port
  --calls N       make at least so many calls, 120 or more; the default is 150
  --seed N        what the made-up secrets are made of; the default takes one by chance
  --json          print the summary as JSON instead of trace and table

  toolscope demo
  OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4317 toolscope demo --once

Exit code: 0, 1 if it could not run or its spans were not delivered, 2 for wrong words.
`

type demoOptions struct {
	once, json bool
	listen     string
	calls      int
	seed       uint64
}

func demoCommand(args []string, _ io.Reader, stdout, stderr io.Writer) int {
	var o demoOptions
	f := flag.NewFlagSet("demo", flag.ContinueOnError)
	f.BoolVar(&o.once, "once", false, "")
	f.BoolVar(&o.json, "json", false, "")
	f.StringVar(&o.listen, "listen", "127.0.0.1:0", "")
	f.IntVar(&o.calls, "calls", 150, "")
	f.Uint64Var(&o.seed, "seed", 0, "")
	rest, code, done := parseArguments(f, demoHelp, args, stdout, stderr)
	if done {
		return code
	}
	if err := o.complete(rest); err != nil {
		fmt.Fprintf(stderr, "toolscope demo: %v\nRun 'toolscope demo --help' for the options.\n", err)
		return exitUsage
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := runDemo(ctx, o, stdout, stderr); err != nil {
		fmt.Fprintln(stderr, "toolscope demo:", err)
		return exitError
	}
	return exitOK
}

// complete checks the words and takes a seed where none was said.
func (o *demoOptions) complete(rest []string) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("got argument %.40q, want options only", rest[0])
	case o.calls < demo.MinCalls || o.calls > 1_000_000:
		return fmt.Errorf("--calls: got %d, want %d to 1000000", o.calls, demo.MinCalls)
	}
	if o.seed == 0 {
		o.seed = rand.Uint64()
	}
	return nil
}

func runDemo(ctx context.Context, o demoOptions, stdout, stderr io.Writer) (err error) {
	listener, err := listen(o)
	if err != nil {
		return err
	}
	providers, err := exporters.Setup(ctx, exporters.Options{
		ServiceName: "toolscope-demo",
		RingSpans:   max(4096, 2*o.calls),
	})
	if err != nil {
		return err
	}
	defer func() {
		flush, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		if e := providers.Shutdown(flush); e != nil && err == nil {
			err = fmt.Errorf("sending the last spans: %w", e)
		}
	}()
	running := stats.NewRunning(nil)
	scope, err := toolscope.New(toolscope.Options{
		Observers:      []toolkit.Observer{running},
		TracerProvider: providers.TracerProvider,
		MeterProvider:  providers.MeterProvider,
		HTTP: statshttp.Options{
			Metrics:  statsprom.NewHandler,
			Traces:   providers.Ring.Source(),
			Running:  running,
			Health:   []stats.HealthSource{providers},
			Title:    "toolscope demo",
			TraceURL: jaegerTraces(providers.Endpoint),
		},
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, scope.Shutdown(ctx)) }()

	progress := newProgress(stderr)
	summary, err := demo.Run(ctx, scope, demo.Options{Calls: o.calls, Seed: o.seed, Progress: progress.show})
	progress.done()
	if err != nil {
		return err
	}
	if o.json {
		err = printDemoJSON(stdout, scope, summary)
	} else {
		err = printDemo(stdout, scope, providers, summary)
	}
	if err != nil || listener == nil {
		return err
	}
	address := "http://" + listener.Addr().String() + "/"
	fmt.Fprintf(stderr, "\nDashboard and API: %s (Ctrl-C ends it)\n", address)
	if withdraw, err := statshttp.Announce(address, "toolscope demo"); err == nil { // else "toolscope stats" wants the address
		defer withdraw()
		fmt.Fprintln(stderr, "In a terminal: toolscope stats, toolscope top")
	}
	return serve(ctx, listener, scope.HTTPHandler())
}

// listen opens the address before the session runs, so that a wrong one is told at
// once; nil if nothing is to be served.
func listen(o demoOptions) (net.Listener, error) {
	if o.once {
		return nil, nil
	}
	l, err := net.Listen("tcp", o.listen)
	if err != nil {
		return nil, fmt.Errorf("--listen: %w", err)
	}
	return l, nil
}

func serve(ctx context.Context, l net.Listener, h http.Handler) error {
	server := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 64 << 10}
	stopped := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stopped()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func printDemoJSON(w io.Writer, scope *toolscope.Scope, summary demo.Summary) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(struct {
		Session demo.Summary   `json:"session"`
		Stats   *stats.Summary `json:"stats"`
	}{summary, scope.Stats().Summary(stats.Window{})})
}

func printDemo(w io.Writer, scope *toolscope.Scope, providers *exporters.Providers, summary demo.Summary) error {
	all := view{snapshot: scope.Stats().Snapshot(stats.Window{}), sort: "time"}
	calls := int(all.summary().Overall.Calls)
	fmt.Fprintf(w, "%d calls in %d turns of conversation %s", calls, summary.Turns, summary.Conversation)
	if below := calls - summary.Calls; below > 0 {
		fmt.Fprintf(w, " (%d by a sub-agent)", below)
	}
	fmt.Fprintln(w)
	for _, n := range summary.Notes {
		fmt.Fprintln(w, "note:", n)
	}
	if trace, ok := turnToShow(providers.Ring); ok {
		fmt.Fprintf(w, "\nOne turn, as a trace:\n\n")
		if err := exporters.WriteTree(w, trace, exporters.TreeOptions{Color: colored(w)}); err != nil {
			return err
		}
	}
	var tables strings.Builder
	all.print(&tables, "all calls", paintFor(w), true)
	if _, err := fmt.Fprintf(w, "\n%s", &tables); err != nil {
		return err
	}
	if providers.Endpoint != "" {
		fmt.Fprintf(w, "\nIn Jaeger: %s\n", jaegerSearch(providers.Endpoint, summary.Conversation))
	}
	return nil
}

// turnToShow is the trace with the most different endings: the turn of troubles.
func turnToShow(ring *exporters.Ring) (best exporters.Trace, ok bool) {
	most := 0
	for _, t := range ring.Traces() {
		endings := make(map[string]bool)
		for _, s := range t.Spans {
			attributes := attribute.NewSet(s.Attributes()...)
			ending, _ := attributes.Value("error.type")
			endings[ending.AsString()] = true
		}
		if len(endings) > most {
			best, most, ok = t, len(endings), true
		}
	}
	return best, ok
}

// jaegerUI is Jaeger's page on the host that takes the spans.
func jaegerUI(endpoint string) string {
	if !strings.Contains(endpoint, "://") {
		endpoint = "http://" + endpoint
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Hostname() == "" {
		return "http://localhost:16686"
	}
	return "http://" + net.JoinHostPort(u.Hostname(), "16686")
}

func jaegerSearch(endpoint, conversation string) string {
	tags, _ := json.Marshal(map[string]string{"gen_ai.conversation.id": conversation})
	return jaegerUI(endpoint) + "/search?service=toolscope-demo&lookback=1h&limit=100&tags=" + url.QueryEscape(string(tags))
}

// jaegerTraces is the address of a trace in Jaeger; "" without an endpoint.
func jaegerTraces(endpoint string) string {
	if endpoint == "" {
		return ""
	}
	return jaegerUI(endpoint) + "/trace/{trace_id}"
}
