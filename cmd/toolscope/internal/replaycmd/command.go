// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package replaycmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/transcript"
)

const about = `toolscope replay runs a recorded session again, with all policies.

FILE has JSON lines; "-" is standard input. A line is one of

  {"session":"s","turn":1,"name":"file_read","arguments":{"path":"a"}}   one call
  {"session":"s","turn":2,"calls":[{"name":…,"arguments":…}, …]}         a batch
  {"role":"assistant","tool_calls":[{"id":…,"function":{…}}]}            OpenAI's form
  {"role":"tool","tool_call_id":"…","content":"…"}                       its answer
  a line of a call log, as 'toolscope mcp --log' writes it

with "tenant", "conversation", "agent", "batch", "id" and "answer"
({"output":"…","failed":true,"error_type":"timeout"}) where you have them. The calls of a
batch run concurrently. Each call is printed with its outcome, then the tables per tool.
With OTEL_EXPORTER_OTLP_ENDPOINT set, the traces are sent there.`

const examples = `  toolscope replay --answers session.jsonl
  toolscope replay --dry-run --config toolscope.yaml session.jsonl`

// options are those of the command line.
type options struct {
	answers, dryRun, write, json, quiet bool
	dir, config, file                   string
}

// Command returns the command.
func Command() *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:         "replay [OPTIONS] FILE",
		Short:       "run a recorded session again, with all policies",
		Long:        about,
		Example:     examples,
		Annotations: cli.Notes(", 1 if the file cannot be read or played"),
		Args:        cli.OneFile,
		RunE: func(c *cobra.Command, files []string) error {
			if o.write && (o.answers || o.dryRun) {
				return cli.Usage("--write: got it where no tool runs, want it without --answers and --dry-run")
			}
			if o.answers && o.dryRun {
				return cli.Usage("got --answers and --dry-run, want one of them")
			}
			o.file = files[0]
			ctx, stop := cli.UntilInterrupted(c)
			defer stop()
			return o.run(ctx, c.InOrStdin(), c.OutOrStdout())
		},
	}
	f := c.Flags()
	f.BoolVar(&o.answers, "answers", false, "return the recorded answers: no tool runs")
	f.BoolVar(&o.dryRun, "dry-run", false, "decide only: calls that the policies let through are answered \"dry run\"")
	f.StringVar(&o.dir, "dir", ".", "the built-in tools work in `DIR`")
	f.BoolVar(&o.write, "write", false, "let them write there, and run commands; without it they only read")
	f.StringVar(&o.config, "config", "", "the policies of `FILE`; the default is every policy with its defaults, "+
		"except that no person is asked with "+
		"--answers and --dry-run")
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
	return errors.Join(err, r.close(closing))
}

func (o *options) read(stdin io.Reader) (*transcript.Transcript, error) {
	if o.file == "-" {
		return transcript.Read(stdin)
	}
	f, err := os.Open(o.file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t, err := transcript.Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.file, err)
	}
	return t, nil
}
