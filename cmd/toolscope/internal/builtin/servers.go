// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package builtin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/cli"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/signin"
	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/internal/secretfile"
	"github.com/toolscope/toolscope/mcp/manager"
)

// DefineServers defines the option --mcp-config.
func DefineServers(c *cobra.Command, path *string) {
	c.Flags().StringVar(path, "mcp-config", "", "the tools of the MCP servers in `FILE`, {\"mcpServers\": {…}}, "+
		"instead of the built-in ones; "+
		"a tool is called SERVER__TOOL; \"oauth\": true signs in to a server with a URL")
}

// Servers are the MCP servers of a configuration file.
type Servers struct {
	*manager.Manager
	// Policies are the files with the policies of a server, by its name.
	Policies map[string]string
	clients  []*signin.Client
	late     sync.WaitGroup // the goroutine that reports servers which are not connected in time
	closing  atomic.Bool
}

// Close ends the servers and the sign-ins.
func (s *Servers) Close() error {
	s.closing.Store(true)
	for _, c := range s.clients {
		c.Close()
	}
	if s.Manager == nil {
		return nil
	}
	err := s.Manager.Close()
	s.late.Wait()
	return err
}

// settings are a server's fields that are toolscope's.
type settings struct {
	OAuth    json.RawMessage `json:"oauth"`
	Policies string          `json:"policies"`
}

// OpenServers connects the MCP servers of a configuration file. It prints which are not
// connected, and unknown fields; with none connected it fails. Without a scope the
// connections are not watched. It waits for slow servers for that long; 0 is their start timeouts. Servers
// that are connected later join then. change changes the manager's options.
func OpenServers(
	ctx context.Context, path string, scope *toolscope.Scope, stderr io.Writer, wait time.Duration,
	change ...func(*manager.Options),
) (_ *Servers, err error) {
	config, err := manager.ReadConfig(path)
	if err != nil {
		return nil, fmt.Errorf("--mcp-config: %w", err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("--mcp-config: %w", err)
	}
	s := &Servers{Policies: map[string]string{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	if err := s.settings(config, text, path, stderr); err != nil {
		return nil, fmt.Errorf("--mcp-config: %w", err)
	}
	for _, field := range config.Unknown {
		fmt.Fprintf(stderr, "unknown and without effect: %s\n", display.Plain(field))
	}
	options := manager.Options{Servers: config.Servers, Scope: scope}
	for _, f := range change {
		f(&options)
	}
	m, err := manager.New(options)
	if err != nil {
		return nil, fmt.Errorf("--mcp-config: %w", err)
	}
	s.Manager = m
	return s, s.start(ctx, wait, stderr)
}

// start starts the servers.
func (s *Servers) start(ctx context.Context, wait time.Duration, stderr io.Writer) error {
	started := make(chan error, 1)
	go func() { started <- s.Manager.Start(ctx) }() // which Close ends
	var over <-chan time.Time
	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case missing := <-started:
		return s.report(missing, stderr)
	case <-over:
	}
	for _, server := range s.Status() {
		if server.State == manager.Connecting {
			fmt.Fprintf(stderr, "server %s: not connected yet: its tools are served once it is\n", display.Plain(server.Name))
		}
	}
	s.late.Go(func() {
		missing := <-started
		if s.closing.Load() || ctx.Err() != nil {
			return
		}
		if err := s.report(missing, stderr); err != nil {
			cli.Complain(stderr, "no server is connected", err)
		}
	})
	return nil
}

// report prints what servers left out, and which are not connected. The error says that none is.
func (s *Servers) report(missing error, stderr io.Writer) error {
	connected := false
	for _, s := range s.Status() {
		connected = connected || s.State == manager.Connected
		for _, problem := range s.Problems {
			fmt.Fprintf(stderr, "server %s: %s\n", display.Plain(s.Name), display.Plain(problem))
		}
	}
	if !connected {
		if missing == nil {
			missing = errors.New("got no server that is enabled, want one")
		}
		return fmt.Errorf("--mcp-config: %w", missing)
	}
	if missing != nil {
		fmt.Fprintf(stderr, "left out: %s\n", display.Plain(missing.Error()))
	}
	return nil
}

// settings reads the fields of servers that are toolscope's, which are known then.
func (s *Servers) settings(config *manager.Config, text []byte, path string, stderr io.Writer) error {
	var file struct {
		Servers map[string]settings `json:"mcpServers"`
	}
	if err := json.Unmarshal([]byte(strings.TrimPrefix(string(text), "\xef\xbb\xbf")), &file); err != nil {
		return errors.New(
			`got a field "oauth" or "policies" of another kind, want {"oauth": true or {…}, "policies": "FILE"}`,
		)
	}
	for i := range config.Servers {
		server := &config.Servers[i]
		own := file.Servers[server.Name]
		config.Unknown = slices.DeleteFunc(config.Unknown, func(field string) bool {
			return field == "mcpServers."+server.Name+".oauth" || field == "mcpServers."+server.Name+".policies"
		})
		if own.Policies != "" {
			if !filepath.IsAbs(own.Policies) {
				own.Policies = filepath.Join(filepath.Dir(path), own.Policies)
			}
			s.Policies[server.Name] = own.Policies
		}
		if len(own.OAuth) == 0 || string(own.OAuth) == "false" || server.Disabled {
			continue
		}
		if err := s.signIn(server, own.OAuth, stderr); err != nil {
			return fmt.Errorf("mcpServers.%s.oauth: %w", server.Name, err)
		}
	}
	return nil
}

// signIn has a server be signed in to.
func (s *Servers) signIn(server *manager.Server, text json.RawMessage, stderr io.Writer) error {
	var o struct {
		ClientID         string `json:"clientId"`
		ClientSecretFile string `json:"clientSecretFile"`
		Scope            string `json:"scope"`
		Resource         string `json:"resource"`
		NoResource       bool   `json:"noResource"`
		Port             int    `json:"port"`
	}
	switch {
	case server.URL == "" || server.SSE:
		return errors.New("got a server without streamable HTTP, want one with a url")
	case string(text) != "true":
		decoder := json.NewDecoder(strings.NewReader(string(text)))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&o); err != nil {
			return errors.New(
				"got something else than true, false or an object of clientId, clientSecretFile, scope, resource, " +
					"noResource and port",
			)
		}
	}
	target, err := url.Parse(server.URL)
	if err != nil {
		return errors.New("got a url that cannot be read")
	}
	options := signin.Options{
		Target: target, Resource: o.Resource, NoResource: o.NoResource, ClientID: o.ClientID, Scopes: strings.Fields(o.Scope),
		Port: o.Port, Open: signin.Browser, Say: func(format string, args ...any) {
			cli.Complain(stderr, "server "+display.Plain(server.Name), fmt.Errorf(format, args...))
		},
	}
	if o.ClientSecretFile != "" {
		secret, err := os.ReadFile(o.ClientSecretFile)
		if err != nil {
			return err
		}
		secretfile.Warn(o.ClientSecretFile)
		options.ClientSecret = strings.TrimSpace(string(secret))
	}
	client, err := signin.New(options)
	if err != nil {
		return err
	}
	s.clients = append(s.clients, client)
	server.HTTPClient = &http.Client{Transport: client.Transport(http.DefaultTransport)}
	return nil
}
