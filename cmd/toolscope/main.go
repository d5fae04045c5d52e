// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/approvalscmd"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/auditcmd"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/checkcmd"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/configcmd"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/democmd"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/exportcmd"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/forgetcmd"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/logincmd"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/mcpcmd"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/permitcmd"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/redactcmd"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/replaycmd"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/reportcmd"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/servecmd"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/sessionscmd"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/spoolcmd"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/statscmd"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/toolscmd"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/topcmd"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/workflowcmd"
)

func main() { os.Exit(execute(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// execute runs the program with its arguments, and returns the exit code.
func execute(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	version := cli.Build()
	root := &cobra.Command{Use: "toolscope COMMAND [OPTIONS]", Long: "toolscope shows and governs the tool calls of AI agents."}
	program := cli.Program(root, version,
		democmd.Command(), statscmd.Command(), topcmd.Command(),
		sessionscmd.Command(), replaycmd.Command(), checkcmd.Command(), reportcmd.Command(), forgetcmd.Command(),
		exportcmd.Command(), redactcmd.Command(), permitcmd.Command(), approvalscmd.Command(), approvalscmd.Stop(), auditcmd.Command(),
		spoolcmd.Command(),
		toolscmd.Tools(), toolscmd.Call(), workflowcmd.Command(),
		servecmd.Command(), mcpcmd.Command(), logincmd.Login(), logincmd.Logout(), logincmd.Whoami(),
		configcmd.Command(), versionCommand(version))
	return cli.Run(ctx, program, args, stdin, stdout, stderr)
}

func versionCommand(version string) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "print version, commit, date, Go version and system",
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(c.OutOrStdout(), "toolscope", version)
			return err
		},
	}
}
