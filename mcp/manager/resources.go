// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Resources lists the resources of all servers with the servers' names, in order of configuration, as
// the last connection with each had them. They must not be changed.
func (m *Manager) Resources() iter.Seq2[string, *mcp.Resource] {
	return listed(m, func(l *lists) []*mcp.Resource { return l.resources })
}

// Templates lists the templates of resources as [Manager.Resources] does resources.
func (m *Manager) Templates() iter.Seq2[string, *mcp.ResourceTemplate] {
	return listed(m, func(l *lists) []*mcp.ResourceTemplate { return l.templates })
}

// Prompts lists the prompts as [Manager.Resources] does resources.
func (m *Manager) Prompts() iter.Seq2[string, *mcp.Prompt] {
	return listed(m, func(l *lists) []*mcp.Prompt { return l.prompts })
}

func listed[T any](m *Manager, list func(*lists) []T) iter.Seq2[string, T] {
	return func(yield func(string, T) bool) {
		for _, s := range m.all() {
			l := s.listed()
			for _, item := range list(&l) {
				if !yield(s.conf.Name, item) {
					return
				}
			}
		}
	}
}

// ReadResource reads a resource of a server. With an empty server it is the first one,
// connected ones before others, that lists the URI. An error is a [*ServerError].
func (m *Manager) ReadResource(ctx context.Context, server, uri string) (*mcp.ReadResourceResult, error) {
	s, err := m.having(server, fmt.Sprintf("resource %.80q", uri), func(l *lists) bool {
		return slices.ContainsFunc(l.resources, func(r *mcp.Resource) bool { return r.URI == uri })
	})
	if err != nil {
		return nil, err
	}
	return request(ctx, s, "resources/read", func(ctx context.Context, cs *mcp.ClientSession) (*mcp.ReadResourceResult, error) {
		return cs.ReadResource(context.WithValue(ctx, oursKey{}, true), &mcp.ReadResourceParams{URI: uri})
	})
}

// GetPrompt gets a prompt of a server. With an empty server it is the first one, connected
// ones before others, that lists the name. An error is a [*ServerError].
func (m *Manager) GetPrompt(ctx context.Context, server, name string, args map[string]string) (*mcp.GetPromptResult, error) {
	s, err := m.having(server, fmt.Sprintf("prompt %.80q", name), func(l *lists) bool {
		return slices.ContainsFunc(l.prompts, func(p *mcp.Prompt) bool { return p.Name == name })
	})
	if err != nil {
		return nil, err
	}
	return request(ctx, s, "prompts/get", func(ctx context.Context, cs *mcp.ClientSession) (*mcp.GetPromptResult, error) {
		return cs.GetPrompt(ctx, &mcp.GetPromptParams{Name: name, Arguments: args})
	})
}

func (s *server) listed() lists {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lists
}

// having is the server of that name; without one, the first that has what is asked for.
func (m *Manager) having(name, what string, has func(*lists) bool) (found *server, err error) {
	if name != "" {
		if found = m.server(name); found == nil {
			return nil, unknownServer(name)
		}
		return found, nil
	}
	for _, s := range m.all() {
		l := s.listed()
		if !has(&l) {
			continue
		}
		if s.current() != nil {
			return s, nil
		}
		found = cmp.Or(found, s)
	}
	if found == nil {
		return nil, fmt.Errorf("manager: got the %s, want one that a server lists, or the server's name", what)
	}
	return found, nil
}

// request asks a server once, within the request timeout.
func request[R any](ctx context.Context, s *server, method string,
	ask func(context.Context, *mcp.ClientSession) (R, error)) (none R, err error) {
	if !s.m.enter() {
		return none, ErrClosed
	}
	defer s.m.calls.Done()
	c := s.current()
	if c == nil {
		if err := s.problem(); err != nil {
			return none, err
		}
		return none, &ServerError{Server: s.conf.Name, Err: errUnreachable}
	}
	bound, cancel := c.bind(ctx, s.limit())
	defer cancel()
	res, err := ask(bound, c.session)
	if err == nil {
		return res, nil
	}
	sickness := judge(bound, err)
	err = s.failure(bound, "", true, fmt.Errorf("%s: %w", method, err))
	if sickness == sick {
		s.noteOf(c, err)
		if answered(err) == nil {
			s.ask(lookIll)
		}
	}
	return none, err
}

type oursKey struct{}

// forgetResources has the SDK not keep what was read: since revision 2026-07-28 it keeps
// the last contents of each URI, whatever the server says, as long as the session lasts. It
// takes the URI from the parameters when the answer is there; under none it keeps one.
func forgetResources(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		if p, ok := req.GetParams().(*mcp.ReadResourceParams); ok && p != nil && ctx.Value(oursKey{}) != nil {
			p.URI = ""
		}
		return res, err
	}
}
