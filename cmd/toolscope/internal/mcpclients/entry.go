// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpclients

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// bare is the option of `toolscope mcp` that says that the server had no "args", for Unwrap.
const bare = "--bare"

// WrappedEnv is the variable that has the entry of a wrapped server with a URL as it was: for Unwrap, and for
// `toolscope mcp`, which sends its headers.
const WrappedEnv = "TOOLSCOPE_WRAPPED"

// A Server is an entry of a file.
type Server struct {
	Name    string
	Project string // of Claude Code's, for which the entry is; "" for all
	// Command is the program and its arguments, URL the address; one of them is set. Those of a wrapped server are
	// its own.
	Command []string
	URL     string
	Wrapped bool
	// Problem is why the entry cannot be wrapped; "" if it can.
	Problem string
}

// span is where something stands in the text; the zero value is nowhere.
type span struct{ start, end int }

func (s span) there() bool { return s.end > 0 }

func (s span) textOf(text []byte) []byte { return text[s.start:s.end] }

// An entry is where the parts of a server's entry stand, and what they are.
type entry struct {
	name, project string
	problem       string // why it is none that can be wrapped
	newArgs       string // what stands between a command and its new arguments

	whole         span
	command, args span
	joined        bool // args has the program, too
	program       string
	list          []span // the arguments, without the program
	words         []string

	url  string
	toml bool     // only name and value of the url are replaced
	keep []string // members of an entry with a URL that stay, as they stand
	kind string   // the value of its "type" once it is wrapped; "" for none
	was  string   // the entry as it was before it was wrapped
}

// server is what an entry says.
func (e *entry) server() Server {
	s := Server{Name: e.name, Project: e.project, URL: e.url, Problem: e.problem, Wrapped: e.problem == "" && e.wrapped()}
	switch {
	case e.problem != "" || e.url != "":
	case s.Wrapped && e.was != "":
		if at := slices.Index(e.words, "--target"); at >= 0 && at+1 < len(e.words) {
			s.URL = e.words[at+1]
		}
	case s.Wrapped:
		s.Command = e.words[slices.Index(e.words, "--")+1:]
	default:
		s.Command = append([]string{e.program}, e.words...)
	}
	return s
}

// wrapped reports whether the server is started by toolscope's proxy: by a program of that name,
// or by one of another name with the words that toolscope mcp wrap writes.
func (e *entry) wrapped() bool {
	if len(e.words) < 3 || e.words[0] != "mcp" {
		return false
	}
	if dashes := slices.Index(e.words, "--"); e.was == "" && (dashes < 1 || dashes+1 == len(e.words)) {
		return false
	}
	return strings.HasPrefix(filepath.Base(filepath.ToSlash(e.program)), "toolscope") || e.words[1] == "--name"
}

// quoted is a text in quotes, as JSON and TOML have them.
func quoted(s string) string { return string(hujson.String(s)) }

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
