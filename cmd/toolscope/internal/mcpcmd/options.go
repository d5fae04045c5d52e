// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpcmd

import (
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/builtin"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/configfile"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/recordings"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/signin"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/telemetry"
)

type options struct {
	otlp, log, stats, name, config string
	target, listen                 string
	approvals                      string // file of tokens
	oauth                          bool
	signin                         signin.Flags
	tenant                         string
	exporting                      telemetry.Flags
	recording                      recordings.Flags
	upstream                       func(http.RoundTripper) http.RoundTripper // see mcpproxy.Options
	logSize                        int64                                     // MiB
	logMethods                     bool
	clientSpans, inject            bool
	accept, pin                    bool
	bare                           bool // the client's file had no arguments: see mcpclients
	hung                           time.Duration
	command                        []string
}

// define defines the options of the proxy.
func (o *options) define(c *cobra.Command) {
	cli.Group(c, "What is recorded", func(f *pflag.FlagSet) {
		f.StringVar(&o.otlp, "otlp", "", "send traces and metrics to `URL` by OTLP (OTEL_EXPORTER_OTLP_ENDPOINT "+
			"does so too, and the other "+
			"OTEL_ variables apply)")
		o.exporting.Define(f)
		f.StringVar(&o.log, "log", "", "append two lines of JSON for each call to `FILE`, redacted: when it is forwarded, "+
			"and when it ends: see 'toolscope report'")
		f.Int64Var(&o.logSize, "log-size", 64, "rename FILE to FILE.1 before it has more than `MIB` MiB, and keep three such files; 0 "+
			"keeps one file that grows")
		f.BoolVar(&o.logMethods, "log-methods", false, "write a line for each other request as well, such as tools/list and "+
			"resources/read")
		o.recording.Define(f)
		f.StringVar(&o.stats, "stats", "", "serve statistics, the dashboard and /api/v1/mcp at `ADDR`, to this "+
			"machine only; if its port is in "+
			"use, at another one. 'toolscope stats' and 'toolscope top' find it")
		f.StringVar(&o.name, "name", "", "the server's `NAME`; the default is the command's name or the URL's host")
		f.BoolVar(&o.clientSpans, "client-spans", false, "a span of kind CLIENT below the one of each call")
		f.DurationVar(&o.hung, "hung", time.Minute, "report a call as hung after this `TIME`")
	})
	cli.Group(c, "What is changed, only on request", func(f *pflag.FlagSet) {
		f.StringVar(&o.config, "config", "", "the policies of `FILE` govern calls, and may answer in the server's "+
			"place: permission, cache, "+
			"duplicates, rates, loops and more; see docs/policies.md")
		configfile.TenantFlag(f, &o.tenant)
		builtin.ApprovalsFlag(f, &o.approvals)
		f.BoolVar(&o.inject, "inject-context", false, "write the trace context into forwarded calls, whose bytes then differ")
		f.BoolVar(&o.accept, "accept-tools", false, "accept the server's tools as they are now. Without it each "+
			"change since the first "+
			"connection is reported, as definition_changed")
		f.BoolVar(&o.pin, "pin-tools", false, "tools that differ from what was accepted are left out of the "+
			"server's lists, and calls of them are "+
			"refused, until a person has checked them and started the proxy once with --accept-tools")
	})
	cli.Group(c, "Over HTTP", func(f *pflag.FlagSet) {
		f.StringVar(&o.target, "target", "", "the server's `URL`; other paths of its origin are forwarded as well")
		f.StringVar(&o.listen, "listen", "", "listen at `ADDR`, such as 127.0.0.1:8808; only clients on this machine may "+
			"connect. Without it the client starts the proxy and speaks over standard input and output")
		f.BoolVar(&o.oauth, "oauth", false, "sign in to the server (OAuth) in the clients' place: see docs/oauth.md and "+
			"'toolscope login'. Without it the clients' own headers are forwarded")
		o.signin.Define(f, "oauth-")
	})
	c.Flags().BoolVar(&o.bare, "bare", false, "")
	_ = c.Flags().MarkHidden("bare")
}

// check checks the command line.
func (o *options) check(args []string) error {
	switch {
	case len(args) > 0:
		return cli.Usage("got argument %.40q, want -- before the server's command", args[0])
	case o.approvals != "" && o.stats == "":
		return cli.Usage("--approvals-token-file: got no --stats, want the address where approvals are served")
	case o.logSize < 0 || o.logSize > 1<<20:
		return cli.Usage("--log-size: got %d, want 0 to 1048576 MiB", o.logSize)
	case o.hung <= 0:
		return cli.Usage("--hung: got %v, want a time above 0", o.hung)
	case o.oauth && o.target == "":
		return cli.Usage("--oauth: got no --target, want the URL of the server to sign in to")
	case o.target == "" && o.listen == "" && len(o.command) == 0:
		return cli.Usage("got no server, want -- COMMAND or --target URL")
	case len(o.command) > 0 && (o.target != "" || o.listen != ""):
		return cli.Usage("got a command and --target or --listen, want one of both")
	case len(o.command) > 0:
		return nil
	case o.target == "":
		return cli.Usage("got --listen without --target, want both")
	}
	if _, err := signin.Target(o.target); err != nil {
		return cli.Usage("--target: %w", err)
	}
	return nil
}

// server is what the server is called.
func (o *options) server() string {
	if o.name != "" {
		return o.name
	}
	if u, err := url.Parse(o.target); err == nil && o.target != "" {
		return u.Host
	}
	return strings.TrimSuffix(filepath.Base(o.command[0]), ".exe")
}
