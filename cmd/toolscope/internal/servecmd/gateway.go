// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package servecmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/builtin"
	"github.com/toolscope/toolscope/cmd/toolscope/internal/configfile"
	"github.com/toolscope/toolscope/config"
	"github.com/toolscope/toolscope/internal/display"
	"github.com/toolscope/toolscope/mcp/manager"
	"github.com/toolscope/toolscope/mcp/toolmcp"
	"github.com/toolscope/toolscope/stats"
	"github.com/toolscope/toolscope/toolkit"
)

// A gateway serves the tools of several MCP servers as those of one.
type gateway struct {
	servers *builtin.Servers
	stderr  io.Writer
	tenant  string                                           // of all sessions, "" for none
	govern  map[string]func(toolkit.Handler) toolkit.Handler // by server: its own policies
	closers []func() error

	handle toolkit.Handler

	mu     sync.Mutex
	server *mcp.Server                   // nil until it is there
	served map[string]toolkit.Definition // its tools
	files  []policyFile
	warned map[string]bool // of mentions, those that a warning was written of
}

// slowStart is how long a gateway waits for its servers before it answers clients, which give up after some seconds.
// Servers that take longer join later.
const slowStart = 5 * time.Second

// A policyFile has policies, of a server or with "" of all.
type policyFile struct {
	server, path string
	file         *config.File
	scope        *toolscope.Scope
	mentions     []mention
}

// open connects the servers of a configuration file.
func (g *gateway) open(ctx context.Context, o *options, scope *toolscope.Scope, stderr io.Writer) (err error) {
	g.stderr, g.served, g.govern = stderr, map[string]toolkit.Definition{}, map[string]func(toolkit.Handler) toolkit.Handler{}
	g.warned, g.tenant = map[string]bool{}, o.tenant
	defer func() {
		if err != nil {
			err = errors.Join(err, g.close())
		}
	}()
	g.servers, err = builtin.OpenServers(ctx, o.servers, scope, stderr, slowStart, func(m *manager.Options) {
		m.SharedNames = o.sharedNames
		m.OnLists = func(string) { g.refresh() }
	})
	if err != nil {
		return err
	}
	if o.config != "" {
		g.addFile(policyFile{path: o.config})
	}
	for _, name := range slices.Sorted(maps.Keys(g.servers.Policies)) {
		if err := g.addPolicies(name, g.servers.Policies[name]); err != nil {
			return fmt.Errorf("--mcp-config: mcpServers.%s.policies: %w", name, err)
		}
	}
	return nil
}

// addPolicies has the policies of a file govern the calls of a server's tools, within those of all servers.
func (g *gateway) addPolicies(server, path string) error {
	if err := configfile.CheckTenant(path, g.tenant); err != nil {
		return err
	}
	file, err := configfile.Open(path)
	if err != nil {
		return err
	}
	g.closers = append(g.closers, file.Close)
	scope, err := toolscope.New(file.Options(toolscope.Options{}))
	if err != nil {
		return err
	}
	g.closers = append(g.closers, func() error { return scope.Shutdown(context.Background()) })
	g.addFile(policyFile{server: server, path: path, file: file, scope: scope})
	g.govern[server] = func(h toolkit.Handler) toolkit.Handler { return scope.Wrap(h, g.servers.Manager) }
	return nil
}

// addFile adds a file whose mentions of tools are checked.
func (g *gateway) addFile(f policyFile) {
	f.mentions = mentionsIn(f.path)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.files = append(g.files, f)
}

// reload reads the policies of the servers again, and checks the names in all files. It writes the outcome.
func (g *gateway) reload(say func(path string, notes []string, err error)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i := range g.files {
		f := &g.files[i]
		if f.file != nil {
			notes, err := reload(f.path, g.tenant, f.file, f.scope)
			say(f.path, notes, err)
		}
		f.mentions = mentionsIn(f.path)
	}
	clear(g.warned)
	if g.server != nil {
		g.warnOfNames(g.servers.Definitions())
	}
}

// handler returns what calls a tool, under the policies of each server that has it.
func (g *gateway) handler() toolkit.Handler {
	governed := map[string]toolkit.Handler{}
	for name, govern := range g.govern {
		governed[name] = govern(func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
			next, _ := ctx.Value(nextKey{name}).(toolkit.Handler)
			return next(ctx, call)
		})
	}
	return func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
		h := toolkit.Handler(g.servers.Handle)
		for _, name := range g.servers.Servers(call.Name) {
			if own := governed[name]; own != nil {
				inner := h
				h = func(ctx context.Context, call toolkit.Call) (toolkit.Result, error) {
					return own(context.WithValue(ctx, nextKey{name}, inner), call)
				}
			}
		}
		return h(ctx, call)
	}
}

// nextKey finds what a server's policies call.
type nextKey struct{ server string }

// noTools is a registry without tools.
type noTools struct{ toolscope.Registry }

func (noTools) Definitions() []toolkit.Definition { return nil }

// serve makes the MCP server.
func (g *gateway) serve() (*mcp.Server, error) {
	g.handle = g.handler()
	server, err := toolmcp.NewServer(nil, noTools{}, g.handle) // refresh adds each tool that can be served
	if err != nil {
		return nil, err
	}
	g.mu.Lock()
	g.server = server
	g.mu.Unlock()
	g.refresh()
	return server, nil
}

// refresh serves the tools that there are now, except those that the protocol cannot describe.
func (g *gateway) refresh() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.server == nil {
		return
	}
	now := map[string]toolkit.Definition{}
	var gone []string
	definitions := g.servers.Definitions()
	g.warnOfNames(definitions)
	for _, d := range definitions {
		now[d.Name] = d
		if was, there := g.served[d.Name]; there && reflect.DeepEqual(was, d) {
			continue
		}
		if err := toolmcp.AddTools(g.server, []toolkit.Definition{d}, g.handle); err != nil {
			fmt.Fprintf(g.stderr, "left out: %s\n", display.Plain(err.Error()))
			gone = append(gone, d.Name) // an earlier definition of the tool
		}
	}
	for name := range g.served {
		if _, there := now[name]; !there {
			gone = append(gone, name)
		}
	}
	if len(gone) > 0 {
		g.server.RemoveTools(gone...)
	}
	g.served = now
}

// Components report the state of each server at /healthz.
func (g *gateway) Components() (list []stats.Component) {
	if g.servers == nil {
		return nil
	}
	for _, s := range g.servers.Status() {
		c := stats.Component{Name: "server " + s.Name, Figures: stats.Figures{
			{Name: "calls", Value: float64(s.Calls)}, {Name: "errors", Value: float64(s.Errors)},
			{Name: "in_flight", Value: float64(s.InFlight)}, {Name: "tools", Value: float64(s.Tools)},
			{Name: "connects", Value: float64(s.Connects)},
		}}
		switch {
		case s.State == manager.Connecting && s.LastError == "":
			c.Problems = []string{"not connected yet"}
		case s.State == manager.Failed || s.State == manager.Connecting:
			c.Problems = []string{"not connected: " + s.LastError}
		}
		list = append(list, c)
	}
	return list
}

func (g *gateway) close() error {
	var errs []error
	if g.servers != nil {
		errs = append(errs, g.servers.Close())
	}
	for _, c := range slices.Backward(g.closers) {
		errs = append(errs, c())
	}
	return errors.Join(errs...)
}
