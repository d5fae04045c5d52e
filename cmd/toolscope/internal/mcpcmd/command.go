// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpcmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
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
	p, err := o.open(sayTo(stderr))
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
