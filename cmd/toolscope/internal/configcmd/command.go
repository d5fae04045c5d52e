// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package configcmd

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/configfile"
	"github.com/toolscope/toolscope/internal/display"
)

const about = `toolscope config checks configuration files.

Every error is printed with its line, field, value, and what is allowed, including values
that the policies themselves would refuse. Files that a configuration names are not opened.`

// Command returns the command.
func Command() *cobra.Command {
	var schema bool
	c := &cobra.Command{
		Use:         "config FILE...",
		Short:       "check configuration files",
		Long:        about,
		Annotations: cli.Notes(", 1 if something is wrong with a file", "config --schema"),
		RunE: func(c *cobra.Command, files []string) error {
			switch {
			case schema == (len(files) > 0):
				return cli.Usage("got %d files, want at least one, or --schema alone", len(files))
			case schema:
				_, err := c.OutOrStdout().Write(configfile.Schema())
				return err
			}
			return check(files, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	c.Flags().BoolVar(&schema, "schema", false, "print the JSON Schema of a configuration file, for editors")
	return c
}

// check prints what is wrong with each file.
func check(files []string, stdout, stderr io.Writer) (err error) {
	for _, name := range files {
		text, failed := os.ReadFile(name)
		if failed != nil {
			cli.Complain(stderr, "toolscope config", failed)
		} else if failed = configfile.Check(name, text); failed != nil {
			for line := range strings.SplitSeq(failed.Error(), "\n") {
				fmt.Fprintln(stderr, display.Plain(line))
			}
		}
		if failed != nil {
			err = cli.Exit(cli.ExitError)
			continue
		}
		fmt.Fprintf(stdout, "%s: OK\n", display.Plain(name))
	}
	return err
}
