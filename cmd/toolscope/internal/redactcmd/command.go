// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redactcmd

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/redact"
	"github.com/toolscope/toolscope/redact/redactfile"
)

const about = `toolscope redact removes secrets and personal data from what it reads.

Text and JSON come out as they went in, with a mark such as [REDACTED:github-token] in
the place of what was removed; JSON stays JSON. Input may be larger than memory: text is
examined in pieces of 1 MiB that overlap, and written when a piece is complete or the
input ends; a JSON document of up to 64 MiB is examined as a whole.`

const examples = `  toolscope redact < app.log
  kubectl get secret db -o json | toolscope redact --explain`

type options struct {
	jsonl, secretsOnly, explain, list bool
	config                            string
}

// Command returns the command.
func Command() *cobra.Command {
	var o options
	c := &cobra.Command{
		Use:         "redact [OPTIONS] < IN > OUT",
		Short:       "remove secrets and personal data from text, JSON and JSON lines",
		Long:        about,
		Example:     examples,
		Annotations: cli.Notes(", 1 if something could not be read (it is not written)"),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return cli.Usage("got argument %.40q, want options only: it reads standard input", args[0])
			}
			return nil
		},
		RunE: func(c *cobra.Command, _ []string) error {
			if o.list {
				return listKinds(c.OutOrStdout())
			}
			return o.run(c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	f := c.Flags()
	f.BoolVar(&o.jsonl, "jsonl", false, "read lines {\"id\":…,\"text\":\"…\"}, write each one immediately with "+
		"its text redacted")
	f.StringVar(&o.config, "config", "", "what to look for and how to replace it is in `FILE`, see docs/redaction.md")
	f.BoolVar(&o.secretsOnly, "secrets-only", false, "keep personal data")
	f.BoolVar(&o.explain, "explain", false, "print on standard error what was found, where, why, and what would "+
		"undo it, never the value")
	f.BoolVar(&o.list, "list", false, "list the kinds that are found, and exit")
	return c
}

func (o *options) run(stdin io.Reader, stdout, stderr io.Writer) error {
	if o.config != "" && o.secretsOnly {
		return cli.Usage("got --config and --secrets-only, want one of them: the file has a preset")
	}
	r, err := redactorFor(o.config, o.secretsOnly)
	if err != nil {
		return err
	}
	f := &filter{r: r, out: bufio.NewWriterSize(stdout, 64<<10), found: map[string]foundKind{}}
	if o.explain {
		f.reasons = stderr
	}
	if o.jsonl {
		err = f.redactLines(stdin, stderr)
	} else {
		err = f.redactStream(stdin)
	}
	if e := f.out.Flush(); err == nil {
		err = e
	}
	if o.explain {
		f.explain(stderr)
	}
	return err
}

func redactorFor(config string, secretsOnly bool) (*redact.Redactor, error) {
	switch {
	case config != "":
		return redactfile.Load(config)
	case secretsOnly:
		return redact.New(redact.Options{Preset: redact.SecretsOnly})
	}
	return redact.Default(), nil
}

func listKinds(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "KIND\tGROUP\tDEFAULT\tWHAT")
	for _, k := range redact.Kinds() {
		on := "on"
		if !k.Default {
			on = "off"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", k.Name, k.Group, on, k.About)
	}
	return t.Flush()
}

// textLine is a line of --jsonl. The id comes back as it is.
type textLine struct {
	ID   json.RawMessage `json:"id"`
	Text *string         `json:"text"`
}

// redactLines redacts JSON lines. A line that cannot be read is named and left out.
func (f *filter) redactLines(in io.Reader, stderr io.Writer) error {
	return cli.JSONLines(in, f.out, func(line textLine) (any, error) {
		if line.Text == nil {
			return nil, errors.New(`got no member "text", want a string`)
		}
		clean, found := f.r.Text(*line.Text)
		f.count(found)
		line.Text = &clean
		if line.ID == nil {
			line.ID = json.RawMessage("null")
		}
		return line, nil
	}, func(number int, err error) {
		fmt.Fprintf(stderr, "toolscope redact: line %d is left out: %s\n", number, f.harmless(err))
	})
}
