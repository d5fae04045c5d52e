// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package replaycmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/builtin"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/logfile"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/recordings"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/transcript"
)

const about = `toolscope replay runs a recorded session again, with all policies.

The calls go to an MCP server (-- COMMAND or --target), to the servers of --mcp-config, or
to the built-in tools. With --answers no tool runs. With --serve toolscope is an MCP server
that gives the recorded answers, so that an agent's test runs offline. A server's tools that
do not say that they only read are called once a person has agreed, or with --write. Calls
whose arguments were redacted or cut are never sent: they are listed, and --value completes
them. Steps of a workflow are left out, since the workflow's call makes them again.

FILE is a recording's name, "latest", or a file; "-" is standard input. A line is one of

  {"session":"s","turn":1,"name":"file_read","arguments":{"path":"a"}}   one call
  {"session":"s","turn":2,"calls":[{"name":…,"arguments":…}, …]}         a batch
  {"role":"assistant","tool_calls":[{"id":…,"function":{…}}]}            OpenAI's form
  {"role":"tool","tool_call_id":"…","content":"…"}                       its answer
  a line of a call log or recording, of an audit log, or of OTLP JSON lines

with "tenant", "conversation", "agent", "batch", "id" and "answer"
({"output":"…","failed":true,"error_type":"timeout"}) where you have them. The calls of a
batch run concurrently. Each call is printed with its outcome, then the tables per tool.
The exit code is 1 if tools ran and a call ended otherwise than recorded, or none was sent.
With OTEL_EXPORTER_OTLP_ENDPOINT set, the traces are sent there.`

const examples = `  toolscope replay --answers session.jsonl
  toolscope replay --dry-run --config toolscope.yaml session.jsonl
  toolscope replay latest -- npx -y @modelcontextprotocol/server-memory
  toolscope replay --value 3:/token=@token.txt --target https://mcp.example.com/mcp latest
  toolscope replay --serve session.jsonl`

// Command returns the command.
func Command() *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:     "replay [OPTIONS] FILE",
		Short:   "run a recorded session again, with all policies",
		Long:    about,
		Example: examples,
		Annotations: cli.Notes(", 1 if the file cannot be read or played, if tools ran and a call "+
			"changed, or if no call could be sent", "replay [OPTIONS] FILE -- COMMAND ARGS..."),
		RunE: func(c *cobra.Command, files []string) error {
			if at := c.ArgsLenAtDash(); at >= 0 {
				files, o.command = files[:at], files[at:]
			}
			if err := cli.OneFile(c, files); err != nil {
				return err
			}
			if err := o.check(); err != nil {
				return err
			}
			o.file, o.stdin, o.stdout, o.stderr = recordings.FullName(files[0]), c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr()
			ctx, stop := cli.UntilInterrupted(c)
			defer stop()
			if o.serve {
				return o.serveAnswers(ctx)
			}
			return o.run(ctx, o.stdin, o.stdout)
		},
	}
	builtin.DefineServers(c, &o.servers)
	f := c.Flags()
	f.StringVar(&o.target, "target", "", "send the calls to the MCP server at `URL`")
	o.access.define(f)
	f.BoolVar(&o.serve, "serve", false, "be an MCP server over standard input and output that gives the recorded answers")
	f.StringArrayVar(&o.texts, "value", nil, "put a value in the place of one that was removed: `[CALL:]/POINTER=TEXT`, "+
		":=JSON for what is no text, =@FILE for a file's text, CALL:=JSON for all arguments; may be given several times")
	f.Float64Var(&o.speed, "speed", 0, "wait between calls as the session did, divided by `N`; 0 does not wait")
	f.StringSliceVar(&o.tools, "tool", nil, "only calls of the tools of these `NAMES`")
	f.StringSliceVar(&o.sessions, "session", nil, "only calls of the sessions of these `IDS`")
	f.IntSliceVar(&o.numbers, "call", nil, "only the calls of these `NUMBERS`, as 'toolscope sessions show' has them")
	f.BoolVar(&o.steps, "steps", false, "also the calls that a recorded call made, such as the steps of a workflow")
	f.BoolVar(&o.answers, "answers", false, "return the recorded answers: no tool runs")
	f.BoolVar(&o.dryRun, "dry-run", false, "decide only: calls that the policies let through are answered \"dry run\"")
	f.StringVar(&o.dir, "dir", ".", "the built-in tools work in `DIR`")
	f.BoolVar(&o.write, "write", false, "let them write there, and run commands; without it they only read. "+
		"Sends a server's tools that may write without asking")
	f.StringVar(&o.config, "config", "", "the policies of `FILE`; the default is every policy with its defaults, "+
		"except that no person is asked with --answers and --dry-run; against a server it is recover and timeout")
	f.BoolVar(&o.json, "json", false, "print a JSON object for each call, and one with the statistics")
	f.BoolVar(&o.quiet, "quiet", false, "print only the tables")
	return c
}

func (o *options) run(ctx context.Context, stdin io.Reader, stdout io.Writer) error {
	transcript, err := o.read(stdin)
	if err != nil {
		return err
	}
	r, err := newReplay(ctx, o, transcript, stdout)
	if err != nil {
		return err
	}
	err = r.play(ctx)
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err = errors.Join(err, r.close(closing)); err == nil && r.differs() {
		err = cli.Exit(cli.ExitError) // the summary says why
	}
	return err
}

// check checks the command line.
func (o *options) check() error {
	places := 0
	for _, given := range []bool{o.answers, o.dryRun, o.serve, o.target != "", o.servers != "", len(o.command) > 0} {
		if given {
			places++
		}
	}
	switch {
	case o.write && (o.answers || o.dryRun || o.serve):
		return cli.Usage("--write: got it where no tool runs, want it without --answers, --dry-run and --serve")
	case o.answers && o.dryRun:
		return cli.Usage("got --answers and --dry-run, want one of them")
	case places > 1:
		return cli.Usage("got several of --answers, --dry-run, --serve, --target, --mcp-config and -- COMMAND, want one of them")
	case o.access.given() && o.target == "":
		return cli.Usage("--header, --token-file, --token-env, --oauth: got no --target, want the URL of the server they are for")
	case o.speed < 0:
		return cli.Usage("--speed: got %v, want 0 or more", o.speed)
	}
	if err := o.access.check(); err != nil {
		return err
	}
	for _, text := range o.texts {
		v, err := parseValue(text)
		if err != nil {
			return err
		}
		o.values = append(o.values, v)
	}
	return nil
}

func (o *options) read(stdin io.Reader) (*transcript.Transcript, error) {
	from, _, err := logfile.Open(o.file, stdin)
	if err != nil {
		return nil, err
	}
	defer from.Close()
	name := o.file
	if name == "-" {
		name = "standard input"
	}
	t, err := transcript.Read(from)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	case t.Len() == 0:
		return nil, fmt.Errorf("%s: got no calls, want a recording, a log or a transcript that has some", name)
	case t.Torn > 0:
		fmt.Fprintf(o.stderr, "toolscope replay: %s\n", recordings.TornLine(t.Torn))
	}
	return t, nil
}
