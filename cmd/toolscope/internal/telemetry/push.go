// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package telemetry

import (
	"cmp"
	"context"
	"fmt"
	"os"

	"github.com/spf13/pflag"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/programs"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/stats/statspush"
)

// pushing are the options of commands that push their statistics.
type pushing struct {
	url, tokenFile string
	push           *statspush.Push // nil until it is started
}

func (o *pushing) define(f *pflag.FlagSet) {
	f.StringVar(&o.url, "push", "", "send the statistics to 'toolscope stats serve' at `URL`, every ten seconds "+
		"and at the end; the default is $TOOLSCOPE_PUSH_URL")
	f.StringVar(&o.tokenFile, "push-token-file", "", "read the token for --push from `FILE`; the default is "+
		"$TOOLSCOPE_PUSH_TOKEN")
}

// DefinePush defines the options of commands that make a few calls and end.
func (o *Flags) DefinePush(f *pflag.FlagSet) { o.pushing.define(f) }

// StartPush begins to push a recorder's statistics, if that was asked for. Nil is a recorder of nothing. The function
// returned pushes for the last time.
func (o *Flags) StartPush(r *stats.Recorder) (stop func(context.Context) error, err error) {
	url, token := cmp.Or(o.url, os.Getenv("TOOLSCOPE_PUSH_URL")), os.Getenv("TOOLSCOPE_PUSH_TOKEN")
	if url == "" || r == nil {
		return func(context.Context) error { return nil }, nil
	}
	if o.tokenFile != "" {
		if token, err = programs.ReadToken(o.tokenFile, nil); err != nil {
			return nil, fmt.Errorf("--push: %w", err)
		}
	}
	if o.push, err = statspush.New(url, r, statspush.Options{Token: token}); err != nil {
		return nil, fmt.Errorf("--push: %w; the token is that of --push-token-file or $TOOLSCOPE_PUSH_TOKEN", err)
	}
	return o.push.Close, nil
}

// Components reports whether pushes are accepted, once StartPush was called. It is a [stats.HealthSource].
func (o *Flags) Components() []stats.Component {
	if o.push == nil {
		return nil
	}
	return o.push.Components()
}
