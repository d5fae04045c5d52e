// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/builtin"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/calllog"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/configfile"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/programs"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/telemetry"
	"github.com/toolscope/toolscope/config"
	"github.com/toolscope/toolscope/exporters"
	"github.com/toolscope/toolscope/exporters/statsprom"
	"github.com/toolscope/toolscope/mcp/mcpproxy"
	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/stats"
)

// mcpProxy is a proxy's parts, to be closed in reverse order.
type mcpProxy struct {
	watcher *mcpproxy.Watcher
	scope   *toolscope.Scope
	stats   string // where they are served, "" if nowhere
	log     logHealth
	record  *calllog.Log // nil if the session is not recorded
	closers []func(ctx context.Context) error
}

// flushTime is how long a proxy takes at its end to send what it has seen. A client that
// waits for its server waits for this.
const flushTime = 1500 * time.Millisecond

// close closes the parts, the last one made first.
func (p *mcpProxy) close(ctx context.Context) {
	for i := len(p.closers) - 1; i >= 0; i-- {
		limited, cancel := context.WithTimeout(ctx, flushTime) // which does not count what the others took
		_ = p.closers[i](limited)                              // standard error is the server's
		cancel()
	}
}

// open makes the parts. On an error nothing is left open.
func (o *options) open(say func(format string, args ...any)) (_ *mcpProxy, err error) {
	collectLess()
	p := new(mcpProxy)
	defer func() {
		if err != nil {
			p.close(context.Background())
		}
	}()
	if err := telemetry.SendTo(o.otlp); err != nil {
		return nil, err
	}
	providers, err := o.exporting.SetUp(context.Background(), exporters.Options{
		ServiceName: "toolscope-mcp-" + serviceName(o.server()),
	})
	if err != nil {
		if o.otlp != "" && strings.Contains(err.Error(), "OTEL_EXPORTER_OTLP_ENDPOINT") {
			err = fmt.Errorf("--otlp: %w", err)
		}
		return nil, err
	}
	p.closers = append(p.closers, providers.Shutdown)
	options := toolscope.Options{TracerProvider: providers.TracerProvider, MeterProvider: providers.MeterProvider}
	redactor := redact.Default()
	if options.ApprovalsToken, err = builtin.ApprovalsToken(o.approvals, o.stats); err != nil {
		return nil, err
	}
	if err := configfile.CheckTenant(o.config, o.tenant); err != nil {
		return nil, err
	}
	if o.config != "" || o.approvals != "" {
		file, err := o.policies()
		if err != nil {
			return nil, err
		}
		p.closers = append(p.closers, func(context.Context) error { return file.Close() })
		options = file.Options(options)
		redactor = file.Redactor()
	}
	var health []stats.HealthSource
	if o.log != "" {
		log, err := calllog.Open(o.log, calllog.Options{Redactor: redactor, Server: o.server(), MaxSize: cmp.Or(o.logSize<<20, -1)})
		if err != nil {
			return nil, fmt.Errorf("--log: %w", err)
		}
		p.closers = append(p.closers, func(context.Context) error { return log.Close() })
		p.log = logHealth{log, "call log"}
		options.Observers = append(options.Observers, log)
		health = append(health, p.log)
	}
	if p.record = o.recording.Open(o.server(), redactor, say); p.record != nil {
		p.closers = append(p.closers, func(context.Context) error { return p.record.Close() })
		options.Observers = append(options.Observers, p.record)
		health = append(health, logHealth{p.record, "recording"})
	}
	running := stats.NewRunning(redactor)
	options.Observers = append(options.Observers, running)
	options.HTTP.Traces, options.HTTP.Running = providers.Ring.Source(), running
	options.HTTP.Health = append(health, providers, &o.exporting)
	options.HTTP.Metrics = statsprom.WithHealth(options.HTTP.Health...)
	options.HTTP.Title = "toolscope mcp: " + o.server()
	if p.scope, err = toolscope.New(options); err != nil {
		return nil, builtin.NoApprovals("mcp", o.config, options.ApprovalsToken != "", true, err)
	}
	p.closers = append(p.closers, p.scope.Shutdown)
	stopPush, err := o.exporting.StartPush(p.scope.Stats())
	if err != nil {
		return nil, err
	}
	p.closers = append(p.closers, stopPush)
	if err := o.watch(p); err != nil {
		return nil, err
	}
	return p, o.serveStats(p)
}

// policies reads the configuration. Without one there is only the policy that --approvals-token-file is for.
func (o *options) policies() (*config.File, error) {
	if o.config != "" {
		return configfile.OpenRecording(o.config, &o.recording.Settings)
	}
	return configfile.OpenText("toolscope mcp's defaults", []byte("policies: {approve: {}}\n"))
}

// collectLess has the garbage collector run a quarter as often as it does by itself, unless GOGC says how
// often: with the few MiB that a proxy has in use that is each 300 calls, a sixth of what a call costs.
func collectLess() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}

// watch makes the watcher.
func (o *options) watch(p *mcpProxy) (err error) {
	identity := append([]string{o.server(), o.target}, o.command...)
	baseline, err := mcpproxy.OpenBaseline("", identity...)
	if err != nil {
		return err
	}
	options := mcpproxy.Options{
		Server: o.server(), Tenant: o.tenant, ClientSpans: o.clientSpans, InjectContext: o.inject, HungAfter: o.hung,
		Baseline: baseline, AcceptTools: o.accept, PinTools: o.pin, Upstream: o.upstream,
	}
	o.writeDown(p, &options)
	p.watcher, err = mcpproxy.New(p.scope, options)
	if errors.Is(err, mcpproxy.ErrNotAccepted) {
		return errors.New("--pin-tools: this server's tools have not been accepted yet: check them, and start it " +
			"once with --accept-tools " +
			"and the same command line")
	}
	if err != nil {
		return err
	}
	p.closers = append(p.closers, func(context.Context) error { p.watcher.Close(); return nil })
	return nil
}

// writeDown has the call log and the recording get what is no call, and be written before a request is forwarded.
func (o *options) writeDown(p *mcpProxy, options *mcpproxy.Options) {
	log, record := p.log.log, p.record
	if log == nil && record == nil {
		return
	}
	options.BeforeForward = func() {
		if log != nil {
			log.Sync()
		}
		if record != nil {
			record.Sync()
		}
	}
	if record == nil && !o.logMethods {
		return
	}
	options.OnRequest = func(r mcpproxy.Request) {
		if log != nil && o.logMethods {
			log.AddRequest(calllog.Request(r))
		}
		if record != nil {
			record.AddRequest(calllog.Request(r))
		}
	}
	if record == nil {
		return
	}
	options.OnSession = func(r mcpproxy.SessionReport) {
		record.AddSession(calllog.Session{
			ID: r.ID, Protocol: r.ProtocolVersion, Program: "toolscope " + cli.Version(), Began: r.Began,
			Client: calllog.Peer{Name: r.Client, Capabilities: r.ClientCapabilities},
			Server: calllog.Peer{Name: r.Server, Capabilities: r.ServerCapabilities},
		})
	}
	options.OnTools = func(session string, listed []mcpproxy.ListedTool) {
		tools := make([]calllog.Tool, len(listed))
		for i, t := range listed {
			tools[i] = calllog.Tool(t)
		}
		record.AddTools(session, tools)
	}
}

// serviceName is a name in the letters that a service's name is made of.
func serviceName(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '_' || r == '-' {
			return r
		}
		return '-'
	}, s)
}

// serveStats serves the statistics, if that was asked for, and announces them to `toolscope stats`.
// Where the port is in use, as by another proxy with the same options, any other is taken.
func (o *options) serveStats(p *mcpProxy) error {
	if o.stats == "" {
		return nil
	}
	l, err := net.Listen("tcp", o.stats)
	if errors.Is(err, syscall.EADDRINUSE) {
		host, _, _ := net.SplitHostPort(o.stats) // Listen has accepted it
		l, err = net.Listen("tcp", net.JoinHostPort(host, "0"))
	}
	if err != nil {
		return fmt.Errorf("--stats: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", p.scope.HTTPHandler())
	mux.Handle("/api/v1/mcp", mcpproxy.Guard(p.watcher))
	var stop func()
	p.stats, stop = programs.Serve(l, mux, "toolscope mcp: "+o.server())
	p.closers = append(p.closers, func(context.Context) error { stop(); return nil })
	return nil
}
