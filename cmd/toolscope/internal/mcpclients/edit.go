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

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tailscale/hujson"
)

const (
	maxFile     = 16 << 20 // bytes of a file
	maxBrackets = 500_000  // the parser recurses into each that is open
)

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
		inserted = append(inserted, string(hujson.String(w)))
	}
	list := strings.Join(append(inserted, string(s.command.textOf(text))), ", ")
	program := []byte(hujson.String(proxy[0]))
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
	file, err := parse(text)
	if err != nil {
		return nil, nil, err
	}
	for name := range servers(file) {
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
	file, err := parse(text)
	if err != nil {
		return nil, err
	}
	entry, ok := servers(file)[name]
	if !ok {
		return nil, fmt.Errorf("mcpclients: %.80q: %w", name, ErrNoServer)
	}
	fields := members(entry)
	command, ok := fields["command"].Value.(hujson.Literal)
	if !ok || command.Kind() != '"' {
		return nil, fmt.Errorf(
			`mcpclients: %.80q: got a server without a "command", want one that is started by a command; for one `+
				`with a "url" run 'toolscope mcp --target URL --listen ADDR' and write its address there`,
			name,
		)
	}
	s := &server{command: spanOf(fields["command"]), program: command.String()}
	args, there := fields["args"]
	if !there {
		return s, nil
	}
	s.args = spanOf(args)
	list, ok := args.Value.(*hujson.Array)
	for i := 0; ok && i < len(list.Elements); i++ {
		word, _ := list.Elements[i].Value.(hujson.Literal)
		ok = word.Kind() == '"'
		s.words, s.list = append(s.words, word.String()), append(s.list, spanOf(list.Elements[i]))
	}
	if !ok {
		return nil, fmt.Errorf("mcpclients: %.80q: args: got something else than a list of strings", name)
	}
	return s, nil
}

// parse reads a file with its comments, trailing commas and perhaps a byte order mark; an error if it is
// no JSON object without them.
func parse(text []byte) (file hujson.Value, err error) {
	if len(text) > maxFile {
		return file, fmt.Errorf("mcpclients: got a file of %d bytes, want at most %d", len(text), maxFile)
	}
	if bytes.Count(text, []byte("["))+bytes.Count(text, []byte("{")) > maxBrackets {
		return file, fmt.Errorf("mcpclients: got a file of more than %d objects and lists, want at most as many", maxBrackets)
	}
	if rest, marked := bytes.CutPrefix(text, []byte("\xef\xbb\xbf")); marked {
		text = append([]byte("   "), rest...) // so that all stands where it stood
	}
	if file, err = hujson.Parse(text); err == nil {
		plain := file.Clone()
		plain.Standardize()
		if v := jsontext.Value(plain.Pack()); v.IsValid() && v.Kind() == '{' {
			return file, nil
		}
	}
	return file, errors.New("mcpclients: got a file that is no JSON object with each name once, want one; " +
		"comments are no harm")
}

// servers are the entries of a file by name: those of "mcpServers", or of VS Code's "servers".
func servers(file hujson.Value) map[string]hujson.Value {
	root := members(file)
	for _, key := range []string{"mcpServers", "servers"} {
		if list, ok := root[key]; ok {
			return members(list)
		}
	}
	return nil
}

// members are an object's; none if it is no object.
func members(v hujson.Value) map[string]hujson.Value {
	found := map[string]hujson.Value{}
	if object, ok := v.Value.(*hujson.Object); ok {
		for _, m := range object.Members {
			found[m.Name.Value.(hujson.Literal).String()] = m.Value
		}
	}
	return found
}

func spanOf(v hujson.Value) span { return span{v.StartOffset, v.EndOffset} }

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
