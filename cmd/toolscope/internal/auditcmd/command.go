// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package auditcmd

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/middleware/audit"
)

const about = `toolscope audit reads audit logs: what was decided of calls, by whom, and whether the log is
as it was written.`

const aboutVerify = `toolscope audit verify reports where an entry of an audit log was changed, removed, inserted or
moved, and whether the end is missing.

The logs that rotation set aside next to FILE are read as well, compressed ones (.gz) too. Entries
that "toolscope forget" removed, and files that rotation removed, are no break. Without a key a
person who can write the files can write a new chain that verifies: keep the line "head" elsewhere and
give it to --head the next time, or set audit.key_file in the configuration.`

const examples = `  toolscope audit verify audit.jsonl
  toolscope audit show audit.jsonl --session s-42`

// Command returns the command.
func Command() *cobra.Command {
	c := &cobra.Command{
		Use: "audit COMMAND [OPTIONS]", Short: "verify and show audit logs", Long: about, Example: examples,
		Annotations: cli.Notes(", 1 if the log was changed or could not be read"),
		RunE: func(_ *cobra.Command, args []string) error {
			return cli.Usage("got %.40q, want verify or show", strings.Join(args, " "))
		},
	}
	c.AddCommand(verifyCommand(), showCommand())
	return c
}

// verifyOptions are those of the command line.
type verifyOptions struct {
	keyFile, head string
	json          bool
}

func verifyCommand() *cobra.Command {
	var o verifyOptions
	c := &cobra.Command{
		Use:         "verify [OPTIONS] FILE",
		Short:       "report whether an audit log is as it was written",
		Long:        aboutVerify,
		Example:     "  toolscope audit verify audit.jsonl\n  toolscope audit verify --key-file audit.key audit.jsonl",
		Annotations: cli.Notes(", 1 if the log was changed or could not be read"),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) != 1 || args[0] == "" {
				return cli.Usage("got %d files, want one", len(args))
			}
			return o.run(args[0], c.OutOrStdout())
		},
	}
	f := c.Flags()
	f.StringVar(&o.keyFile, "key-file", "", "the `FILE` with the log's key (audit.key_file of the configuration)")
	f.StringVar(&o.head, "head", "", "the `HEAD` that an earlier run printed: its entry must be in the log")
	f.BoolVar(&o.json, "json", false, "print a JSON object")
	return c
}

func (o *verifyOptions) run(path string, stdout io.Writer) error {
	var key []byte
	if o.keyFile != "" {
		text, err := os.ReadFile(o.keyFile)
		if err != nil {
			return fmt.Errorf("--key-file: %w", err)
		}
		if key = bytes.TrimSpace(text); len(key) == 0 {
			return fmt.Errorf("--key-file: got an empty file, want a key")
		}
	}
	r, err := audit.Verify(path, key, o.head)
	if err != nil {
		return err
	}
	if err := o.print(r, stdout); err != nil {
		return err
	}
	if len(r.Problems) > 0 {
		return cli.Exit(cli.ExitError)
	}
	return nil
}

func (o *verifyOptions) print(r *audit.Report, stdout io.Writer) error {
	if o.json {
		return cli.PrintJSON(stdout, r)
	}
	var b strings.Builder
	for _, p := range r.Problems {
		fmt.Fprintf(&b, "PROBLEM  %s\n", display.Plain(p))
	}
	verdict := "as written"
	if len(r.Problems) > 0 {
		verdict = "NOT as written"
	}
	entries := "entries"
	if r.Entries == 1 {
		entries = "entry"
	}
	fmt.Fprintf(&b, "%s: %d %s in %s", verdict, r.Entries, entries, display.Number(uint64(r.Files), "file"))
	if r.Forgotten > 0 {
		fmt.Fprintf(&b, ", %d of them forgotten", r.Forgotten)
	}
	if r.First > 1 {
		fmt.Fprintf(&b, ", from entry %d on", r.First)
	}
	b.WriteString("\n")
	if r.Unchained > 0 {
		fmt.Fprintf(&b, "note: %s from before the chain began: changes in them cannot be found\n",
			display.Number(uint64(r.Unchained), "line"))
	}
	if r.Head != "" {
		fmt.Fprintf(&b, "head %s\n", r.Head)
	}
	_, err := io.WriteString(stdout, b.String())
	return err
}
