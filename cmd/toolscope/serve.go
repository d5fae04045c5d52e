// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/config"
	"github.com/toolscope/toolscope/exporters"
	"github.com/toolscope/toolscope/mcp/toolmcp"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/stats/statshttp"
	"github.com/toolscope/toolscope/toolkit"
)

const serveHelp = `toolscope serve is an MCP server with the built-in tools, watched and governed.

Usage: toolscope serve [OPTIONS]

It speaks the Model Context Protocol over standard input and output, or with --http as
streamable HTTP. With OTEL_EXPORTER_OTLP_ENDPOINT set the trace of each call goes there,
below the client's, if that sends one.

` + toolOptionsHelp + `
  --http ADDR     listen at ADDR, "127.0.0.1:8080"; the path is /mcp. Whoever is not on this
                  machine needs the token, so an ADDR that others reach wants one
  --token-file F  read the bearer token from a file; without it $TOOLSCOPE_TOKEN is the
                  token, if set: 16 bytes or more
  --stats ADDR    serve the statistics and the dashboard at ADDR, to this machine only
  --config FILE   the policies of this file; the default is permit, validate, limit,
                  timeout and recover with their defaults, so that nothing is answered from
                  memory and nobody is asked: what would need a person is refused.
                  SIGHUP reloads FILE; if it is wrong or incomplete, nothing changes

  toolscope serve --dir ~/project --write
  toolscope serve --http 127.0.0.1:8080

Exit code: 0 when the client has closed or the program was asked to end, 1 if it could not
serve, 2 for wrong words.
`

// servedPolicies are those of a server without --config.
const servedPolicies = "policies:\n  recover: {}\n  validate: {}\n  permit: {}\n  limit: {}\n  timeout: {}\n"

type serveOptions struct {
	toolOptions
	http, stats, tokenFile, config string
	token                          string
}

// serveCommand is `toolscope serve`.
func serveCommand(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	var o serveOptions
	f := flag.NewFlagSet("serve", flag.ContinueOnError)
	o.register(f)
	f.StringVar(&o.http, "http", "", "")
	f.StringVar(&o.stats, "stats", "", "")
	f.StringVar(&o.tokenFile, "token-file", "", "")
	f.StringVar(&o.config, "config", "", "")
	words, code, done := parseArguments(f, serveHelp, args, stdout, stderr)
	if done {
		return code
	}
	if len(words) > 0 {
		fmt.Fprintf(stderr, "toolscope serve: got argument %.40q, want options only\nRun 'toolscope serve --help' for the options.\n", words[0])
		return exitUsage
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := o.run(ctx, stdin, stdout, stderr); err != nil {
		complain(stderr, "serve", err)
		return exitError
	}
	return exitOK
}

// run serves until the client closes or ctx is over. Standard output is the protocol's.
func (o *serveOptions) run(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) (err error) {
	if o.token, err = readToken(o.tokenFile, nil); err != nil {
		return fmt.Errorf("--token-file: %w", err)
	}
	file, err := o.policies()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	providers, err := exporters.Setup(ctx, exporters.Options{ServiceName: "toolscope-serve"})
	if err != nil {
		return err
	}
	running := stats.NewRunning(nil)
	scope, err := toolscope.New(file.Options(toolscope.Options{
		TracerProvider: providers.TracerProvider,
		MeterProvider:  providers.MeterProvider,
		Observers:      []toolkit.Observer{running},
		HTTP: statshttp.Options{
			Traces:  providers.Ring.Source(),
			Running: running,
			Health:  []stats.HealthSource{providers},
			Title:   "toolscope serve",
		},
	}))
	if err != nil {
		return errors.Join(noApprovals("serve", o.config, err), providers.Shutdown(ctx))
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		err = errors.Join(err, scope.Shutdown(closing), providers.Shutdown(closing))
	}()
	defer o.reloadOnHangup(ctx, file, scope, stderr)()
	tools, closeTools, err := o.open(nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeTools()) }()
	tellMissing(stderr, tools)
	if recorder := scope.Stats(); recorder != nil {
		recorder.Register(tools.Registry)
	}
	server, err := toolmcp.NewServer(nil, tools.Registry, nil)
	if err != nil {
		return err
	}
	closeStats, err := o.serveStats(scope, stderr)
	if err != nil {
		return err
	}
	defer closeStats()
	if o.http != "" {
		toolmcp.Instrument(server, scope, toolmcp.Options{})
		return o.listen(ctx, server, stderr)
	}
	// Who started this process is its one client, also by revisions without sessions.
	session := toolkit.Session{ID: rand.Text()}
	toolmcp.Instrument(server, scope, toolmcp.Options{
		Transport: new(mcp.StdioTransport),
		Session:   func(mcp.Request) *toolkit.Session { return &session },
	})
	err = server.Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(stdin), Writer: unclosed{stdout}})
	if errors.Is(err, context.Canceled) {
		return nil // asked to end
	}
	return err
}

// unclosed is a writer that somebody else closes.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

// policies reads the configuration, or gives the server's own.
func (o *serveOptions) policies() (*config.File, error) {
	if o.config != "" {
		return config.Open(o.config)
	}
	return config.OpenText("toolscope serve's defaults", []byte(servedPolicies))
}

// serveStats serves the scope's statistics, if that was asked for, and tells `toolscope
// stats` of them. The function returned ends it.
func (o *serveOptions) serveStats(scope *toolscope.Scope, stderr io.Writer) (func(), error) {
	if o.stats == "" {
		return func() {}, nil
	}
	l, err := net.Listen("tcp", o.stats)
	if err != nil {
		return nil, fmt.Errorf("--stats: %w", err)
	}
	address := "http://" + l.Addr().String() + "/"
	fmt.Fprintf(stderr, "statistics at %s\n", address)
	withdraw, err := statshttp.Announce(address, "toolscope serve")
	if err != nil { // then "toolscope stats" wants the address
		withdraw = func() {}
	}
	s := &http.Server{Handler: scope.HTTPHandler(), ReadHeaderTimeout: 5 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 64 << 10}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = s.Serve(l) // it ends by Close
	}()
	return func() {
		withdraw()
		_ = s.Close()
		<-ended
	}, nil
}
