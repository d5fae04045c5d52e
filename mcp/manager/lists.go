// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolscope/toolscope/mcp/toolmcp"
	"github.com/toolscope/toolscope/toolkit"
)

// lists are what a server has. Their slices do not change.
type lists struct {
	tools     []*tool
	resources []*mcp.Resource
	templates []*mcp.ResourceTemplate
	prompts   []*mcp.Prompt
	told      map[string][]string // what is left out of each list, and why
}

// The lists by name, in the order in which their problems are told.
const (
	listTools     = "tools"
	listResources = "resources"
	listTemplates = "resource templates"
	listPrompts   = "prompts"
)

// problems are the lines of all lists.
func (l *lists) problems() (lines []string) {
	for _, what := range []string{listTools, listResources, listTemplates, listPrompts} {
		lines = append(lines, l.told[what]...)
	}
	return lines
}

// The bounds of a list, besides [Options].MaxTools.
const (
	maxPages    = 1000
	maxItem     = 1 << 20  // bytes of one item
	maxList     = 32 << 20 // bytes of a list
	maxProblems = 20
	maxLine     = 400 // bytes of one
)

// read reads the lists that bits tell, of those that the server says it has. An error is of
// the first that could not be read; the others are read all the same.
func (s *server) read(ctx context.Context, cs *mcp.ClientSession, l *lists, bits uint32) (first error) {
	caps := &mcp.ServerCapabilities{}
	if r := cs.InitializeResult(); r != nil && r.Capabilities != nil {
		caps = r.Capabilities
	}
	told := maps.Clone(l.told)
	if told == nil {
		told = map[string][]string{}
	}
	l.told = told
	keep := func(p *pager, err error) bool {
		told[p.what] = p.problems
		if err == nil {
			return true
		}
		text, _ := s.m.options.Redactor.TextMax(err.Error(), maxLine)
		p.tell("%s: could not be read: %s", p.what, text)
		told[p.what] = p.problems
		if first == nil {
			first = fmt.Errorf("%s: %w", p.what, err)
		}
		return false
	}
	if bits&readTools != 0 && caps.Tools != nil {
		p := s.pager(listTools)
		if tools, err := s.readTools(ctx, cs, p); keep(p, err) {
			l.tools = tools
		}
	}
	if bits&readPrompts != 0 && caps.Prompts != nil {
		p := s.pager(listPrompts)
		prompts, err := collect(p, func(cursor string) ([]*mcp.Prompt, string, error) {
			r, err := cs.ListPrompts(ctx, &mcp.ListPromptsParams{Cursor: cursor})
			if err != nil {
				return nil, "", err
			}
			return r.Prompts, r.NextCursor, nil
		}, func(v *mcp.Prompt) (string, bool) { return v.Name, true })
		if keep(p, err) {
			l.prompts = prompts
		}
	}
	if bits&readResources != 0 && caps.Resources != nil {
		p := s.pager(listResources)
		resources, err := collect(p, func(cursor string) ([]*mcp.Resource, string, error) {
			r, err := cs.ListResources(ctx, &mcp.ListResourcesParams{Cursor: cursor})
			if err != nil {
				return nil, "", err
			}
			return r.Resources, r.NextCursor, nil
		}, func(v *mcp.Resource) (string, bool) { return v.URI, true })
		if keep(p, err) {
			l.resources = resources
		}
		q := s.pager(listTemplates)
		templates, err := collect(q, func(cursor string) ([]*mcp.ResourceTemplate, string, error) {
			r, err := cs.ListResourceTemplates(ctx, &mcp.ListResourceTemplatesParams{Cursor: cursor})
			if err != nil {
				return nil, "", err
			}
			return r.ResourceTemplates, r.NextCursor, nil
		}, func(v *mcp.ResourceTemplate) (string, bool) { return v.URITemplate, true })
		if err == nil || answered(err) == nil { // some servers have resources and do not know templates
			if keep(q, err) {
				l.templates = templates
			}
		}
	}
	return first
}

// readTools lists the tools as definitions, without what cannot be one.
func (s *server) readTools(ctx context.Context, cs *mcp.ClientSession, p *pager) (tools []*tool, err error) {
	_, err = collect(p, func(cursor string) ([]*mcp.Tool, string, error) {
		r, err := cs.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return r.Tools, r.NextCursor, nil
	}, func(v *mcp.Tool) (string, bool) {
		def, err := toolmcp.DefinitionOf(v)
		if err != nil {
			p.leaveOut(v.Name, err.Error())
			return "", false
		}
		if def.Category == "" {
			def.Category = s.conf.Category
		}
		admitted, err := s.admit(&def)
		if err != nil {
			p.leaveOut(v.Name, "Options.Admit: "+err.Error())
		}
		if !admitted {
			return "", false
		}
		if p.seen[v.Name] {
			return v.Name, true // told by collect
		}
		tools = append(tools, &tool{server: s, name: v.Name, def: def, schema: canonical(def.InputSchema)})
		return v.Name, true
	})
	if err != nil {
		return nil, err
	}
	return tools, nil
}

// admit asks the host whether a tool is to be listed, and as what.
func (s *server) admit(def *toolkit.Definition) (admitted bool, err error) {
	ask := s.m.options.Admit
	if ask == nil {
		return true, nil
	}
	defer func() {
		if recover() != nil { // a panic's value may hold anything
			admitted, err = false, errors.New("it panicked")
		}
	}()
	name := def.Name
	if !ask(s.conf.Name, def) {
		return false, nil
	}
	def.Name = name
	if err := def.Validate(); err != nil {
		return false, err
	}
	return true, nil
}

// A pager reads one list within bounds.
type pager struct {
	what     string
	max      int
	seen     map[string]bool
	problems []string
}

func (s *server) pager(what string) *pager {
	return &pager{what: what, max: s.m.options.MaxTools, seen: map[string]bool{}}
}

func (p *pager) tell(format string, args ...any) {
	if len(p.problems) < maxProblems {
		p.problems = append(p.problems, clipLine(format, args...))
	}
}

func (p *pager) leaveOut(name, why string) { p.tell("%s: %.80q left out: %s", p.what, name, why) }

func clipLine(format string, args ...any) string {
	line := fmt.Sprintf(format, args...)
	if len(line) > maxLine {
		line = strings.ToValidUTF8(line[:maxLine], "") + "…"
	}
	return line
}

// collect reads a list page by page. name is an item's, by which it may be there once, and
// false if it is left out.
func collect[T any](p *pager, page func(cursor string) ([]*T, string, error), name func(*T) (string, bool)) (items []*T, err error) {
	size, cursor := 0, ""
	cursors := map[string]bool{}
	for n := 0; ; n++ {
		if n == maxPages {
			p.tell("%s: got more than %d pages, want at most as many: the rest is left out", p.what, maxPages)
			return items, nil
		}
		list, next, err := page(cursor)
		if err != nil {
			return nil, err
		}
		for _, item := range list {
			if item == nil {
				continue
			}
			if len(p.seen) >= p.max {
				p.tell("%s: got more than %d, want at most as many (Options.MaxTools): the rest is left out", p.what, p.max)
				return items, nil
			}
			bytes, err := json.Marshal(item)
			if err != nil || len(bytes) > maxItem {
				p.tell("%s: got an item of %d bytes, want at most %d: it is left out", p.what, len(bytes), maxItem)
				continue
			}
			if size += len(bytes); size > maxList {
				p.tell("%s: got more than %d bytes, want at most as many: the rest is left out", p.what, maxList)
				return items, nil
			}
			key, ok := name(item)
			if !ok {
				continue
			}
			if p.seen[key] {
				p.tell("%s: got %.80q twice, want it once: the second is left out", p.what, key)
				continue
			}
			p.seen[key] = true
			items = append(items, item)
		}
		if next == "" {
			return items, nil
		}
		if cursors[next] {
			p.tell("%s: got the cursor of a page twice, want an end: the rest is left out", p.what)
			return items, nil
		}
		cursors[next] = true
		cursor = next
	}
}
