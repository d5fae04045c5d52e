// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package statscmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/programs"
	"github.com/toolscope/toolscope/exporters/statsprom"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/stats/statshttp"
	"github.com/toolscope/toolscope/stats/statspush"
)

const aboutServe = `toolscope stats serve adds up the statistics that other programs push, and serves them as one.

Programs push with "--push URL", or with package statspush. The pages, /metrics and "toolscope stats" are those of a
single program; percentiles are those of all calls. Programs that have ended stay counted.

Everyone who pushes or reads needs the token. It is sent as it is: put a server with TLS in front where others can
listen. Without --dir a restart begins with nothing.`

const serveExamples = `  toolscope stats serve --token-file token --dir /var/lib/toolscope-stats
  TOOLSCOPE_PUSH_TOKEN=$(cat token) toolscope demo --once --push http://127.0.0.1:9464
  toolscope stats --token-file token --window total http://127.0.0.1:9464/`

// serveOptions are those of the command line.
type serveOptions struct {
	listen, tokenFile, directory, title string
	retention                           time.Duration
}

func serveCommand() *cobra.Command {
	var o serveOptions
	c := &cobra.Command{
		Use:               "serve [OPTIONS]",
		Short:             "add up what other programs push, and serve it",
		Long:              aboutServe,
		Example:           serveExamples,
		Annotations:       cli.Notes(", 1 if it could not listen, or read or write its directory"),
		Args:              cli.OptionsOnly,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(c *cobra.Command, _ []string) error {
			ctx, stop := cli.UntilInterrupted(c)
			defer stop()
			return o.run(ctx, c.InOrStdin(), c.ErrOrStderr())
		},
	}
	f := c.Flags()
	f.StringVar(&o.listen, "listen", "127.0.0.1:9464", "listen at `ADDR`; port 0 is any free port")
	f.StringVar(&o.tokenFile, "token-file", "", "read the token from `FILE` (\"-\": standard input), 16 bytes or more; the "+
		"default is $TOOLSCOPE_TOKEN")
	f.StringVar(&o.directory, "dir", "", "keep the statistics in `DIR`, for the next start")
	f.DurationVar(&o.retention, "retention", 0, "keep intervals for `TIME`; the default is that of stats.Options.Retention")
	f.StringVar(&o.title, "title", "toolscope fleet", "what the pages are called")
	return c
}

// run serves until it is interrupted.
func (o *serveOptions) run(ctx context.Context, stdin io.Reader, stderr io.Writer) (err error) {
	token, err := programs.ReadToken(o.tokenFile, stdin)
	if err != nil {
		return err
	}
	if token == "" {
		return cli.Usage("--token-file: got none, and no $TOOLSCOPE_TOKEN, want a token of 16 bytes or more")
	}
	recorder, err := stats.New(stats.Options{Directory: o.directory, Retention: o.retention})
	if err != nil {
		return err
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		err = errors.Join(err, recorder.Close(closing))
	}()
	receiver, err := statspush.NewReceiver(recorder, token)
	if err != nil {
		return err
	}
	pages, err := statshttp.NewHandler(recorder, statshttp.Options{
		BearerToken: token, Title: o.title, Metrics: statsprom.WithHealth(receiver), Health: []stats.HealthSource{receiver},
	})
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", o.listen)
	if err != nil {
		return fmt.Errorf("--listen: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", pages)
	mux.Handle("/api/v1/instances", receiver)
	mux.Handle("/api/v1/instances/", receiver)
	address, stop := programs.Serve(l, mux, o.title)
	defer stop()
	fmt.Fprintf(stderr, "statistics of all programs that push to %s (any user name, the token as password)\n", address)
	<-ctx.Done()
	return nil
}
