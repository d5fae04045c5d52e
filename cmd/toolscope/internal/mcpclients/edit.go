// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpclients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

const (
	maxFile     = 16 << 20 // bytes of a file
	maxBrackets = 500_000  // the parser recurses into each that is open
)

// ErrNoServer says that a file has no server of that name.
var ErrNoServer = errors.New("no server of that name")

// Servers are those of a file, in its order.
func Servers(text []byte) ([]Server, error) {
	entries, err := entriesOf(text)
	if err != nil {
		return nil, err
	}
	var list []Server
	for _, e := range entries {
		list = append(list, e.server())
	}
	return list, nil
}

// Wrap returns a file's text in which a server is started by proxy, which is a program with its
// arguments, followed by "--" and the server's own command, or by --target and its URL. The text may have comments
// and trailing commas, or be TOML. It is an error if there is no such server ([ErrNoServer]), if it is wrapped
// already, or if it is not one that can be wrapped.
func Wrap(text []byte, name, project string, proxy []string) ([]byte, error) {
	e, err := find(text, name, project)
	if err != nil {
		return nil, err
	}
	if e.wrapped() {
		return nil, fmt.Errorf("mcpclients: %.80q: got a server that is wrapped already, want one that is not", name)
	}
	out, err := e.wrap(text, proxy)
	if err != nil {
		return nil, err
	}
	if back, err := Unwrap(out, name, project); err != nil || !bytes.Equal(back, text) {
		return nil, fmt.Errorf("mcpclients: %.80q: got an entry that could not be restored, want a plainer one", name)
	}
	return out, nil
}

// wrap puts the proxy in front.
func (e *entry) wrap(text []byte, proxy []string) ([]byte, error) {
	if e.url != "" && e.toml {
		return e.wrapURLInTOML(text, proxy)
	}
	if e.url != "" {
		return e.wrapURL(text, proxy)
	}
	words := slices.Clone(proxy[1:])
	if !e.args.there() && !e.joined {
		words = append(words, bare)
	}
	words = append(words, "--")
	if e.joined {
		words = slices.Insert(words, 0, proxy[0])
	}
	var inserted []string
	for _, w := range words {
		inserted = append(inserted, quoted(w))
	}
	if e.joined { // the program is the first of the list
		return replace(text, edit{span{e.command.start, e.command.start}, []byte(strings.Join(inserted, ", ") + ", ")}), nil
	}
	list := strings.Join(append(inserted, string(e.command.textOf(text))), ", ")
	program := []byte(quoted(proxy[0]))
	if !e.args.there() {
		return replace(text, edit{e.command, append(program, e.newArgs+`[`+list+`]`...)}), nil
	}
	if len(e.list) > 0 {
		list += ", "
	}
	return replace(text, edit{e.command, program}, edit{span{e.args.start + 1, e.args.start + 1}, []byte(list)}), nil
}

// Unwrap returns a file's text in which a server that was wrapped is as it was.
func Unwrap(text []byte, name, project string) ([]byte, error) {
	e, err := find(text, name, project)
	if err != nil {
		return nil, err
	}
	if !e.wrapped() {
		return nil, fmt.Errorf("mcpclients: %.80q: got a server that is not wrapped, want one that is", name)
	}
	if e.was != "" {
		return replace(text, edit{e.whole, []byte(e.was)}), nil
	}
	dashes := slices.Index(e.words, "--")
	command := e.list[dashes+1]
	if e.joined {
		return replace(text, edit{span{e.command.start, command.start}, nil}), nil
	}
	if slices.Contains(e.words[:dashes], bare) {
		return replace(text, edit{span{e.command.start, e.args.end}, slices.Clone(command.textOf(text))}), nil
	}
	end := command.end
	if bytes.HasPrefix(text[end:], []byte(", ")) {
		end += 2
	} else if bytes.HasPrefix(text[end:], []byte(",")) { // the file was formatted since
		end++
	}
	return replace(text, edit{e.command, slices.Clone(command.textOf(text))}, edit{span{e.args.start + 1, end}, nil}), nil
}

// find finds a server. Without a project it is that for all projects, if there is one; else a name that a file has for
// several projects needs the project.
func find(text []byte, name, project string) (*entry, error) {
	entries, err := entriesOf(text)
	if err != nil {
		return nil, err
	}
	var found []*entry
	for i := range entries {
		if e := &entries[i]; e.name == name && (project == "" || e.project == project) {
			found = append(found, e)
		}
	}
	if ofAll := ofProject(found, ""); project == "" && len(ofAll) > 0 {
		found = ofAll
	}
	switch {
	case len(found) == 0:
		return nil, fmt.Errorf("mcpclients: %.80q: %w", name, ErrNoServer)
	case len(found) > 1 && found[0].project == found[1].project:
		return nil, fmt.Errorf("mcpclients: %.80q: got a server of that name twice, want each name once", name)
	case len(found) > 1:
		return nil, fmt.Errorf("mcpclients: %.80q: got a server of %d projects, want --project to say which", name, len(found))
	case found[0].problem != "":
		return nil, fmt.Errorf("mcpclients: %.80q: %s", name, found[0].problem)
	}
	return found[0], nil
}

// ofProject are the entries of a project.
func ofProject(entries []*entry, project string) (list []*entry) {
	for _, e := range entries {
		if e.project == project {
			list = append(list, e)
		}
	}
	return list
}

// entriesOf reads a file: TOML if it does not begin as JSON does, with or without comments.
func entriesOf(text []byte) ([]entry, error) {
	if len(text) > maxFile {
		return nil, fmt.Errorf("mcpclients: got a file of %d bytes, want at most %d", len(text), maxFile)
	}
	if bytes.Count(text, []byte("["))+bytes.Count(text, []byte("{")) > maxBrackets {
		return nil, fmt.Errorf("mcpclients: got a file of more than %d objects and lists, want at most as many", maxBrackets)
	}
	entries, err := tomlEntries(text)
	if errors.Is(err, errNotTOML) {
		return jsonEntries(text)
	}
	return entries, err
}

// wrapURL puts an entry in the place of one with a URL: it starts the proxy, which has what was there in its
// environment.
func (e *entry) wrapURL(text []byte, proxy []string) ([]byte, error) {
	words := append(slices.Clone(proxy[1:]), "--target", e.url)
	was, err := json.Marshal(string(e.whole.textOf(text)))
	if err != nil {
		return nil, err
	}
	var list []string
	for _, word := range words {
		list = append(list, quoted(word))
	}
	command, env := fmt.Sprintf(`"command": %s, "args": [%s]`, quoted(proxy[0]), strings.Join(list, ", ")), "env"
	if e.joined {
		command, env = fmt.Sprintf(`"command": [%s, %s]`, quoted(proxy[0]), strings.Join(list, ", ")), "environment"
	}
	members := []string{command, fmt.Sprintf(`%q: {%q: %s}`, env, WrappedEnv, was)}
	if e.kind != "" {
		members = slices.Insert(members, 0, `"type": `+quoted(e.kind))
	}
	return replace(text, edit{e.whole, []byte("{" + strings.Join(append(members, e.keep...), ", ") + "}")}), nil
}

// errNotTOML says that a text may be JSON.
var errNotTOML = errors.New("no TOML")
