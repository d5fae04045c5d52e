// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package checkcmd

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/expect"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/recorded"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/recordings"
	"github.com/toolscope/toolscope/internal/display"
)

const about = `toolscope check compares a session with expectations and a baseline, for CI.

FILE is a recording's name, "latest", or any file that has calls: a call log, an audit log,
OTLP JSON lines, or a transcript; "-" is standard input. Expectations are YAML:

  calls: {min: 1, max: 50}
  tools:
    read_file: {min: 1, max: 3, error_rate: 0, p95: 250ms}
  only: [read_file, write_file]
  never: [delete_file]
  order: [read_file, write_file]
  error_rate: 0.05
  p95: 2s
  finished: true
  secrets: none            # or redacted: some may be there if they were removed
  definitions: unchanged
  baseline: {calls: same, outcomes: same, results: any, order: any}
  steps: true              # count the steps of workflows as calls

With --baseline each call that is new, gone or changed fails the check. A check that has
nothing to compare fails, such as that of a file without calls. Calls that a recorded call
made, such as the steps of a workflow, count for never, finished and secrets only.`

const examples = `  toolscope check latest --expect expectations.yaml
  toolscope check now.jsonl --baseline before.jsonl --junit check.xml`

type options struct {
	expect, baseline string
	junit, sarif     string
	json             bool
}

// Command returns the command.
func Command() *cobra.Command {
	var o options
	c := &cobra.Command{
		Use: "check [OPTIONS] FILE", Short: "compare a session with expectations and a baseline, for CI", Long: about,
		Example: examples, Args: cli.OneFile,
		Annotations: cli.ExitNotes("0 if all checks passed, 1 if one failed or a file could not be read, " +
			"2 for a usage error or wrong expectations."),
		RunE: func(c *cobra.Command, files []string) error {
			return o.run(files[0], c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	f := c.Flags()
	f.StringVar(&o.expect, "expect", "", "the expectations in `FILE`")
	f.StringVar(&o.baseline, "baseline", "", "compare with the session in `FILE`")
	f.StringVar(&o.junit, "junit", "", "write the checks to `FILE` as JUnit's XML")
	f.StringVar(&o.sarif, "sarif", "", "write what failed to `FILE` as SARIF 2.1.0")
	f.BoolVar(&o.json, "json", false, "print a JSON object")
	return c
}

func (o *options) run(file string, stdin io.Reader, stdout, stderr io.Writer) error {
	if o.expect == "" && o.baseline == "" {
		return cli.Usage("got nothing to compare with, want --expect or --baseline")
	}
	wanted := new(expect.Expectations)
	var err error
	if o.expect != "" {
		if wanted, err = expect.Read(o.expect); err != nil {
			cli.Complain(stderr, "toolscope check", err)
			return cli.Exit(cli.ExitUsage)
		}
	}
	if wanted.Baseline != nil && o.baseline == "" {
		return cli.Usage("--expect: got baseline in %s and no session to compare with, want --baseline FILE", o.expect)
	}
	if file == "-" && o.baseline == "-" {
		return cli.Usage("got standard input as the file and as the baseline, want it once")
	}
	file = recordings.FullName(file)
	session, err := recorded.Open(file, stdin)
	if err != nil {
		return err
	}
	session.ReportTorn("check", stderr)
	var baseline *recorded.Session
	if o.baseline != "" {
		if baseline, err = recorded.OpenWhole(o.baseline, stdin, "check", stderr); err != nil {
			return fmt.Errorf("--baseline: %w", err)
		}
		if len(baseline.Calls) == 0 {
			return fmt.Errorf("--baseline: %s: got no calls, so nothing to compare with", o.baseline)
		}
	}
	steps := 0
	if !wanted.Steps {
		steps = len(session.Calls) - len(session.Outer())
	}
	if steps > 0 {
		fmt.Fprintf(stderr, "toolscope check: %s of workflows not counted as calls; steps: true counts them\n",
			display.Number(uint64(steps), "step"))
	}
	reportUnknown(wanted.Never, session, stderr)
	checks := wanted.Check(session, baseline)
	if len(checks) == 1 { // that of the file
		cli.Complain(stderr, "toolscope check", fmt.Errorf("%s: got no expectation, want one, such as error_rate: 0", o.expect))
		return cli.Exit(cli.ExitUsage)
	}
	if err := o.write(file, checks); err != nil {
		return err
	}
	if o.json {
		err = cli.PrintJSON(stdout, struct {
			Passed bool           `json:"passed"`
			Calls  int            `json:"calls"`
			Steps  int            `json:"steps"` // that are not among the calls
			Checks []expect.Check `json:"checks"`
		}{expect.Failed(checks) == 0, len(session.Calls) - steps, steps, checks})
	} else {
		err = expect.WriteText(stdout, checks)
	}
	if err != nil {
		return err
	}
	if expect.Failed(checks) > 0 {
		return cli.Exit(cli.ExitError)
	}
	return nil
}

// reportUnknown names tools that may not be called and that the server does not have, where it has one of nearly that
// name: a mistyped name would never be found.
func reportUnknown(never []string, session *recorded.Session, stderr io.Writer) {
	tools := slices.Sorted(maps.Keys(session.Digests))
	for _, name := range never {
		if meant := cli.DidYouMean(name, "", tools); meant != "" {
			fmt.Fprintf(stderr, "toolscope check: never: the server has no tool %.60q%s\n", name, display.Clip(meant, 200))
		}
	}
}

// write writes the files for CI systems.
func (o *options) write(file string, checks []expect.Check) error {
	for _, out := range []struct {
		path  string
		write func(io.Writer) error
	}{
		{o.junit, func(w io.Writer) error { return expect.WriteJUnit(w, file, checks) }},
		{o.sarif, func(w io.Writer) error { return expect.WriteSARIF(w, file, cli.Version(), checks) }},
	} {
		if out.path == "" {
			continue
		}
		var b bytes.Buffer
		if err := out.write(&b); err != nil {
			return err
		}
		if err := os.WriteFile(out.path, b.Bytes(), 0o600); err != nil {
			return err
		}
	}
	return nil
}
