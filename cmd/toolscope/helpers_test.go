// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"io"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
)

const exitOK, exitError, exitUsage, exitNotFound = cli.ExitOK, cli.ExitError, cli.ExitUsage, 127

// run runs the program with its arguments.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return execute(context.Background(), args, stdin, stdout, stderr)
}
