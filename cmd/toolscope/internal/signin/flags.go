// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package signin

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/pflag"
)

// Flags are the options of commands that sign in.
type Flags struct {
	resource, clientID, secretFile, scope string
	noResource, noBrowser                 bool
	port                                  int
}

// Define defines the options, each named with a prefix.
func (o *Flags) Define(f *pflag.FlagSet, prefix string) {
	f.StringVar(
		&o.clientID,
		prefix+"client-id",
		"",
		"the `ID` that the authorization server knows toolscope by, or the "+
			"https address of a client metadata document; the default registers a client",
	)
	f.StringVar(&o.secretFile, prefix+"client-secret-file", "", "the secret of that id is in `FILE`")
	f.StringVar(
		&o.scope,
		prefix+"scope",
		"",
		"ask for these `SCOPES`, separated by spaces; the default are those that the server names",
	)
	f.StringVar(
		&o.resource,
		prefix+"resource",
		"",
		"ask for a token for this `URI`; the default is what the server's metadata names",
	)
	f.BoolVar(
		&o.noResource,
		prefix+"no-resource",
		false,
		"name no resource, for an authorization server that refuses the parameter",
	)
	f.IntVar(
		&o.port,
		prefix+"port",
		0,
		"after the sign-in the browser is sent to this `PORT` of 127.0.0.1; the default is any free one",
	)
	f.BoolVar(&o.noBrowser, prefix+"no-browser", false, "show the address of the page only, and open no browser")
}

// Options are the options of a client of target. say shows a line to the operator.
func (o *Flags) Options(target *url.URL, say func(format string, args ...any)) (Options, error) {
	options := Options{
		Target: target, Resource: o.resource, NoResource: o.noResource, ClientID: o.clientID,
		Scopes: strings.Fields(o.scope), Port: o.port, Say: say, Open: Browser,
	}
	if o.noBrowser {
		options.Open = func(string) error { return nil }
	}
	switch {
	case o.resource != "" && o.noResource:
		return options, errors.New("got a resource and the wish for none, want one of them")
	case o.port < 0 || o.port > 65535:
		return options, fmt.Errorf("got port %d, want one from 0 to 65535", o.port)
	case o.secretFile != "" && (o.clientID == "" || strings.HasPrefix(o.clientID, "https://")):
		return options, errors.New("got a client secret without the id that it belongs to, want both")
	}
	if u, err := url.Parse(o.resource); o.resource != "" && (err != nil || !u.IsAbs() || u.Fragment != "") {
		return options, fmt.Errorf("got resource %.80q, want an absolute URI without a fragment", o.resource)
	}
	if o.secretFile != "" {
		text, err := os.ReadFile(o.secretFile)
		if err != nil {
			return options, err
		}
		options.ClientSecret = strings.TrimSpace(string(text))
	}
	return options, nil
}

// Target reads the URL of an MCP server.
func Target(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" ||
		u.Fragment != "" {
		return nil, errors.New("want a URL such as https://mcp.example.com/mcp, without user, ? and #")
	}
	return u, nil
}
