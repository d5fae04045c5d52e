// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

//go:build !unix

package mcpcmd

import (
	"os"
	"os/signal"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
)

// catchSignals gives the signals that a proxy passes on to its server.
func catchSignals(*os.File) (<-chan os.Signal, func()) {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, os.Interrupt)
	return signals, func() { signal.Stop(signals) }
}

// dieOf is the exit code for a server that a signal ended.
func dieOf(os.Signal) int { return cli.ExitError }
