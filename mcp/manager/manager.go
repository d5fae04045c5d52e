// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope"
	"github.com/toolscope/toolscope/toolkit"
)

// ErrClosed is in the error of what is asked of a manager that was closed.
var ErrClosed = errors.New("manager: it is closed")

// A Manager keeps connections to servers and is a registry of their tools. Make one with
// [New]. Safe for concurrent use.
type Manager struct {
	options Options
	table   atomic.Pointer[table]
	events  *events

	mu      sync.Mutex
	servers []*server // in order of configuration
	life    context.Context
	started bool
	closed  bool
	stop    context.CancelCauseFunc
	unlink  func() bool   // from the context that Start was given
	changed chan struct{} // closed when some server's state or table changes
	calls   sync.WaitGroup
	ended   chan struct{} // closed when everything has ended
}

var _ toolscope.Registry = (*Manager)(nil)

// New makes a manager; [Manager.Start] starts its servers. An error names the field that is
// wrong, what it got and what it wants.
func New(o Options) (*Manager, error) {
	o, err := o.resolve()
	if err != nil {
		return nil, err
	}
	m := &Manager{options: o, changed: make(chan struct{}), ended: make(chan struct{})}
	m.life, m.stop = context.WithCancelCause(context.Background())
	m.events = newEvents()
	m.table.Store(new(table))
	for _, s := range o.Servers {
		if err := m.addServer(s); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (m *Manager) addServer(conf Server) error {
	if err := conf.check(); err != nil {
		return err
	}
	if m.find(conf.Name) != nil {
		return fmt.Errorf("manager: server %.80q: Name: got that of another server, want one of its own", conf.Name)
	}
	m.servers = append(m.servers, newServer(m, conf))
	return nil
}

// find is the server of that name, nil if there is none. The caller holds the lock, or has
// just made the manager.
func (m *Manager) find(name string) *server {
	i := slices.IndexFunc(m.servers, func(s *server) bool { return s.conf.Name == name })
	if i < 0 {
		return nil
	}
	return m.servers[i]
}

func (m *Manager) server(name string) *server {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.find(name)
}

func (m *Manager) all() []*server {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.servers)
}

// Start starts all servers at once and returns when each is connected, has failed, or has
// used up its start timeout. The error joins a [*ServerError] for each that is not
// connected: the manager works with the others, and goes on trying. The manager runs
// until ctx ends, which stops everything as [Manager.Close] does. A second Start, and one
// after Close, only returns an error.
func (m *Manager) Start(ctx context.Context) error {
	m.mu.Lock()
	switch {
	case m.closed:
		m.mu.Unlock()
		return ErrClosed
	case m.started:
		m.mu.Unlock()
		return errors.New("manager: Start: got a second call, want one")
	}
	m.started = true
	m.events.start()
	servers := slices.Clone(m.servers)
	for _, s := range servers {
		s.start(m.life)
	}
	m.unlink = context.AfterFunc(ctx, func() { _ = m.Close() })
	m.mu.Unlock()
	var errs []error
	for _, s := range servers {
		select {
		case <-s.first:
		case <-m.life.Done():
		}
		if err := s.problem(); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Add adds a server. If the manager was started, it waits until the server is connected or
// has failed, and returns a [*ServerError] then; the server stays, and is tried again.
func (m *Manager) Add(conf Server) error {
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return ErrClosed
	}
	if err := m.addServer(conf); err != nil {
		m.mu.Unlock()
		return err
	}
	s := m.servers[len(m.servers)-1]
	started := m.started
	if started {
		s.start(m.life)
	}
	m.mu.Unlock()
	if !started {
		return nil
	}
	select {
	case <-s.first:
	case <-m.life.Done():
	}
	return s.problem()
}

// Remove stops a server, as [Manager.Close] does, and forgets it; its running calls fail.
func (m *Manager) Remove(name string) error {
	m.mu.Lock()
	s := m.find(name)
	if s == nil {
		m.mu.Unlock()
		return unknownServer(name)
	}
	m.servers = slices.DeleteFunc(m.servers, func(other *server) bool { return other == s })
	m.mu.Unlock()
	s.stop()
	m.rebuild()
	return nil
}

// Shutdown refuses calls from now on, waits for those that run until ctx ends, and closes
// the manager. The error is the context's, if it ended first.
func (m *Manager) Shutdown(ctx context.Context) error {
	m.mu.Lock()
	m.closed = true
	m.mu.Unlock()
	quiet := make(chan struct{})
	go func() { // ends with the calls, which Close ends
		m.calls.Wait()
		close(quiet)
	}()
	var err error
	select {
	case <-quiet:
	case <-ctx.Done():
		err = ctx.Err()
	}
	return errors.Join(err, m.Close())
}

// Close ends the calls that run and stops all servers: a child's input is closed, and it
// is asked and at last made to end. It returns when all have ended, after about twice
// [Options].StopGrace at the latest. It may be called more than once; each call waits.
func (m *Manager) Close() error {
	m.mu.Lock()
	m.closed = true
	first := m.life.Err() == nil
	m.stop(ErrClosed)
	if m.unlink != nil {
		m.unlink()
	}
	servers := slices.Clone(m.servers)
	m.mu.Unlock()
	if !first {
		<-m.ended
		return nil
	}
	var all sync.WaitGroup
	for _, s := range servers {
		all.Go(s.stop)
	}
	all.Wait()
	m.events.close()
	close(m.ended)
	return nil
}

// enter counts a call in; false if there shall be none any more.
func (m *Manager) enter() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return false
	}
	m.calls.Add(1)
	return true
}

// watch is closed at the next change.
func (m *Manager) watch() <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.changed
}

func (m *Manager) wake() {
	m.mu.Lock()
	defer m.mu.Unlock()
	close(m.changed)
	m.changed = make(chan struct{})
}

// rebuild makes the table of tools anew.
func (m *Manager) rebuild() {
	m.mu.Lock()
	servers := slices.Clone(m.servers)
	slices.SortStableFunc(servers, func(a, b *server) int { return cmp.Compare(b.conf.Priority, a.conf.Priority) })
	m.table.Store(newTable(servers, m.options.SharedNames))
	m.mu.Unlock()
	m.wake()
}

// Lookup finds a tool's definition, which must not be changed; nil if there is none of that
// name. The tools of a server that was connected stay while it is not.
func (m *Manager) Lookup(name string) *toolkit.Definition {
	if e := m.table.Load().entries[name]; e != nil {
		return e.def
	}
	return nil
}

// Definitions lists the tools' definitions, by server in order of precedence.
func (m *Manager) Definitions() []toolkit.Definition {
	t := m.table.Load()
	defs := make([]toolkit.Definition, len(t.names))
	for i, name := range t.names {
		d := *t.entries[name].def
		d.InputSchema, d.OutputSchema = slices.Clone(d.InputSchema), slices.Clone(d.OutputSchema)
		d.Resources, d.Volatile = slices.Clone(d.Resources), slices.Clone(d.Volatile)
		defs[i] = d
	}
	return defs
}

// Servers tells which servers have a tool, in order of precedence; nil if there is none of
// that name.
func (m *Manager) Servers(tool string) (names []string) {
	if e := m.table.Load().entries[tool]; e != nil {
		for _, t := range e.tools {
			names = append(names, t.server.conf.Name)
		}
	}
	return names
}

// Session is the session with a server, for what the manager has no method for; nil if
// it is not connected. It ends when the connection does, after which there is another.
func (m *Manager) Session(server string) *mcp.ClientSession {
	if s := m.server(server); s != nil {
		if c := s.current(); c != nil {
			return c.session
		}
	}
	return nil
}
