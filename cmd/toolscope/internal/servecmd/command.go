// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package servecmd

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"time"

	"github.com/toolscope/toolscope/stats/statshttp"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/builtin"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/configfile"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/programs"
	"github.com/toolscope/toolscope/config"
	"github.com/toolscope/toolscope/exporters"
	"github.com/toolscope/toolscope/exporters/statsprom"
	"github.com/toolscope/toolscope/mcp/toolmcp"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
)

const about = `toolscope serve is an MCP server with the built-in tools, observed and governed.

With --mcp-config it is a gateway: it serves the tools of the MCP servers in a file instead.

It speaks the Model Context Protocol over standard input and output, or with --http as
streamable HTTP. With OTEL_EXPORTER_OTLP_ENDPOINT set, the trace of each call is sent
there, below the client's, if that sends one.

` + builtin.About

const examples = `  toolscope serve --dir ~/project --write
  toolscope serve --http 127.0.0.1:8080
  toolscope serve --mcp-config mcp.json --http 127.0.0.1:8080 --token-file token`

// servedPolicies are those of a server without --config.
const servedPolicies = "policies:\n  recover: {}\n  validate: {}\n  permit: {}\n  limit: {}\n  timeout: {}\n"

// Command returns the command.
func Command() *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:     "serve [OPTIONS]",
		Short:   "be an MCP server with the built-in tools, observed and governed",
		Long:    about,
		Example: examples,
		Annotations: cli.Notes(" when the client has closed or the program was asked to end, 1 if it could not serve, if calls " +
			"had not ended 30 s later, or if a workflow was not undone"),
		Args:              cli.OptionsOnly,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(c *cobra.Command, _ []string) error {
			ctx, stop := cli.UntilInterrupted(c)
			defer stop()
			return o.run(ctx, c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	o.Define(c)
	f := c.Flags()
	f.StringVar(&o.http, "http", "", "listen at `ADDR`, such as 127.0.0.1:8080; the path is /mcp. Clients on other "+
		"machines need the token, "+
		"so an ADDR that they can reach requires one, and so do --shell, --python and --mcp-config")
	f.StringVar(
		&o.tokenFile, "token-file", "",
		"read the bearer token from `FILE`; the default is $TOOLSCOPE_TOKEN, if set: 16 bytes or more",
	)
	f.StringVar(&o.stats, "stats", "", "serve the statistics and the dashboard at `ADDR`, to this machine only")
	f.StringArrayVar(&o.origins, "allowed-origin", nil, "pages of this `ORIGIN`, such as https://tools.example, "+
		"may use --http; may be given several times")
	o.exporting.Define(f)
	configfile.TenantFlag(f, &o.tenant)
	o.recording.Define(f)
	builtin.DefineServers(c, &o.servers)
	f.BoolVar(&o.sharedNames, "shared-names", false, "a tool of --mcp-config keeps its own name, and the same "+
		"tool of several servers is one: another server answers when one cannot")
	builtin.ApprovalsFlag(f, &o.approvals)
	f.StringVar(&o.config, "config", "", "the policies of `FILE`; the default is permit, validate, limit, timeout "+
		"and recover with their "+
		"defaults: no answer comes from memory, and calls that need a person are refused unless "+
		"approvals are served. SIGHUP reloads FILE; if "+
		"it is wrong or incomplete, "+
		"nothing changes")
	return c
}

// run serves until the client closes or ctx is over. Standard output is the protocol's.
func (o *options) run(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) (err error) {
	if o.token, err = programs.ReadToken(o.tokenFile, nil); err != nil {
		return err
	}
	approvals, err := builtin.ApprovalsToken(o.approvals, o.stats)
	if err != nil {
		return err
	}
	if err := configfile.CheckTenant(o.config, o.tenant); err != nil {
		return err
	}
	file, err := o.policies()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	providers, err := o.exporting.SetUp(ctx, exporters.Options{ServiceName: "toolscope-serve"})
	if err != nil {
		return err
	}
	running := stats.NewRunning(nil)
	observers := []toolkit.Observer{running}
	record := o.recording.Open(o.recordedName(), file.Redactor(), func(format string, args ...any) {
		cli.Complain(stderr, "toolscope serve", fmt.Errorf(format, args...))
	})
	if record != nil {
		defer func() { _ = record.Close() }() // it has reported what it could not write
		observers = append(observers, record)
	}
	behind, workflows := new(gateway), new(builtin.LateWorkflows)
	scope, err := toolscope.New(file.Options(toolscope.Options{
		TracerProvider: providers.TracerProvider,
		MeterProvider:  providers.MeterProvider,
		Observers:      observers,
		ApprovalsToken: approvals,
		HTTP: statshttp.Options{
			Traces:  providers.Ring.Source(),
			Running: running, Workflows: workflows,
			Health:  []stats.HealthSource{providers, behind, &o.exporting},
			Metrics: statsprom.WithHealth(providers, behind, &o.exporting),
			Title:   "toolscope serve",
		},
	}))
	if err != nil {
		return errors.Join(builtin.NoApprovals("serve", o.config, approvals != "", true, err), providers.Shutdown(ctx))
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		err = errors.Join(err, scope.Shutdown(closing), providers.Shutdown(closing))
	}()
	stopPush, err := o.exporting.StartPush(scope.Stats())
	if err != nil {
		return err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		err = errors.Join(err, stopPush(closing))
	}()
	defer o.reloadOnHangup(ctx, file, scope, behind, stderr)()
	server, tools, closeTools, err := o.tools(ctx, behind, scope, stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeTools()) }()
	served, err := serveWorkflows(file, scope, server, tools, workflows)
	if err != nil {
		return err
	}
	if record != nil {
		addTools(record, slices.Concat(tools.Definitions(), served))
	}
	closeStats, err := o.serveStats(scope, stderr)
	if err != nil {
		return err
	}
	defer closeStats()
	ending, stopEnding := newEnding(ctx, stderr)
	defer stopEnding()
	if o.config != "" {
		ending.remember = rememberRun(o.config)
		reportUnfinished(o.config, stderr)
	}
	if o.http != "" {
		toolmcp.Instrument(server, scope, toolmcp.Options{Tenant: o.tenant})
		recordSessions(record, server, "")
		server.AddReceivingMiddleware(ending.middleware)
		return ending.serve(func(ctx context.Context) error { return o.listen(ctx, server, stderr) })
	}
	// The process that started this one is its only client, also in revisions without sessions.
	session := toolkit.Session{ID: rand.Text(), Tenant: o.tenant}
	toolmcp.Instrument(server, scope, toolmcp.Options{
		Transport: new(mcp.StdioTransport),
		Session:   func(mcp.Request) *toolkit.Session { return &session },
	})
	recordSessions(record, server, session.ID)
	server.AddReceivingMiddleware(ending.middleware)
	return ending.serve(func(ctx context.Context) error {
		err := server.Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(stdin), Writer: unclosed{stdout}})
		if errors.Is(err, context.Canceled) {
			return nil // asked to end
		}
		return err
	})
}

// tools makes a server of the built-in tools, or of those of MCP servers, which it returns as well. The function returned
// closes them.
func (o *options) tools(
	ctx context.Context, behind *gateway, scope *toolscope.Scope, stderr io.Writer,
) (*mcp.Server, builtin.Governed, func() error, error) {
	if o.servers != "" {
		if err := behind.open(ctx, o, scope, stderr); err != nil {
			return nil, nil, nil, err
		}
		server, err := behind.serve()
		if err != nil {
			return nil, nil, nil, errors.Join(err, behind.close())
		}
		if recorder := scope.Stats(); recorder != nil {
			recorder.Register(behind.servers.Manager)
		}
		return server, served{behind.servers.Manager, behind.handle}, behind.close, nil
	}
	tools, closeTools, err := o.Open(nil)
	if err != nil {
		return nil, nil, nil, err
	}
	builtin.ReportMissing(stderr, tools)
	if recorder := scope.Stats(); recorder != nil {
		recorder.Register(tools.Registry)
	}
	server, err := toolmcp.NewServer(nil, tools.Registry, nil)
	if err != nil {
		return nil, nil, nil, errors.Join(err, closeTools())
	}
	return server, tools.Registry, closeTools, nil
}

// recordedName is what the server is called in a recording.
func (o *options) recordedName() string {
	if o.servers != "" {
		return "gateway"
	}
	return "toolscope"
}

// unclosed is a writer that its owner closes.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

// policies reads the configuration, or gives the server's own.
func (o *options) policies() (*config.File, error) {
	if o.config != "" {
		return configfile.OpenRecording(o.config, &o.recording.Settings)
	}
	policies := servedPolicies
	if o.approvals != "" {
		policies += "  approve: {}\n"
	}
	return configfile.OpenText("toolscope serve's defaults", []byte(policies))
}

// serveStats serves the scope's statistics, if that was asked for, and announces them to
// `toolscope stats`. The function returned ends it.
func (o *options) serveStats(scope *toolscope.Scope, stderr io.Writer) (func(), error) {
	if o.stats == "" {
		return func() {}, nil
	}
	l, err := net.Listen("tcp", o.stats)
	if err != nil {
		return nil, fmt.Errorf("--stats: %w", err)
	}
	address, stop := programs.Serve(l, scope.HTTPHandler(), "toolscope serve")
	fmt.Fprintf(stderr, "statistics at %s\n", address)
	return stop, nil
}
