// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpcmd

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/tailscale/hujson"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/bridge"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/mcpclients"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/signin"
)

// bridgeCommand is the command that 'toolscope mcp --target URL' starts as its server.
func bridgeCommand() *cobra.Command {
	var o options
	c := &cobra.Command{
		Use: "bridge --target URL", Hidden: true, Args: cli.OptionsOnly,
		Short: "be an MCP server over pipes whose messages go to a server over HTTP",
		RunE: func(c *cobra.Command, _ []string) error {
			ctx, stop := cli.UntilInterrupted(c)
			defer stop()
			target, err := signin.Target(o.target)
			if err != nil {
				return cli.Usage("--target: %w", err)
			}
			say := sayTo(c.ErrOrStderr())
			sayStandardLog(say)
			client, err := o.signinClient(target, say)
			if err != nil {
				return err
			}
			b := bridge.Options{Target: o.target, Transport: signin.Notice(http.DefaultTransport, say)}
			if b.Headers, err = headersOf(os.Getenv(mcpclients.WrappedEnv)); err != nil {
				return err
			}
			if client != nil {
				defer client.Close()
				b.Transport = client.Transport(http.DefaultTransport)
			}
			return bridge.Run(ctx, b, c.InOrStdin(), c.OutOrStdout())
		},
	}
	f := c.Flags()
	f.StringVar(&o.target, "target", "", "the server's `URL`")
	f.BoolVar(&o.oauth, "oauth", false, "sign in to the server")
	o.signin.Define(f, "oauth-")
	return c
}

// bridged returns the command that reaches the target over pipes.
func (o *options) bridged(f *pflag.FlagSet) ([]string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	words := []string{self, "mcp", "bridge", "--target", o.target}
	f.Visit(func(x *pflag.Flag) {
		if strings.HasPrefix(x.Name, "oauth") {
			words = append(words, "--"+x.Name+"="+x.Value.String())
		}
	})
	return words, nil
}

// headersOf are the headers of a client's entry for a server with a URL, which 'toolscope mcp wrap' left in the
// environment; "" has none.
func headersOf(entry string) (map[string]string, error) {
	if entry == "" {
		return nil, nil
	}
	plain, err := hujson.Standardize([]byte(entry))
	var read struct {
		Headers map[string]string `json:"headers"`
	}
	if err == nil {
		err = json.Unmarshal(plain, &read)
	}
	if err != nil {
		return nil, errors.New("$" + mcpclients.WrappedEnv + ": got no entry of a client's file")
	}
	return read.Headers, nil
}
