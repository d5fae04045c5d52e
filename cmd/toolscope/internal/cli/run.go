// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/toolscope/toolscope/internal/display"
)

// The exit codes of every command.
const (
	ExitOK    = 0
	ExitError = 1 // the command failed
	ExitUsage = 2 // the command line was wrong: nothing was done
)

// Exit is an error that ends the program with this code. Its cause has been printed already.
type Exit int

// Error returns the code.
func (e Exit) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

type usageError struct{ error }

// Usage returns an error in the command line.
func Usage(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// Run runs the command of root that args name, and returns the exit code.
func Run(ctx context.Context, root *cobra.Command, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	complete(root)
	c, err := root.ExecuteContextC(ctx)
	var exit Exit
	switch {
	case err == nil:
		return ExitOK
	case errors.As(err, &exit):
		return int(exit)
	}
	Complain(stderr, c.CommandPath(), err)
	if !errors.As(err, new(usageError)) {
		return ExitError
	}
	fmt.Fprintf(stderr, "Run '%s --help' for the options.\n", c.CommandPath())
	return ExitUsage
}

// Complain prints why a command failed. Each of several joined errors, such as those
// of a configuration file, gets its own line.
func Complain(stderr io.Writer, command string, err error) {
	for line := range strings.SplitSeq(err.Error(), "\n") {
		fmt.Fprintf(stderr, "%s: %s\n", command, display.Plain(line))
	}
}

// UntilInterrupted returns the command's context, which ends when the program is interrupted or
// asked to end.
func UntilInterrupted(c *cobra.Command) (context.Context, context.CancelFunc) {
	return signal.NotifyContext(c.Context(), os.Interrupt, syscall.SIGTERM)
}
