// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/builtin"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/signin"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/telemetry"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/toolpins"
	"github.com/toolscope/toolscope/mcp/mcpproxy"
)

const about = `toolscope mcp is a proxy between any MCP client and any MCP server. It records and
governs the traffic. Neither side needs a change.

The first form starts a server that speaks over standard input and output. Write it where
a client's configuration has COMMAND ARGS, or let "toolscope mcp wrap" do that. The second
form is for a server that speaks HTTP: clients start it as well, or connect to ADDR.
Bytes are forwarded immediately and unchanged,
including standard error, signals and the exit code. A copy is decoded into a trace,
statistics and a call log.`

const examples = `  toolscope mcp --log calls.jsonl -- npx -y @modelcontextprotocol/server-everything
  toolscope mcp --stats 127.0.0.1:9464 --target https://mcp.example.com/mcp --listen 127.0.0.1:8808`

// exitNotFound is what shells answer for a command that could not be started.
const exitNotFound = 127

type options struct {
	otlp, log, stats, name, config string
	target, listen                 string
	approvals                      string // file of tokens
	oauth                          bool
	signin                         signin.Flags
	exporting                      telemetry.Flags
	upstream                       func(http.RoundTripper) http.RoundTripper // see mcpproxy.Options
	logSize                        int64                                     // MiB
	logMethods                     bool
	clientSpans, inject            bool
	accept, pin                    bool
	bare                           bool // the client's file had no arguments: see mcpclients
	hung                           time.Duration
	command                        []string
}

// define defines the options of the proxy.
func (o *options) define(c *cobra.Command) {
	cli.Group(c, "What is recorded", func(f *pflag.FlagSet) {
		f.StringVar(&o.otlp, "otlp", "", "send traces and metrics to `URL` by OTLP (OTEL_EXPORTER_OTLP_ENDPOINT "+
			"does so too, and the other "+
			"OTEL_ variables apply)")
		o.exporting.Define(f)
		f.StringVar(&o.log, "log", "", "append two lines of JSON for each call to `FILE`, redacted: when it is forwarded, "+
			"and when it ends: see 'toolscope report'")
		f.Int64Var(&o.logSize, "log-size", 64, "rename FILE to FILE.1 before it has more than `MIB` MiB, and keep three such files; 0 "+
			"keeps one file that grows")
		f.BoolVar(&o.logMethods, "log-methods", false, "write a line for each other request as well, such as tools/list and "+
			"resources/read")
		f.StringVar(&o.stats, "stats", "", "serve statistics, the dashboard and /api/v1/mcp at `ADDR`, to this "+
			"machine only; if its port is in "+
			"use, at another one. 'toolscope stats' and 'toolscope top' find it")
		f.StringVar(&o.name, "name", "", "the server's `NAME`; the default is the command's name or the URL's host")
		f.BoolVar(&o.clientSpans, "client-spans", false, "a span of kind CLIENT below the one of each call")
		f.DurationVar(&o.hung, "hung", time.Minute, "report a call as hung after this `TIME`")
	})
	cli.Group(c, "What is changed, only on request", func(f *pflag.FlagSet) {
		f.StringVar(&o.config, "config", "", "the policies of `FILE` govern calls, and may answer in the server's "+
			"place: permission, cache, "+
			"duplicates, rates, loops and more; see docs/policies.md")
		builtin.ApprovalsFlag(f, &o.approvals)
		f.BoolVar(&o.inject, "inject-context", false, "write the trace context into forwarded calls, whose bytes then differ")
		f.BoolVar(&o.accept, "accept-tools", false, "accept the server's tools as they are now. Without it each "+
			"change since the first "+
			"connection is reported, as definition_changed")
		f.BoolVar(&o.pin, "pin-tools", false, "tools that differ from what was accepted are left out of the "+
			"server's lists, and calls of them are "+
			"refused, until a person has checked them and started the proxy once with --accept-tools")
	})
	cli.Group(c, "Over HTTP", func(f *pflag.FlagSet) {
		f.StringVar(&o.target, "target", "", "the server's `URL`; other paths of its origin are forwarded as well")
		f.StringVar(&o.listen, "listen", "", "listen at `ADDR`, such as 127.0.0.1:8808; only clients on this machine may "+
			"connect. Without it the client starts the proxy and speaks over standard input and output")
		f.BoolVar(&o.oauth, "oauth", false, "sign in to the server (OAuth) in the clients' place: see docs/oauth.md and "+
			"'toolscope login'. Without it the clients' own headers are forwarded")
		o.signin.Define(f, "oauth-")
	})
	c.Flags().BoolVar(&o.bare, "bare", false, "")
	_ = c.Flags().MarkHidden("bare")
}

// Command returns the command.
func Command() *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:     "mcp [OPTIONS] -- COMMAND ARGS...",
		Short:   "be a proxy between any MCP client and server: show and govern the traffic",
		Long:    about,
		Example: examples,
		RunE:    func(c *cobra.Command, args []string) error { return o.run(c, args) },
	}
	c.Annotations = cli.ExitNotes("the server's own, and the signal that ended it; 127 if it could not be started. "+
		"Over HTTP 0 when "+
		"the program was asked to end. 1 if it could not start, 2 for a usage error.", "mcp [OPTIONS] --target URL [--listen ADDR]")
	o.define(c)
	c.AddCommand(clientsCommand(), wrapCommand(), unwrapCommand(), toolpins.Command(), bridgeCommand())
	return c
}

func (o *options) run(c *cobra.Command, args []string) error {
	if at := c.ArgsLenAtDash(); at >= 0 {
		args, o.command = args[:at], args[at:]
	}
	if err := o.check(args); err != nil {
		return err
	}
	if o.listen != "" {
		return o.serveHTTP(c.ErrOrStderr())
	}
	command := o.command
	if o.target != "" {
		var err error
		if command, err = o.bridged(c.Flags()); err != nil {
			return err
		}
	}
	err := o.serveStdio(command, c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr())
	if errors.Is(err, errNotStarted) {
		cli.Complain(c.ErrOrStderr(), c.CommandPath(), err)
		return cli.Exit(exitNotFound)
	}
	return err
}

// check checks the command line.
func (o *options) check(args []string) error {
	switch {
	case len(args) > 0:
		return cli.Usage("got argument %.40q, want -- before the server's command", args[0])
	case o.approvals != "" && o.stats == "":
		return cli.Usage("--approvals-token-file: got no --stats, want the address where approvals are served")
	case o.logSize < 0 || o.logSize > 1<<20:
		return cli.Usage("--log-size: got %d, want 0 to 1048576 MiB", o.logSize)
	case o.hung <= 0:
		return cli.Usage("--hung: got %v, want a time above 0", o.hung)
	case o.oauth && o.target == "":
		return cli.Usage("--oauth: got no --target, want the URL of the server to sign in to")
	case o.target == "" && o.listen == "" && len(o.command) == 0:
		return cli.Usage("got no server, want -- COMMAND or --target URL")
	case len(o.command) > 0 && (o.target != "" || o.listen != ""):
		return cli.Usage("got a command and --target or --listen, want one of both")
	case len(o.command) > 0:
		return nil
	case o.target == "":
		return cli.Usage("got --listen without --target, want both")
	}
	if _, err := signin.Target(o.target); err != nil {
		return cli.Usage("--target: %w", err)
	}
	return nil
}

// server is what the server is called.
func (o *options) server() string {
	if o.name != "" {
		return o.name
	}
	if u, err := url.Parse(o.target); err == nil && o.target != "" {
		return u.Host
	}
	return strings.TrimSuffix(filepath.Base(o.command[0]), ".exe")
}

// errNotStarted marks an error to start the server.
var errNotStarted = errors.New("the server could not be started")

// serveStdio is the proxy of a server over pipes. Standard error is the server's: toolscope writes
// nothing there while it runs.
func (o *options) serveStdio(command []string, stdin io.Reader, stdout, stderr io.Writer) error {
	var files [3]*os.File
	for i, end := range []any{stdin, stdout, stderr} {
		f, ok := end.(*os.File)
		if !ok {
			return fmt.Errorf("got standard input or output that is no file, want files")
		}
		files[i] = f
	}
	path, err := exec.LookPath(command[0])
	if err != nil {
		return fmt.Errorf("%w: %w", errNotStarted, err)
	}
	environment := os.Environ() // the server's: without what open sets
	signals, stop := catchSignals(files[0])
	defer stop()
	p, err := o.open()
	if err != nil {
		return err
	}
	errs, copied := files[2], func() {}
	if strings.Contains(os.Getenv("OTEL_TRACES_EXPORTER"), "console") {
		if errs, copied, err = kept(errs); err != nil {
			return err
		}
	}
	exit, err := p.watcher.Run(mcpproxy.Command{
		Path: path, Args: command, Env: environment, Stdin: files[0], Stdout: files[1], Stderr: errs, Signals: signals,
	})
	copied()
	p.close(context.Background())
	if err != nil {
		return fmt.Errorf("%w: %w", errNotStarted, err)
	}
	if exit.Signal != nil {
		return cli.Exit(dieOf(exit.Signal))
	}
	return exitCode(exit.Code)
}

// kept is a file whose content goes to f, and which can be closed without closing f: traces are drawn there
// after the server has closed its standard error. The function waits until all is copied.
func kept(f *os.File) (to *os.File, copied func(), err error) {
	from, to, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	done := make(chan struct{})
	go func() { defer close(done); _, _ = io.Copy(f, from) }()
	return to, func() { _ = to.Close(); <-done; _ = from.Close() }, nil
}

// exitCode is the error that ends the program with the server's exit code; nil for 0.
func exitCode(code int) error {
	if code == cli.ExitOK {
		return nil
	}
	return cli.Exit(code)
}
