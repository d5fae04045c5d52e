// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"cmp"
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
	problems  map[string][]string // what is left out of each list, and why
}

// The lists by name, in the order in which their problems are reported.
const (
	listTools     = "tools"
	listResources = "resources"
	listTemplates = "resource templates"
	listPrompts   = "prompts"
)

// allProblems are the lines of all lists.
func (l *lists) allProblems() (lines []string) {
	for _, name := range []string{listTools, listResources, listTemplates, listPrompts} {
		lines = append(lines, l.problems[name]...)
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

// read reads the lists that bits name, of those that the server says it has. An error is of
// the first that could not be read; the others are read all the same.
func (s *server) read(ctx context.Context, cs *mcp.ClientSession, l *lists, bits uint32) error {
	caps := &mcp.ServerCapabilities{}
	if r := cs.InitializeResult(); r != nil && r.Capabilities != nil {
		caps = r.Capabilities
	}
	r := &listReader{server: s, problems: maps.Clone(l.problems)}
	if r.problems == nil {
		r.problems = map[string][]string{}
	}
	l.problems = r.problems
	if bits&readTools != 0 && caps.Tools != nil {
		readList(r, listTools, &l.tools, func(p *pager) ([]*tool, error) { return s.readTools(ctx, cs, p) })
	}
	if bits&readPrompts != 0 && caps.Prompts != nil {
		readList(r, listPrompts, &l.prompts,
			func(p *pager) ([]*mcp.Prompt, error) { return readPages(p, promptPages(ctx, cs), promptName) })
	}
	if bits&readResources != 0 && caps.Resources != nil {
		readList(r, listResources, &l.resources, func(p *pager) ([]*mcp.Resource, error) {
			return readPages(p, resourcePages(ctx, cs), resourceURI)
		})
		readList(r, listTemplates, &l.templates, func(p *pager) ([]*mcp.ResourceTemplate, error) {
			list, err := readPages(p, templatePages(ctx, cs), templateURI)
			if err != nil && answered(err) != nil {
				err = errNoList // some servers have resources and do not know templates
			}
			return list, err
		})
	}
	return r.first
}

// errNoList says that a server does not have a list at all.
var errNoList = errors.New("the server has no such list")

// A listReader reads the lists of a server one after the other.
type listReader struct {
	server   *server
	problems map[string][]string
	first    error
}

// readList reads one list. What could not be read stays as it was.
func readList[T any](r *listReader, name string, into *[]T, read func(*pager) ([]T, error)) {
	p := r.server.pager(name)
	items, err := read(p)
	switch {
	case errors.Is(err, errNoList):
		return
	case err == nil:
		*into = items
	default:
		text, _ := r.server.m.options.Redactor.TextMax(err.Error(), maxLine)
		p.addProblem("%s: could not be read: %s", name, text)
		if r.first == nil {
			r.first = fmt.Errorf("%s: %w", name, err)
		}
	}
	r.problems[name] = p.problems
}

// A page reads the items of a list behind a cursor, and the cursor of the next page.
type page[T any] func(cursor string) (items []*T, next string, err error)

func promptPages(ctx context.Context, cs *mcp.ClientSession) page[mcp.Prompt] {
	return func(cursor string) ([]*mcp.Prompt, string, error) {
		r, err := cs.ListPrompts(ctx, &mcp.ListPromptsParams{Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return r.Prompts, r.NextCursor, nil
	}
}

func resourcePages(ctx context.Context, cs *mcp.ClientSession) page[mcp.Resource] {
	return func(cursor string) ([]*mcp.Resource, string, error) {
		r, err := cs.ListResources(ctx, &mcp.ListResourcesParams{Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return r.Resources, r.NextCursor, nil
	}
}

func templatePages(ctx context.Context, cs *mcp.ClientSession) page[mcp.ResourceTemplate] {
	return func(cursor string) ([]*mcp.ResourceTemplate, string, error) {
		r, err := cs.ListResourceTemplates(ctx, &mcp.ListResourceTemplatesParams{Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return r.ResourceTemplates, r.NextCursor, nil
	}
}

func promptName(v *mcp.Prompt) (string, bool)            { return v.Name, true }
func resourceURI(v *mcp.Resource) (string, bool)         { return v.URI, true }
func templateURI(v *mcp.ResourceTemplate) (string, bool) { return v.URITemplate, true }

// readTools lists the tools as definitions, without what cannot be one.
func (s *server) readTools(ctx context.Context, cs *mcp.ClientSession, p *pager) (tools []*tool, err error) {
	_, err = readPages(p, func(cursor string) ([]*mcp.Tool, string, error) {
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
		def.CallsTools = false // a server's tools do not call others through the policies of this process
		def.Category = cmp.Or(def.Category, s.conf.Category)
		admitted, err := s.admit(&def)
		if err != nil {
			p.leaveOut(v.Name, "Options.Admit: "+err.Error())
		}
		if !admitted {
			return "", false
		}
		if p.seen[v.Name] {
			return v.Name, true // reported by accept
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
	list     string
	max      int
	size     int // bytes so far
	seen     map[string]bool
	problems []string
}

func (s *server) pager(list string) *pager {
	return &pager{list: list, max: s.m.options.MaxTools, seen: map[string]bool{}}
}

func (p *pager) addProblem(format string, args ...any) {
	if len(p.problems) < maxProblems {
		p.problems = append(p.problems, clipLine(format, args...))
	}
}

func (p *pager) leaveOut(name, why string) { p.addProblem("%s: %.80q left out: %s", p.list, name, why) }

func clipLine(format string, args ...any) string {
	line := fmt.Sprintf(format, args...)
	if len(line) > maxLine {
		line = strings.ToValidUTF8(line[:maxLine], "") + "…"
	}
	return line
}

// readPages reads a list page by page. name is an item's, by which it may be there once, and
// false if it is left out.
func readPages[T any](p *pager, read page[T], name func(*T) (string, bool)) (items []*T, err error) {
	cursor, cursors := "", map[string]bool{}
	for range maxPages {
		list, next, err := read(cursor)
		if err != nil {
			return nil, err
		}
		for _, item := range list {
			keep, full := accept(p, item, name)
			if full {
				return items, nil
			}
			if keep {
				items = append(items, item)
			}
		}
		if next == "" {
			return items, nil
		}
		if cursors[next] {
			p.addProblem("%s: got the cursor of a page twice, want an end: the rest is left out", p.list)
			return items, nil
		}
		cursors[next] = true
		cursor = next
	}
	p.addProblem("%s: got more than %d pages, want at most as many: the rest is left out", p.list, maxPages)
	return items, nil
}

// accept reports whether an item is listed, and whether the list is full.
func accept[T any](p *pager, item *T, name func(*T) (string, bool)) (keep, full bool) {
	if item == nil {
		return false, false
	}
	if len(p.seen) >= p.max {
		p.addProblem("%s: got more than %d, want at most as many (Options.MaxTools): the rest is left out", p.list, p.max)
		return false, true
	}
	bytes, err := json.Marshal(item)
	if err != nil || len(bytes) > maxItem {
		p.addProblem("%s: got an item of %d bytes, want at most %d: it is left out", p.list, len(bytes), maxItem)
		return false, false
	}
	if p.size += len(bytes); p.size > maxList {
		p.addProblem("%s: got more than %d bytes, want at most as many: the rest is left out", p.list, maxList)
		return false, true
	}
	key, ok := name(item)
	if !ok {
		return false, false
	}
	if p.seen[key] {
		p.addProblem("%s: got %.80q twice, want it once: the second is left out", p.list, key)
		return false, false
	}
	p.seen[key] = true
	return true, false
}
