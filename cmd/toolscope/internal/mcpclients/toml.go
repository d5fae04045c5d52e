// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpclients

import (
	"bytes"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// tomlEntries reads the tables [mcp_servers.NAME] of Codex's file; ok is false for what is not TOML.
func tomlEntries(text []byte) (entries []entry, ok bool) {
	if !bytes.Contains(text, []byte("mcp_servers")) {
		return nil, false
	}
	switch begin := bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))); {
	case len(begin) == 0 || begin[0] == '{' || begin[0] == '/':
		return nil, false
	}
	var all map[string]any
	if toml.Unmarshal(text, &all) != nil { // which checks that no name is there twice
		return nil, false
	}
	p := unstable.Parser{}
	p.Reset(text)
	at := -1 // the entry whose table is read
	for p.NextExpression() {
		x := p.Expression()
		switch x.Kind {
		case unstable.Table, unstable.ArrayTable:
			at = -1
			if path := keyOf(x.Key()); x.Kind == unstable.Table && len(path) == 2 && path[0] == "mcp_servers" {
				entries = append(entries, entry{name: path[1], newArgs: "\nargs = "})
				at = len(entries) - 1
			}
		case unstable.KeyValue:
			if at >= 0 {
				entries[at].readTOML(&p, x, text)
			}
		}
	}
	for i := range entries {
		switch e := &entries[i]; {
		case e.problem != "" || e.program != "":
		case e.url != "":
			e.problem = `got a server with a "url" in TOML, want one that is started by a command; ` +
				`put 'toolscope mcp --target URL' there by hand`
		default:
			e.problem = `got a server without a "command", want one`
		}
	}
	return entries, p.Error() == nil
}

func keyOf(key unstable.Iterator) (path []string) {
	for key.Next() {
		path = append(path, string(key.Node().Data))
	}
	return path
}

// readTOML reads a line of an entry.
func (e *entry) readTOML(p *unstable.Parser, x *unstable.Node, text []byte) {
	key, value := keyOf(x.Key()), x.Value()
	if len(key) != 1 {
		return
	}
	switch {
	case key[0] == "command" && value.Kind == unstable.String:
		e.command, e.program = rangeOf(value.Raw), string(value.Data)
	case key[0] == "url" && value.Kind == unstable.String:
		e.url = string(value.Data)
	case key[0] == "args" && value.Kind == unstable.Array:
		whole := rangeOf(x.Raw)
		names := x.Key()
		from := whole.start
		for names.Next() {
			from = rangeOf(names.Node().Raw).end
		}
		open := bytes.IndexByte(text[from:whole.end], '[')
		if open < 0 {
			e.problem = "args: got a list that cannot be read"
			return
		}
		e.args = span{from + open, whole.end}
		for list := value.Children(); list.Next(); {
			word := list.Node()
			if word.Kind == unstable.Comment {
				continue
			}
			if word.Kind != unstable.String {
				e.problem = "args: got something else than a list of strings"
				return
			}
			e.words, e.list = append(e.words, string(word.Data)), append(e.list, rangeOf(word.Raw))
		}
	case key[0] == "args":
		e.problem = "args: got something else than a list of strings"
	}
}

func rangeOf(r unstable.Range) span { return span{int(r.Offset), int(r.Offset + r.Length)} }
