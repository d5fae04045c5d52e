// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package servecmd

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/config"
	"github.com/toolscope/toolscope/internal/display"
)

// reloadOnHangup reloads the configuration when the process gets SIGHUP, until ctx is over or the returned
// function is called, and writes the outcome to stderr. Without --config SIGHUP ends the process as usual.
func (o *options) reloadOnHangup(ctx context.Context, f *config.File, s *toolscope.Scope, stderr io.Writer) func() {
	if o.config == "" {
		return func() {}
	}
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-ctx.Done():
				return
			case <-hangups:
				o.reload(f, s, stderr)
			}
		}
	}()
	return func() {
		signal.Stop(hangups)
		cancel()
		<-ended
	}
}

// reload applies the file, or reports why it stays as it was.
func (o *options) reload(f *config.File, s *toolscope.Scope, stderr io.Writer) {
	notes, err := f.Reload(s)
	if err != nil {
		cli.Complain(stderr, "toolscope serve: reload", err)
		return
	}
	for _, note := range notes {
		fmt.Fprintf(stderr, "toolscope serve: reload: %s\n", note)
	}
	fmt.Fprintf(stderr, "toolscope serve: reloaded %s\n", display.Plain(o.config))
}
