// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/toolscope/toolscope/mcp/mcpproxy"
)

const mcpHelp = `toolscope mcp stands between any MCP client and any MCP server, and shows and governs
what passes. Neither needs to know.

Usage: toolscope mcp [OPTIONS] -- COMMAND ARGS...
       toolscope mcp [OPTIONS] --target URL --listen ADDR
       toolscope mcp wrap NAME [--file FILE] [OPTIONS]
       toolscope mcp unwrap NAME [--file FILE]

The first form starts a server that speaks over standard input and output. Write it where
a client's configuration has COMMAND ARGS, or let "wrap" do that. The second one stands
before a server that speaks HTTP. Bytes pass unchanged and at once, standard error, signals
and the exit code included; a copy is decoded into a trace, statistics and a call log for
each call of a tool.

What is seen:
  --otlp URL      send traces and metrics to URL by OTLP (OTEL_EXPORTER_OTLP_ENDPOINT does
                  so too, and the other OTEL_ variables hold)
  --log FILE      append a line of JSON for each call, redacted: see 'toolscope report'
  --stats ADDR    serve statistics, the dashboard and /api/v1/mcp at ADDR, to this machine
                  only; another port is taken if the one of ADDR is in use. 'toolscope
                  stats' and 'toolscope top' find it
  --name NAME     what the server is called; the default is the command's name or URL's host
  --client-spans  a span of kind CLIENT below the one of each call
  --hung TIME     how long a call runs before it is told as hung; the default is 1m

What is done, only on request:
  --config FILE   the policies of this file govern calls, and may answer in the server's place:
                  permission, cache, duplicates, rates, loops and more; see docs/policies.md
  --inject-context  write the trace context into the calls that go on, whose bytes then differ
  --accept-tools  what the server's tools are now is what they should be. Without it each
                  change since the first connection is told, as definition_changed
  --pin-tools     tools that are not what was accepted are left out of the server's lists, and
                  calls of them refused, until somebody has looked and started the proxy once
                  with --accept-tools

Over HTTP:
  --target URL    the server's URL; other paths of its origin are passed on as well
  --listen ADDR   listen at ADDR, "127.0.0.1:8808"; only this machine is answered

  toolscope mcp --log calls.jsonl -- npx -y @modelcontextprotocol/server-everything
  toolscope mcp --stats 127.0.0.1:9464 --target https://mcp.example.com/mcp --listen 127.0.0.1:8808

Exit code: the server's own, and the signal that ended it; 127 if it could not be started. By
HTTP 0 when the program was asked to end. 1 if it could not begin, 2 for wrong words.
`

// exitNotFound is what shells answer for a command that could not be started.
const exitNotFound = 127

type mcpOptions struct {
	otlp, log, stats, name, config string
	target, listen                 string
	clientSpans, inject            bool
	accept, pin                    bool
	bare                           bool // the client's file had no arguments: see mcpclients
	hung                           time.Duration
	command                        []string
}

func (o *mcpOptions) register(f *flag.FlagSet) {
	f.StringVar(&o.otlp, "otlp", "", "")
	f.StringVar(&o.log, "log", "", "")
	f.StringVar(&o.stats, "stats", "", "")
	f.StringVar(&o.name, "name", "", "")
	f.StringVar(&o.config, "config", "", "")
	f.StringVar(&o.target, "target", "", "")
	f.StringVar(&o.listen, "listen", "", "")
	f.BoolVar(&o.clientSpans, "client-spans", false, "")
	f.BoolVar(&o.inject, "inject-context", false, "")
	f.BoolVar(&o.accept, "accept-tools", false, "")
	f.BoolVar(&o.pin, "pin-tools", false, "")
	f.BoolVar(&o.bare, "bare", false, "")
	f.DurationVar(&o.hung, "hung", time.Minute, "")
}

// mcpCommand is `toolscope mcp`.
func mcpCommand(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) > 0 && (args[0] == "wrap" || args[0] == "unwrap") {
		return mcpWrapCommand(args[0], args[1:], stdout, stderr)
	}
	var o mcpOptions
	f := flag.NewFlagSet("mcp", flag.ContinueOnError)
	o.register(f)
	if i := slices.Index(args, "--"); i >= 0 {
		args, o.command = args[:i], args[i+1:]
	}
	words, code, done := parseArguments(f, mcpHelp, args, stdout, stderr)
	if done {
		return code
	}
	if wrong := o.check(words); wrong != "" {
		fmt.Fprintf(stderr, "toolscope mcp: %s\nRun 'toolscope mcp --help' for the options.\n", wrong)
		return exitUsage
	}
	var err error
	if o.target != "" {
		code, err = exitOK, o.serveHTTP(stderr)
	} else {
		code, err = o.serveStdio(stdin, stdout, stderr)
	}
	if err != nil {
		complain(stderr, "mcp", err)
		code = exitError
		if errors.Is(err, errNotStarted) {
			code = exitNotFound
		}
	}
	return code
}

// check says what is wrong with the words; "" if nothing is.
func (o *mcpOptions) check(words []string) string {
	switch {
	case len(words) > 0:
		return fmt.Sprintf("got argument %.40q, want -- before the server's command", words[0])
	case o.hung <= 0:
		return fmt.Sprintf("--hung: got %v, want a time above 0", o.hung)
	case o.target == "" && o.listen == "" && len(o.command) == 0:
		return "got no server, want -- COMMAND or --target URL --listen ADDR"
	case len(o.command) > 0 && (o.target != "" || o.listen != ""):
		return "got a command and --target or --listen, want one of both"
	case len(o.command) > 0:
		return ""
	case o.target == "" || o.listen == "":
		return "got one of --target and --listen, want both"
	}
	if u, err := url.Parse(o.target); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "--target: want a URL such as https://mcp.example.com/mcp, without user, ? and #"
	}
	return ""
}

// server is what the server is called.
func (o *mcpOptions) server() string {
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

// serveStdio is the proxy of a server over pipes. Standard error is the server's: nothing of
// ours is written there while it runs.
func (o *mcpOptions) serveStdio(stdin io.Reader, stdout, stderr io.Writer) (code int, err error) {
	var files [3]*os.File
	for i, end := range []any{stdin, stdout, stderr} {
		f, ok := end.(*os.File)
		if !ok {
			return exitError, fmt.Errorf("got standard input or output that is no file, want files")
		}
		files[i] = f
	}
	path, err := exec.LookPath(o.command[0])
	if err != nil {
		return exitError, fmt.Errorf("%w: %w", errNotStarted, err)
	}
	environment := os.Environ() // the server's: what we set is not for it
	signals, stop := catchSignals(files[0])
	defer stop()
	p, err := o.open()
	if err != nil {
		return exitError, err
	}
	exit, err := p.watcher.Run(mcpproxy.Command{
		Path: path, Args: o.command, Env: environment, Stdin: files[0], Stdout: files[1], Stderr: files[2], Signals: signals,
	})
	p.close(context.Background())
	if err != nil {
		return exitError, fmt.Errorf("%w: %w", errNotStarted, err)
	}
	if exit.Signal != nil {
		return dieOf(exit.Signal), nil
	}
	return exit.Code, nil
}
