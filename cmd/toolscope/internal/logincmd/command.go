// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package logincmd

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/screen"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/signin"
	"github.com/toolscope/toolscope/internal/display"
)

const aboutLogin = `toolscope login signs in to an MCP server (OAuth), for 'toolscope mcp --oauth'.

It opens the page of the server's authorization server in a browser, and keeps the tokens in
a file that only you can read. The options are those of 'toolscope mcp', which finds the
tokens if its --oauth-… options are the same.`

// options are those of the commands for one server.
type options struct {
	flags signin.Flags
}

// server is a command for the server that an argument names.
func (o *options) server(
	use, short, long, example string,
	run func(ctx context.Context, c *signin.Client, target *url.URL, out io.Writer) error,
) *cobra.Command {
	c := &cobra.Command{
		Use: use + " URL [OPTIONS]", Short: short, Long: long, Example: example,
		ValidArgsFunction: cobra.NoFileCompletions,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return cli.Usage("got %d arguments, want the URL of an MCP server", len(args))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			ctx, stop := cli.UntilInterrupted(c)
			defer stop()
			target, err := signin.Target(args[0])
			if err != nil {
				return cli.Usage("%w", err)
			}
			stderr := c.ErrOrStderr()
			path := c.CommandPath()
			made, err := o.flags.Options(target, func(format string, args ...any) {
				cli.Complain(stderr, path, fmt.Errorf(format, args...))
			})
			if err != nil {
				return cli.Usage("%w", err)
			}
			client, err := signin.New(made)
			if err != nil {
				return err
			}
			defer client.Close()
			return run(ctx, client, target, c.OutOrStdout())
		},
	}
	o.flags.Define(c.Flags(), "oauth-")
	return c
}

// Login returns the command toolscope login.
func Login() *cobra.Command {
	c := new(options).server("login", "sign in to an MCP server, for 'toolscope mcp --oauth'", aboutLogin,
		"  toolscope login https://mcp.example.com/mcp",
		func(ctx context.Context, client *signin.Client, target *url.URL, out io.Writer) error {
			had, err := client.SignIn(ctx, http.DefaultTransport)
			if err != nil {
				return err
			}
			if had == nil {
				_, err := fmt.Fprintf(out, "%s wants no sign-in\n", target.Host)
				return err
			}
			_, err = fmt.Fprintf(out, "signed in to %s at %s\n", display.Plain(had.Target), display.Plain(had.Issuer))
			return err
		})
	c.Annotations = cli.Notes(", 1 if the sign-in failed")
	return c
}

// Logout returns the command toolscope logout.
func Logout() *cobra.Command {
	c := new(options).server("logout", "revoke and forget the tokens of an MCP server",
		"toolscope logout revokes the tokens of an MCP server, and forgets them.",
		"  toolscope logout https://mcp.example.com/mcp",
		func(ctx context.Context, client *signin.Client, target *url.URL, out io.Writer) error {
			had, err := client.SignOut(ctx)
			if err != nil {
				return err
			}
			if !had {
				return fmt.Errorf("not signed in to %s with these options: 'toolscope whoami' lists all", target)
			}
			_, err = fmt.Fprintf(out, "signed out of %s\n", target)
			return err
		})
	c.Annotations = cli.Notes(", 1 if there were no tokens, or they could not be revoked")
	return c
}

// Whoami returns the command toolscope whoami.
func Whoami() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "whoami [OPTIONS]", Short: "list the MCP servers that toolscope is signed in to",
		Long: "toolscope whoami lists the MCP servers that toolscope is signed in to, without the tokens.\n\n" +
			"The subject is what the token says of itself, if it is a JWT; it is not verified.",
		Annotations: cli.Notes(
			", 1 if it is signed in to none, or a file cannot be read",
		), Args: cli.OptionsOnly, ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(c *cobra.Command, _ []string) error {
			return whoami(c.OutOrStdout(), asJSON, func(format string, args ...any) {
				cli.Complain(c.ErrOrStderr(), c.CommandPath(), fmt.Errorf(format, args...))
			})
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print a line of JSON for each")
	return c
}

// An account is what is shown of a sign-in.
type account struct {
	Server   string    `json:"server"`
	Issuer   string    `json:"issuer"`
	Resource string    `json:"resource,omitempty"`
	Subject  string    `json:"subject,omitempty"`
	Scopes   []string  `json:"scopes"`
	Expires  time.Time `json:"expires,omitzero"`
	Renews   bool      `json:"renews"` // without a person
	Client   string    `json:"client_id"`
}

func whoami(out io.Writer, asJSON bool, say func(format string, args ...any)) error {
	list, problems := signin.List("", say)
	slices.SortFunc(list, func(a, b *signin.Credentials) int { return cmp.Compare(a.Target, b.Target) })
	t := &screen.Table{Report: true, Columns: []screen.Column{
		{
			Title: "SERVER",
		}, {Title: "SUBJECT", Rank: 1}, {Title: "AUTHORIZATION SERVER"}, {Title: "SCOPES", Rank: 2}, {Title: "TOKEN"},
	}}
	for _, had := range list {
		a := account{
			Server: had.Target, Issuer: had.Issuer, Resource: had.Resource, Subject: subject(had.AccessToken), Scopes: had.Scopes,
			Expires: had.Expires, Renews: had.RefreshToken != "", Client: had.ClientID,
		}
		if asJSON {
			if err := cli.PrintJSON(out, a); err != nil {
				return err
			}
			continue
		}
		t.Add(
			screen.Cell{Text: display.Plain(a.Server), Colour: screen.Bold},
			screen.Cell{Text: display.Clip(display.Plain(a.Subject), 40)},
			screen.Cell{
				Text: display.Plain(a.Issuer),
			},
			screen.Cell{Text: display.Clip(display.Plain(strings.Join(a.Scopes, " ")), 60)},
			screen.Cell{Text: state(had.AccessToken != "", &a)},
		)
	}
	if len(list) == 0 {
		return errors.Join(problems, errors.New("signed in to no server: see 'toolscope login --help'"))
	}
	if asJSON {
		return problems
	}
	var b strings.Builder
	t.Print(&b, screen.PaintFor(out))
	_, err := io.WriteString(out, b.String())
	return errors.Join(problems, err)
}

// state is how long a token lasts, in words.
func state(there bool, a *account) string {
	left := time.Until(a.Expires).Round(time.Second)
	switch {
	case !there:
		return "none: sign in again"
	case a.Expires.IsZero():
		return "valid until the server ends it"
	case left > 0 && a.Renews:
		return "renewed in " + left.String()
	case left > 0:
		return "valid for " + left.String()
	case a.Renews:
		return "renewed when it is needed"
	}
	return "over: sign in again"
}

// subject is whom a token is of, as far as it says so.
func subject(token string) string {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return ""
	}
	text, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[1], "="))
	if err != nil {
		return ""
	}
	var claims struct {
		Email    string `json:"email"`
		Username string `json:"preferred_username"`
		Subject  string `json:"sub"`
	}
	if json.Unmarshal(text, &claims) != nil {
		return ""
	}
	return cmp.Or(claims.Email, claims.Username, claims.Subject)
}
