// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/transcript"
)

const replayHelp = `toolscope replay runs a recorded session again, with all policies.

Usage: toolscope replay [OPTIONS] FILE

FILE has JSON lines; "-" is standard input. A line is one of

  {"session":"s","turn":1,"name":"file_read","arguments":{"path":"a"}}   one call
  {"session":"s","turn":2,"calls":[{"name":…,"arguments":…}, …]}         a batch
  {"role":"assistant","tool_calls":[{"id":…,"function":{…}}]}            OpenAI's form
  {"role":"tool","tool_call_id":"…","content":"…"}                       its answer

with "tenant", "conversation", "agent", "batch", "id" and "answer"
({"output":"…","failed":true,"error_type":"timeout"}) where you have them. The calls
of a batch run at once. Each call is printed with what became of it, then the tables
per tool. With OTEL_EXPORTER_OTLP_ENDPOINT set, the traces go there.

  --answers       give the recorded answers: no tool runs
  --dry-run       decide only: what gets past the policies is answered "dry run"
  --dir DIR       where the built-in tools work; the default is the current directory
  --write         let them write there, and run commands; without it they only read
  --config FILE   the policies of this file; the default is every policy with its
                  defaults, but that nobody is asked with --answers and --dry-run
  --json          print a JSON object for each call, and one with the statistics
  --quiet         only the tables

  toolscope replay --answers session.jsonl
  toolscope replay --dry-run --config toolscope.yaml session.jsonl

Exit code: 0, 1 if the file cannot be read or played, 2 for wrong words.
`

// replayOptions are what the command line says.
type replayOptions struct {
	answers, dryRun, write, json, quiet bool
	dir, config, file                   string
}

// replayCommand is `toolscope replay`.
func replayCommand(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	var o replayOptions
	f := flag.NewFlagSet("replay", flag.ContinueOnError)
	f.BoolVar(&o.answers, "answers", false, "")
	f.BoolVar(&o.dryRun, "dry-run", false, "")
	f.BoolVar(&o.write, "write", false, "")
	f.BoolVar(&o.json, "json", false, "")
	f.BoolVar(&o.quiet, "quiet", false, "")
	f.StringVar(&o.dir, "dir", ".", "")
	f.StringVar(&o.config, "config", "", "")
	files, code, done := parseArguments(f, replayHelp, args, stdout, stderr)
	if done {
		return code
	}
	if err := o.complete(files); err != nil {
		fmt.Fprintf(stderr, "toolscope replay: %v\nRun 'toolscope replay --help' for the options.\n", err)
		return exitUsage
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := o.run(ctx, stdin, stdout); err != nil {
		complain(stderr, "replay", err)
		return exitError
	}
	return exitOK
}

// complete checks the words.
func (o *replayOptions) complete(files []string) error {
	switch {
	case len(files) != 1:
		return fmt.Errorf("got %d files, want one, or - for standard input", len(files))
	case o.answers && o.dryRun:
		return errors.New("got --answers and --dry-run, want one of them")
	case o.write && (o.answers || o.dryRun):
		return errors.New("--write: got it where no tool runs, want it without --answers and --dry-run")
	}
	o.file = files[0]
	return nil
}

func (o *replayOptions) run(ctx context.Context, stdin io.Reader, stdout io.Writer) error {
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

func (o *replayOptions) read(stdin io.Reader) (*transcript.Transcript, error) {
	if o.file == "-" {
		return transcript.ReadTranscript(stdin)
	}
	f, err := os.Open(o.file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t, err := transcript.ReadTranscript(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.file, err)
	}
	return t, nil
}
