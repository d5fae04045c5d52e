// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/toolscope/toolscope/config"
	"github.com/toolscope/toolscope/internal/display"
)

const configHelp = `toolscope config checks configuration files.

Usage: toolscope config FILE…
       toolscope config --schema

Every error is told with its line, field, value, and what is allowed, what the policies
themselves would refuse included. Files that a configuration names are not opened.

  --schema  print the JSON Schema of a configuration file, for editors

Exit code: 0, 1 if something is wrong with a file, 2 for wrong words.
`

// configCommand is `toolscope config`.
func configCommand(args []string, _ io.Reader, stdout, stderr io.Writer) int {
	f := flag.NewFlagSet("config", flag.ContinueOnError)
	schema := f.Bool("schema", false, "")
	files, code, done := parseArguments(f, configHelp, args, stdout, stderr)
	if done {
		return code
	}
	if *schema == (len(files) > 0) {
		fmt.Fprintf(stderr, "toolscope config: got %d files, want at least one, or --schema alone\nRun 'toolscope config --help' for the options.\n", len(files))
		return exitUsage
	}
	if *schema {
		if _, err := stdout.Write(config.Schema()); err != nil {
			return exitError
		}
		return exitOK
	}
	code = exitOK
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			fmt.Fprintf(stderr, "toolscope config: %s\n", display.Plain(err.Error()))
			code = exitError
			continue
		}
		if err = config.Check(name, text); err != nil {
			for line := range strings.SplitSeq(err.Error(), "\n") {
				fmt.Fprintln(stderr, display.Plain(line))
			}
			code = exitError
			continue
		}
		fmt.Fprintf(stdout, "%s: as it should be\n", display.Plain(name))
	}
	return code
}
