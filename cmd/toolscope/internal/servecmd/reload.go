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
	"github.com/toolscope/toolscope/cmd/toolscope/internal/configfile"
	"github.com/toolscope/toolscope/config"
	"github.com/toolscope/toolscope/internal/display"
)

// reloadOnHangup reloads the configuration when the process gets SIGHUP, until ctx is over or the returned
// function is called, and writes the outcome to stderr. A gateway reloads the policies of its servers, too. Without
// --config and --mcp-config SIGHUP ends the process as usual.
func (o *options) reloadOnHangup(
	ctx context.Context, f *config.File, s *toolscope.Scope, behind *gateway, stderr io.Writer,
) func() {
	if o.config == "" && o.servers == "" {
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
				say := func(path string, notes []string, err error) { reported(stderr, path, notes, err) }
				if o.config != "" {
					notes, err := reload(o.config, o.tenant, f, s)
					say(o.config, notes, err)
				}
				behind.reload(say)
			}
		}
	}()
	return func() {
		signal.Stop(hangups)
		cancel()
		<-ended
	}
}

// reload applies a file that was changed, unless it has a policy for tenants and there is none.
func reload(path, tenant string, f *config.File, s *toolscope.Scope) (notes []string, err error) {
	if err := configfile.CheckTenant(path, tenant); err != nil {
		return nil, err
	}
	return f.Reload(s)
}

// reported writes what a reload applied, or why the file stays as it was.
func reported(stderr io.Writer, path string, notes []string, err error) {
	if err != nil {
		cli.Complain(stderr, "toolscope serve: reload", err)
		return
	}
	for _, note := range notes {
		fmt.Fprintf(stderr, "toolscope serve: reload: %s\n", note)
	}
	fmt.Fprintf(stderr, "toolscope serve: reloaded %s\n", display.Plain(path))
}
