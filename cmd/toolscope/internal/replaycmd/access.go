// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package replaycmd

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/spf13/pflag"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/signin"
	"github.com/toolscope/toolscope/mcp/manager"
)

// access is what requests to a server over HTTP carry to be authorized.
type access struct {
	headers   []string
	tokenFile string
	tokenEnv  string
	oauth     bool
	signin    signin.Flags
}

func (a *access) define(f *pflag.FlagSet) {
	f.StringArrayVar(&a.headers, "header", nil, "send the header `NAME:VALUE` to --target; may be given several times")
	f.StringVar(&a.tokenFile, "token-file", "", "send the bearer token in `FILE` to --target")
	f.StringVar(&a.tokenEnv, "token-env", "", "send the bearer token in the environment variable `NAME` to --target")
	f.BoolVar(&a.oauth, "oauth", false, "sign in to --target (OAuth): see docs/oauth.md and 'toolscope login'")
	a.signin.Define(f, "oauth-")
}

// given reports whether there is any.
func (a *access) given() bool {
	return len(a.headers) > 0 || a.tokenFile != "" || a.tokenEnv != "" || a.oauth
}

// check checks the command line.
func (a *access) check() error {
	ways := 0
	for _, given := range []bool{a.tokenFile != "", a.tokenEnv != "", a.oauth} {
		if given {
			ways++
		}
	}
	if ways > 1 {
		return cli.Usage("got several of --token-file, --token-env and --oauth, want one of them")
	}
	for _, h := range a.headers {
		name, _, found := strings.Cut(h, ":")
		if !found || strings.TrimSpace(name) == "" {
			return cli.Usage("--header: got %.40q, want NAME:VALUE", name)
		}
		if ways > 0 && strings.EqualFold(strings.TrimSpace(name), "Authorization") {
			return cli.Usage("--header: got Authorization with --token-file, --token-env or --oauth, want one of them")
		}
	}
	return nil
}

// token is the bearer token, "" for none.
func (a *access) token() (string, error) {
	from, text := "--token-env: "+a.tokenEnv, os.Getenv(a.tokenEnv)
	switch {
	case a.tokenFile != "":
		from = "--token-file: " + a.tokenFile
		read, err := os.ReadFile(a.tokenFile)
		if err != nil {
			return "", fmt.Errorf("--token-file: %w", err)
		}
		text = string(read)
	case a.tokenEnv == "":
		return "", nil
	}
	if text = strings.TrimSpace(text); text == "" {
		return "", fmt.Errorf("%s: got nothing, want a token", from)
	}
	return text, nil
}

// set has the server's requests carry it. The function returned ends a sign-in.
func (a *access) set(server *manager.Server, stderr io.Writer) (end func(), err error) {
	end = func() {}
	if len(a.headers) > 0 {
		server.Headers = map[string]string{}
	}
	for _, h := range a.headers {
		name, value, _ := strings.Cut(h, ":")
		server.Headers[strings.TrimSpace(name)] = strings.TrimSpace(value)
	}
	token, err := a.token()
	if err != nil {
		return end, err
	}
	if token != "" {
		if server.Headers == nil {
			server.Headers = map[string]string{}
		}
		server.Headers["Authorization"] = "Bearer " + token
	}
	if !a.oauth {
		return end, nil
	}
	target, err := signin.Target(server.URL)
	if err != nil {
		return end, cli.Usage("--target: %w", err)
	}
	options, err := a.signin.Options(target, func(format string, args ...any) {
		cli.Complain(stderr, "toolscope replay", fmt.Errorf(format, args...))
	})
	if err != nil {
		return end, cli.Usage("--oauth: %w", err)
	}
	client, err := signin.New(options)
	if err != nil {
		return end, fmt.Errorf("--oauth: %w", err)
	}
	server.HTTPClient = &http.Client{Transport: client.Transport(http.DefaultTransport)}
	return client.Close, nil
}
