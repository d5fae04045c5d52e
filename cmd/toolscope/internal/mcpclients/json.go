// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpclients

import (
	"bytes"
	"cmp"
	"errors"
	"net/url"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tailscale/hujson"
)

// jsonEntries reads a file with its comments, trailing commas and perhaps a byte order mark; an error if it is
// no JSON object without them.
func jsonEntries(text []byte) ([]entry, error) {
	if rest, marked := bytes.CutPrefix(text, []byte("\xef\xbb\xbf")); marked {
		text = append([]byte("   "), rest...) // so that all stands where it stood
	}
	file, err := hujson.Parse(text)
	if err == nil {
		plain := file.Clone()
		plain.Standardize()
		if v := jsontext.Value(plain.Pack()); !v.IsValid() || v.Kind() != '{' {
			err = errors.New("no object")
		}
	}
	if err != nil {
		return nil, errors.New("mcpclients: got a file that is no JSON object with each name once, want one; " +
			"comments are no harm")
	}
	return serversIn(file, text), nil
}

// serversIn are the entries of a file: of "mcpServers", or of VS Code's "servers", which are below "mcp" in its
// settings; of "mcp" itself (opencode), of "context_servers" (Zed), and of each project of Claude Code's.
func serversIn(file hujson.Value, text []byte) (entries []entry) {
	add := func(project string, list hujson.Value) {
		for _, m := range members(list) {
			e := entryOf(m.value, text)
			e.name, e.project, e.whole = m.name, project, spanOf(m.value)
			entries = append(entries, e)
		}
	}
	root := file
	if list, ok := member(root, "mcpServers"); ok {
		add("", list)
	} else if list, ok := member(root, "servers"); ok {
		add("", list)
	}
	if mcp, ok := member(root, "mcp"); ok {
		if list, ok := member(mcp, "servers"); ok {
			add("", list)
		} else if mcp := withoutSettings(mcp); mcp != nil {
			add("", hujson.Value{Value: mcp})
		}
	}
	if list, ok := member(root, "context_servers"); ok {
		add("", list)
	}
	projects, _ := member(root, "projects")
	for _, p := range members(projects) {
		if list, ok := member(p.value, "mcpServers"); ok {
			add(p.name, list)
		}
	}
	return entries
}

// withoutSettings are the members of opencode's "mcp" that are servers.
func withoutSettings(v hujson.Value) *hujson.Object {
	object, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil
	}
	servers := new(hujson.Object)
	for _, m := range object.Members {
		_, command := member(m.Value, "command")
		if _, url := member(m.Value, "url"); command || url {
			servers.Members = append(servers.Members, m)
		}
	}
	return servers
}

// entryOf reads an entry.
func entryOf(v hujson.Value, text []byte) entry {
	e := entry{newArgs: `, "args": `}
	command, there := member(v, "command")
	switch command.Value.(type) {
	case nil:
		if !there {
			return urlEntry(v, text)
		}
	case *hujson.Array:
		e.joined = true
		e.readArgs(command)
		if e.problem == "" && len(e.words) == 0 {
			e.problem = "got an empty command, want a program"
		}
		if e.problem == "" {
			e.program, e.command, e.words, e.list = e.words[0], e.list[0], e.words[1:], e.list[1:]
		}
	case *hujson.Object: // of Zed's older files
		path, _ := member(command, "path")
		e.readCommand(path, command)
	default:
		e.readCommand(command, v)
	}
	if e.program == "" && e.problem == "" {
		e.problem = `got a server without a "command" or a "url", want one of them`
	}
	for _, env := range []string{"env", "environment"} {
		list, _ := member(v, env)
		if was, ok := member(list, WrappedEnv); ok {
			if text, ok := was.Value.(hujson.Literal); ok && text.Kind() == '"' {
				e.was = serverText(text.String())
			}
		}
	}
	return e
}

// serverText is a text that is one server with a URL, as Wrap keeps it; "" for any other, which a file may hold that
// toolscope did not write.
func serverText(text string) string {
	v, err := hujson.Parse([]byte(text))
	if err != nil {
		return ""
	}
	for _, name := range urlNames {
		if _, ok := member(v, name); ok {
			return text
		}
	}
	return ""
}

// readCommand reads a program, and the "args" of an object.
func (e *entry) readCommand(command, object hujson.Value) {
	program, ok := command.Value.(hujson.Literal)
	if !ok || program.Kind() != '"' {
		return
	}
	e.command, e.program = spanOf(command), program.String()
	if args, there := member(object, "args"); there {
		e.readArgs(args)
	}
}

func (e *entry) readArgs(args hujson.Value) {
	e.args = spanOf(args)
	list, ok := args.Value.(*hujson.Array)
	for i := 0; ok && i < len(list.Elements); i++ {
		word, _ := list.Elements[i].Value.(hujson.Literal)
		ok = word.Kind() == '"'
		e.words, e.list = append(e.words, word.String()), append(e.list, spanOf(list.Elements[i]))
	}
	if !ok {
		e.problem = "args: got something else than a list of strings"
	}
}

// urlNames are the members that have the address of a server in the files of some client.
var urlNames = []string{"url", "httpUrl", "serverUrl"}

// urlEntry reads an entry of a server that has an address.
func urlEntry(v hujson.Value, text []byte) (e entry) {
	var kind string
	for _, m := range members(v) {
		value, _ := m.value.Value.(hujson.Literal)
		switch {
		case slices.Contains(urlNames, m.name) && value.Kind() == '"':
			e.url = cmp.Or(e.url, value.String())
		case m.name == "type" && value.Kind() == '"':
			kind = value.String()
		case m.name == "headers" || m.name == "type" || m.name == "transport":
		default:
			e.keep = append(e.keep, quoted(m.name)+": "+string(spanOf(m.value).textOf(text)))
		}
	}
	switch {
	case e.url == "":
		e.problem = `got a server without a "command" or a "url", want one of them`
	case !plainURL(e.url):
		e.problem = notPlain
	case kind == "sse":
		e.problem = "got a server of the older transport over server-sent events, want streamable HTTP"
	case kind == "remote": // opencode
		e.kind, e.joined = "local", true
	case kind != "":
		e.kind = "stdio"
	}
	return e
}

// notPlain says why an address is refused.
const notPlain = "got a url with a user, a query or a fragment, or none that is complete, want a plain one: " +
	"arguments are visible to other users; servers take secrets in headers, too"

// plainURL reports whether an address is one that the proxy takes.
func plainURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil && u.RawQuery == "" &&
		u.Fragment == ""
}

// A named is a member of an object.
type named struct {
	name  string
	value hujson.Value
}

// members are an object's in order; none if it is no object.
func members(v hujson.Value) (list []named) {
	if object, ok := v.Value.(*hujson.Object); ok {
		for _, m := range object.Members {
			list = append(list, named{m.Name.Value.(hujson.Literal).String(), m.Value})
		}
	}
	return list
}

// member is a member of an object.
func member(v hujson.Value, name string) (hujson.Value, bool) {
	for _, m := range members(v) {
		if m.name == name {
			return m.value, true
		}
	}
	return hujson.Value{}, false
}

func spanOf(v hujson.Value) span { return span{v.StartOffset, v.EndOffset} }
