// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpcmd

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"

	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/signin"
)

// signinClient returns the client that signs in to a server; nil without --oauth.
func (o *options) signinClient(target *url.URL, say func(format string, args ...any)) (*signin.Client, error) {
	if !o.oauth {
		return nil, nil
	}
	options, err := o.signin.Options(target, say)
	if err != nil {
		return nil, cli.Usage("--oauth: %w", err)
	}
	client, err := signin.New(options)
	if err != nil {
		return nil, fmt.Errorf("--oauth: %w", err)
	}
	return client, nil
}

// beginSignIn signs in before the first client asks, if there is no token yet.
func beginSignIn(ctx context.Context, client *signin.Client, say func(format string, args ...any)) {
	if _, err := client.SignIn(ctx, http.DefaultTransport); err != nil && ctx.Err() == nil {
		say("%v", err)
	}
}

// sayTo returns a function that writes lines to standard error.
func sayTo(stderr io.Writer) func(format string, args ...any) {
	var mu sync.Mutex
	return func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		cli.Complain(stderr, "toolscope mcp", fmt.Errorf(format, args...))
	}
}
