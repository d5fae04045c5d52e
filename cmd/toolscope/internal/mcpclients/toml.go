// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpclients

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// errNotTOML says that a text may be JSON.
var errNotTOML = errors.New("no TOML")

// tomlEntries reads the tables [mcp_servers.NAME] of Codex's file. The error is [errNotTOML] for what is none.
func tomlEntries(text []byte) (entries []entry, err error) {
	switch begin := bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))); {
	case len(begin) == 0 || begin[0] == '{' || begin[0] == '/' || !bytes.Contains(begin, []byte("=")):
		return nil, errNotTOML
	}
	var all struct {
		Servers map[string]any `toml:"mcp_servers"`
	}
	if err := toml.Unmarshal(text, &all); err != nil { // which checks that no name is there twice
		var at *toml.DecodeError
		if errors.As(err, &at) {
			row, column := at.Position()
			return nil, fmt.Errorf("mcpclients: got TOML with a mistake in line %d, column %d, want each table and name once", row, column)
		}
		return nil, errors.New("mcpclients: got TOML with a mistake, want mcp_servers to be tables")
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
			e.problem = `got a server with a "url" in TOML, want one that is started by a command: ` +
				`replace the url by command = "toolscope" and args = ["mcp", "--target", URL] by hand`
		default:
			e.problem = `got a server without a "command", want one`
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all.Servers)) {
		if !slices.ContainsFunc(entries, func(e entry) bool { return e.name == name }) {
			entries = append(entries, entry{name: name, problem: `got an inline table or dotted names, want a table [mcp_servers.NAME]`})
		}
	}
	return entries, p.Error()
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
