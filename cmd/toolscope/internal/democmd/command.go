// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package democmd

import (
	"context"
	crand "crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/telemetry"
	"github.com/toolscope/toolscope/stats/statshttp"

	"github.com/spf13/cobra"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/demo"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/programs"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/screen"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/summary"
	"github.com/toolscope/toolscope/exporters"
	"github.com/toolscope/toolscope/exporters/statsprom"
	"github.com/toolscope/toolscope/middleware"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
)

const about = `toolscope demo runs a real agent session and shows what is recorded of it.

A scripted model works in the current directory with real tools: it lists, reads and
searches files, runs shell commands and Python, fills and queries an SQLite database in a
scratch directory, reads pages of a server of its own, and hands tasks to sub-agents.
Tools whose prerequisites are missing are skipped, and the output lists them. Some tools are
slow, fail, panic, or leak made-up secrets, as tools do. Nothing in the directory is changed.

Then the trace of one turn and the ten tools with the most time are printed. The
statistics are served until Ctrl-C, and the model goes on with --rate calls a second:
with cache hits, duplicates, loops, retries, approvals, and outages of a tool. No key,
server or network is needed. With OTEL_EXPORTER_OTLP_ENDPOINT set, the same session
appears there, in Jaeger for example; --jaeger is the address of its page.`

const examples = `  toolscope demo
  OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4317 toolscope demo --once`

type options struct {
	once, json bool
	listen     string
	calls      int
	rate       float64
	jaeger     string
	seed       uint64
	exporting  telemetry.Flags
}

// Command returns the command.
func Command() *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:               "demo [OPTIONS]",
		Short:             "run a real session with real tools and show what is recorded of it",
		Long:              about,
		Example:           examples,
		Annotations:       cli.Notes(", 1 if it could not run or its spans were not delivered"),
		Args:              cli.OptionsOnly,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(c *cobra.Command, _ []string) error {
			if o.calls < demo.MinCalls || o.calls > 1_000_000 {
				return cli.Usage("--calls: got %d, want %d to 1000000", o.calls, demo.MinCalls)
			}
			if !(o.rate >= 0 && o.rate <= 1000) {
				return cli.Usage("--rate: got %v, want 0 to 1000", o.rate)
			}
			if o.jaeger != "" && !isWebAddress(o.jaeger) {
				return cli.Usage("--jaeger: got %q, want an http or https URL", o.jaeger)
			}
			if o.seed == 0 {
				o.seed = rand.Uint64()
			}
			ctx, stop := cli.UntilInterrupted(c)
			defer stop()
			return o.run(ctx, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	f := c.Flags()
	f.BoolVar(&o.once, "once", false, "exit after printing, serve nothing")
	f.StringVar(&o.listen, "listen", "127.0.0.1:0", "serve the statistics at `ADDR`; port 0 is any free port")
	f.IntVar(&o.calls, "calls", 150, "make at least `N` calls, 120 or more")
	f.Float64Var(&o.rate, "rate", 5, "go on with `N` calls a second while serving, 0 for none")
	f.StringVar(&o.jaeger, "jaeger", "", "link to Jaeger at `URL`; the default is port 16686 of the host that takes the spans")
	f.Uint64Var(&o.seed, "seed", 0, "make up the secrets from the number `N`; the default is random")
	o.exporting.Define(f)
	f.BoolVar(&o.json, "json", false, "print the summary as JSON instead of trace and table")
	return c
}

func (o *options) run(ctx context.Context, stdout, stderr io.Writer) (err error) {
	listener, err := listen(*o)
	if err != nil {
		return err
	}
	providers, err := o.exporting.SetUp(ctx, exporters.Options{
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
	rules, token := []middleware.Policy(nil), ""
	if o.plays() {
		if rules, err = demo.Policies(); err != nil {
			return err
		}
		token = crand.Text()
	}
	jaeger := o.jaegerPage(providers.Endpoint)
	scope, err := toolscope.New(toolscope.Options{
		Policies:       rules,
		ApprovalsToken: token,
		Observers:      []toolkit.Observer{running},
		TracerProvider: providers.TracerProvider,
		MeterProvider:  providers.MeterProvider,
		HTTP: statshttp.Options{
			Metrics:  statsprom.WithHealth(providers),
			Traces:   providers.Ring.Source(),
			Running:  running,
			Health:   []stats.HealthSource{providers, &o.exporting},
			Title:    "toolscope demo",
			TraceURL: jaegerTraces(jaeger),
		},
	})
	if err != nil {
		return err
	}
	defer func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		err = errors.Join(err, scope.Shutdown(end))
	}()

	stopPush, err := o.exporting.StartPush(scope.Stats())
	if err != nil {
		return err
	}
	defer func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		err = errors.Join(err, stopPush(end))
	}()

	progress := &progress{bar: screen.Bar{W: stderr}, terminal: screen.IsTerminal(stderr)}
	stop := func() {}
	defer func() { stop() }()
	scripted := func(session demo.Summary) error {
		progress.clear()
		if o.json {
			err = printJSON(stdout, scope, session)
		} else {
			err = o.printSession(stdout, scope, providers, session)
		}
		if err != nil || listener == nil {
			return err
		}
		var address string
		address, stop = programs.Serve(listener, scope.HTTPHandler(), "toolscope demo")
		fmt.Fprintf(stderr, "\nDashboard and API: %s (Ctrl-C ends it)\nIn a terminal: toolscope stats, toolscope top\n", address)
		if token != "" {
			fmt.Fprintf(stderr, "Approvals: %sapprovals (any user name, password %s)\n", address, token)
		}
		progress.quiet = true
		return nil
	}
	options := demo.Options{Calls: o.calls, Seed: o.seed, Progress: progress.show, Scripted: scripted}
	if o.plays() {
		options.Rate = o.rate
	}
	if _, err = demo.Run(ctx, scope, options); err != nil || listener == nil {
		progress.clear()
		return err
	}
	<-ctx.Done()
	return nil
}

// plays reports whether calls are made while the statistics are served.
func (o options) plays() bool { return !o.once && o.rate > 0 }

// listen opens the address before the session runs, so that a wrong one is reported at
// once; nil if nothing is to be served.
func listen(o options) (net.Listener, error) {
	if o.once {
		return nil, nil
	}
	l, err := net.Listen("tcp", o.listen)
	if err != nil {
		return nil, fmt.Errorf("--listen: %w", err)
	}
	return l, nil
}

func printJSON(w io.Writer, scope *toolscope.Scope, session demo.Summary) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(struct {
		Session demo.Summary   `json:"session"`
		Stats   *stats.Summary `json:"stats"`
	}{session, scope.Stats().Summary(stats.Window{})})
}

func (o options) printSession(w io.Writer, scope *toolscope.Scope, providers *exporters.Providers, session demo.Summary) error {
	all := summary.View{Snapshot: scope.Stats().Snapshot(stats.Window{}), Sort: "time", Rows: 10}
	calls := int(all.Summary().Overall.Calls)
	fmt.Fprintf(w, "%d calls in %d turns of conversation %s", calls, session.Turns, session.Conversation)
	if below := calls - session.Calls; below > 0 {
		fmt.Fprintf(w, " (%d by a sub-agent)", below)
	}
	fmt.Fprintln(w)
	for _, n := range session.Notes {
		fmt.Fprintln(w, "note:", n)
	}
	if trace, ok := turnToShow(providers.Ring); ok {
		fmt.Fprintf(w, "\nOne turn, as a trace:\n\n")
		if err := exporters.WriteTree(w, trace, exporters.TreeOptions{Color: screen.Colored(w)}); err != nil {
			return err
		}
	}
	fmt.Fprintln(w)
	if err := all.Print(w, "all calls", true); err != nil {
		return err
	}
	if !o.once {
		fmt.Fprintln(w, "All of them: toolscope stats --window total, or the dashboard.")
	} else {
		fmt.Fprintln(w, "All of them: --json, or the dashboard without --once.")
	}
	if page := o.jaegerPage(providers.Endpoint); page != "" {
		fmt.Fprintf(w, "\nIn Jaeger: %s\n", jaegerSearch(page, session.Conversation))
	}
	return nil
}

// turnToShow is the trace with the most different endings: the turn with the failures.
func turnToShow(ring *exporters.Ring) (best exporters.Trace, ok bool) {
	most := 0
	for _, t := range ring.Traces() {
		endings := make(map[string]bool)
		for _, s := range t.Spans {
			endings[errorType(s.Attributes())] = true
		}
		if len(endings) > most {
			best, most, ok = t, len(endings), true
		}
	}
	return best, ok
}

// errorType returns the value of error.type; "" if there is none. The list is the span's, which is exported meanwhile:
// attribute.NewSet would sort it.
func errorType(list []attribute.KeyValue) string {
	for _, a := range list {
		if a.Key == "error.type" {
			return a.Value.AsString()
		}
	}
	return ""
}

func isWebAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
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

// jaegerPage is the address of Jaeger's page as configured, or on the host that takes the spans; "" without either.
func (o options) jaegerPage(endpoint string) string {
	if o.jaeger == "" && endpoint != "" {
		return jaegerUI(endpoint)
	}
	return strings.TrimSuffix(o.jaeger, "/")
}

func jaegerSearch(page, conversation string) string {
	tags, _ := json.Marshal(map[string]string{"gen_ai.conversation.id": conversation})
	return page + "/search?service=toolscope-demo&lookback=1h&limit=100&tags=" + url.QueryEscape(string(tags))
}

// jaegerTraces is the address of a trace in Jaeger; "" without its page.
func jaegerTraces(page string) string {
	if page == "" {
		return ""
	}
	return page + "/trace/{trace_id}"
}

// progress shows how far the session is: a bar on a terminal, a line per turn elsewhere.
type progress struct {
	bar      screen.Bar
	terminal bool
	quiet    bool
	prompt   string
}

func (p *progress) show(at demo.Progress) {
	if p.quiet {
		return
	}
	if p.terminal {
		p.bar.Draw(float64(at.Calls)/float64(max(1, at.Of)), fmt.Sprintf("%d/%d  %s", at.Calls, at.Of, at.Prompt))
		return
	}
	if at.Prompt != p.prompt {
		p.prompt = at.Prompt
		fmt.Fprintf(p.bar.W, "turn: %s\n", at.Prompt)
	}
}

func (p *progress) clear() {
	if p.terminal {
		p.bar.Clear()
	}
}
