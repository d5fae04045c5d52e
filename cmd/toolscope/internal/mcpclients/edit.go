// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpclients

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxFile is how large a file may be, in bytes.
const maxFile = 16 << 20

// ErrNoServer says that a file has no server of that name.
var ErrNoServer = errors.New("no server of that name")

// bare is the option of `toolscope mcp` that says that the server had no "args", for Unwrap.
const bare = "--bare"

// Wrap returns a file's text in which a server is started by proxy, which is a program with its
// arguments, followed by "--" and the server's own command. The text may have comments and
// trailing commas. It is an error if there is no such server ([ErrNoServer]), if it is wrapped
// already, or if it is not one that is started by a command.
func Wrap(text []byte, name string, proxy []string) ([]byte, error) {
	s, err := find(text, name)
	if err != nil {
		return nil, err
	}
	if s.wrapped() {
		return nil, fmt.Errorf("mcpclients: %.80q: got a server that is wrapped already, want one that is not", name)
	}
	words := slices.Clone(proxy[1:])
	if !s.args.there() {
		words = append(words, bare)
	}
	var inserted []string
	for _, w := range append(words, "--") {
		inserted = append(inserted, quote(w))
	}
	list := strings.Join(append(inserted, string(s.command.textOf(text))), ", ")
	program := []byte(quote(proxy[0]))
	if !s.args.there() {
		return replace(text, edit{s.command, append(program, `, "args": [`+list+`]`...)}), nil
	}
	if len(s.list) > 0 {
		list += ", "
	}
	return replace(text, edit{s.command, program}, edit{span{s.args.start + 1, s.args.start + 1}, []byte(list)}), nil
}

// Unwrap returns a file's text in which a server that was wrapped is started by itself again.
func Unwrap(text []byte, name string) ([]byte, error) {
	s, err := find(text, name)
	if err != nil {
		return nil, err
	}
	if !s.wrapped() {
		return nil, fmt.Errorf("mcpclients: %.80q: got a server that is not wrapped, want one that is", name)
	}
	dashes := slices.Index(s.words, "--")
	command := s.list[dashes+1]
	if slices.Contains(s.words[:dashes], bare) {
		return replace(text, edit{span{s.command.start, s.args.end}, slices.Clone(command.textOf(text))}), nil
	}
	end := command.end
	if bytes.HasPrefix(text[end:], []byte(", ")) {
		end += 2
	} else if bytes.HasPrefix(text[end:], []byte(",")) { // the file was formatted since
		end++
	}
	return replace(text, edit{s.command, slices.Clone(command.textOf(text))}, edit{span{s.args.start + 1, end}, nil}), nil
}

// Names are the servers of a file that are started by a command, sorted; wrapped ones are in
// both lists.
func Names(text []byte) (names, wrapped []string, err error) {
	plain, err := checked(text)
	if err != nil {
		return nil, nil, err
	}
	for name := range servers(plain) {
		s, err := find(text, name)
		if err != nil {
			continue
		}
		names = append(names, name)
		if s.wrapped() {
			wrapped = append(wrapped, name)
		}
	}
	slices.Sort(names)
	slices.Sort(wrapped)
	return names, wrapped, nil
}

// span is where something stands in the text; the zero value is nowhere.
type span struct{ start, end int }

func (s span) there() bool               { return s.end > 0 }
func (s span) textOf(text []byte) []byte { return text[s.start:s.end] }

// server is where the parts of a server's entry stand, and what its arguments are.
type server struct {
	command, args span
	program       string
	list          []span // the arguments
	words         []string
}

// wrapped reports whether the server is started by toolscope's proxy: by a program of that name,
// or by one of another name with the words that toolscope mcp wrap writes.
func (s *server) wrapped() bool {
	dashes := slices.Index(s.words, "--")
	if dashes < 1 || dashes+1 == len(s.words) || s.words[0] != "mcp" {
		return false
	}
	return strings.HasPrefix(filepath.Base(filepath.ToSlash(s.program)), "toolscope") || s.words[1] == "--name"
}

// find finds a server.
func find(text []byte, name string) (*server, error) {
	plain, err := checked(text)
	if err != nil {
		return nil, err
	}
	entry, ok := servers(plain)[name]
	if !ok {
		return nil, fmt.Errorf("mcpclients: %.80q: %w", name, ErrNoServer)
	}
	fields := members(plain, entry)
	s := &server{command: fields["command"], args: fields["args"]}
	if !s.command.there() || json.Unmarshal(s.command.textOf(plain), &s.program) != nil {
		return nil, fmt.Errorf(
			`mcpclients: %.80q: got a server without a "command", want one that is started by a command; for one `+
				`with a "url" run 'toolscope mcp --target URL --listen ADDR' and write its address there`,
			name,
		)
	}
	if s.args.there() {
		if json.Unmarshal(s.args.textOf(plain), &s.words) != nil {
			return nil, fmt.Errorf("mcpclients: %.80q: args: got something else than a list of strings", name)
		}
		s.list = elements(plain, s.args)
	}
	return s, nil
}

// servers are the entries of a file by name: those of "mcpServers", or of VS Code's "servers".
func servers(plain []byte) map[string]span {
	root := members(plain, span{0, len(plain)})
	for _, key := range []string{"mcpServers", "servers"} {
		if list, ok := root[key]; ok {
			return members(plain, list)
		}
	}
	return nil
}

// checked is the text without comments and trailing commas, which are blanks of the same
// length; an error if it is no JSON object then.
func checked(text []byte) ([]byte, error) {
	if len(text) > maxFile {
		return nil, fmt.Errorf("mcpclients: got a file of %d bytes, want at most %d", len(text), maxFile)
	}
	plain := blank(text)
	if value := jsontext.Value(plain); !value.IsValid() || value.Kind() != '{' {
		return nil, errors.New("mcpclients: got a file that is no JSON object with each name once, want one; " +
			"comments are no harm")
	}
	return plain, nil
}

// members are where an object's values stand; none if it is no object.
func members(plain []byte, object span) map[string]span {
	d := jsontext.NewDecoder(bytes.NewReader(object.textOf(plain)))
	if token, err := d.ReadToken(); err != nil || token.Kind() != '{' {
		return nil
	}
	found := map[string]span{}
	for d.PeekKind() == '"' {
		token, err := d.ReadToken()
		if err != nil {
			return nil
		}
		name := token.String()
		value, err := d.ReadValue()
		if err != nil {
			return nil
		}
		end := object.start + int(d.InputOffset())
		found[name] = span{end - len(value), end}
	}
	return found
}

// elements are where an array's values stand.
func elements(plain []byte, array span) (list []span) {
	d := jsontext.NewDecoder(bytes.NewReader(array.textOf(plain)))
	if _, err := d.ReadToken(); err != nil {
		return nil
	}
	for d.PeekKind() != ']' {
		value, err := d.ReadValue()
		if err != nil {
			return list
		}
		end := array.start + int(d.InputOffset())
		list = append(list, span{end - len(value), end})
	}
	return list
}

// edit puts text in the place of a span.
type edit struct {
	at   span
	text []byte
}

// replace makes edits that do not overlap.
func replace(text []byte, edits ...edit) []byte {
	slices.SortFunc(edits, func(a, b edit) int { return a.at.start - b.at.start })
	var out []byte
	from := 0
	for _, e := range edits {
		out = append(append(out, text[from:e.at.start]...), e.text...)
		from = e.at.end
	}
	return append(out, text[from:]...)
}

// quote is a string in JSON.
func quote(s string) string {
	b, err := jsontext.AppendQuote(nil, s)
	if err != nil { // invalid UTF-8, which was replaced
		return string(b)
	}
	return string(b)
}
