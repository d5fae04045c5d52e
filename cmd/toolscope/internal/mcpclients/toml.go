// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpclients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

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
	var table, headers []string
	for p.NextExpression() {
		x := p.Expression()
		switch x.Kind {
		case unstable.Table, unstable.ArrayTable:
			at, table = -1, keyOf(x.Key())
			if x.Kind == unstable.Table && len(table) == 2 && table[0] == "mcp_servers" {
				entries = append(entries, entry{name: table[1], newArgs: "\nargs = "})
				at = len(entries) - 1
			} else if len(table) == 3 && table[0] == "mcp_servers" && strings.HasSuffix(table[2], "http_headers") {
				headers = append(headers, table[1])
			}
		case unstable.KeyValue:
			if at >= 0 {
				entries[at].readTOML(x, text)
			} else {
				entries = inlineEntries(entries, table, x, text)
			}
		}
	}
	for i := range entries {
		entries[i].judge(slices.Contains(headers, entries[i].name), text)
	}
	for _, name := range slices.Sorted(maps.Keys(all.Servers)) {
		if !slices.ContainsFunc(entries, func(e entry) bool { return e.name == name }) {
			entries = append(entries, entry{name: name, problem: `got dotted names, want a table [mcp_servers.NAME]`})
		}
	}
	return entries, p.Error()
}

// judge says why an entry cannot be wrapped, or unwrapped.
func (e *entry) judge(headers bool, text []byte) {
	switch {
	case e.problem != "":
	case e.program != "" && e.was != "":
		e.checkWrapped(text)
	case e.program != "":
	case e.url != "" && headers:
		e.problem = ofCodex
	case e.url != "" && !plainURL(e.url):
		e.problem = notPlain
	case e.url != "":
	default:
		e.problem = `got a server without a "command", want one`
	}
}

// ofCodex says why an entry with headers cannot be wrapped.
const ofCodex = "got a url with a token or headers that Codex adds, want one without: the proxy does not read them"

func keyOf(key unstable.Iterator) (path []string) {
	for key.Next() {
		path = append(path, string(key.Node().Data))
	}
	return path
}

// inlineEntries adds the entries of a line that are inline tables: of the table [mcp_servers], or of that name itself.
func inlineEntries(entries []entry, table []string, x *unstable.Node, text []byte) []entry {
	value := x.Value()
	path := slices.Concat(table, keyOf(x.Key()))
	switch {
	case value.Kind != unstable.InlineTable || path[0] != "mcp_servers" || len(path) > 2:
		return entries
	case len(path) == 2:
		entries = append(entries, entry{name: path[1], newArgs: ", args = "})
		for list := value.Children(); list.Next(); {
			entries[len(entries)-1].readTOML(list.Node(), text)
		}
		return entries
	}
	for list := value.Children(); list.Next(); {
		if list.Node().Kind == unstable.KeyValue {
			entries = inlineEntries(entries, []string{"mcp_servers"}, list.Node(), text)
		}
	}
	return entries
}

// wrapURLInTOML puts a command in the place of the url. What was there is in an "env" behind it, as JSON, as
// [WrappedEnv] has it.
func (e *entry) wrapURLInTOML(text []byte, proxy []string) ([]byte, error) {
	was, err := json.Marshal(tomlURL{URL: e.url, TOML: string(e.whole.textOf(text))})
	if err != nil {
		return nil, err
	}
	var list []string
	for _, word := range append(slices.Clone(proxy[1:]), "--target", e.url) {
		list = append(list, quoted(word))
	}
	return replace(text, edit{e.whole, []byte("command = " + quoted(proxy[0]) + e.newArgs + "[" + strings.Join(list, ", ") + "]" +
		e.newEnv() + "{" + WrappedEnv + " = " + quoted(string(was)) + "}")}), nil
}

// tomlURL is what is kept of a url in TOML.
type tomlURL struct {
	URL  string `json:"url"`
	TOML string `json:"toml"` // its name and value as they stood
}

// newEnv is what stands between new arguments and their environment.
func (e *entry) newEnv() string { return strings.Replace(e.newArgs, "args", "env", 1) }

// checkWrapped checks that the parts of an entry that had a url are next to each other as they were written.
func (e *entry) checkWrapped(text []byte) {
	between := func(from, to int) string { return string(text[min(from, to):to]) }
	if !e.args.there() || between(e.command.end, e.args.start) != e.newArgs ||
		!strings.HasPrefix(string(text[e.args.end:e.whole.end]), e.newEnv()+"{") {
		e.problem = "got a wrapped entry that was edited since, want command, args and env as toolscope wrote them"
	}
}

// readEnv reads what is kept of a url.
func (e *entry) readEnv(value *unstable.Node, text []byte) {
	n := 0
	for list := value.Children(); list.Next(); {
		x := list.Node()
		if x.Kind != unstable.KeyValue {
			continue
		}
		n++
		var was tomlURL
		if key := keyOf(x.Key()); len(key) == 1 && key[0] == WrappedEnv && x.Value().Kind == unstable.String &&
			json.Unmarshal(x.Value().Data, &was) == nil && was.URL != "" && was.TOML != "" {
			e.was = was.TOML
			end := rangeOf(x.Value().Raw).end
			if brace := bytes.IndexByte(text[end:], '}'); brace >= 0 {
				e.whole.end = end + brace + 1
			}
		}
	}
	if e.was != "" && n > 1 {
		e.problem = "env: got more than toolscope wrote, want what was added by hand to be removed"
	}
}

// readTOML reads a line of an entry.
func (e *entry) readTOML(x *unstable.Node, text []byte) {
	if x.Kind != unstable.KeyValue {
		return
	}
	key, value := keyOf(x.Key()), x.Value()
	if len(key) != 1 {
		return
	}
	names := x.Key()
	names.Next()
	begin := rangeOf(names.Node().Raw).start
	switch {
	case key[0] == "command" && value.Kind == unstable.String:
		e.command, e.program = rangeOf(value.Raw), string(value.Data)
		e.whole.start = begin
	case key[0] == "url" && value.Kind == unstable.String:
		e.url, e.toml, e.whole = string(value.Data), true, span{begin, rangeOf(value.Raw).end}
	case key[0] == "env" && value.Kind == unstable.InlineTable:
		e.readEnv(value, text)
	case slices.Contains([]string{"bearer_token_env_var", "http_headers", "env_http_headers"}, key[0]):
		e.problem = ofCodex
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
