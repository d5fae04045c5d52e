// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/toolscope/toolscope/toolkit"
)

// A tool is one of a server's.
type tool struct {
	server *server
	name   string // as the server calls it
	def    toolkit.Definition
	schema string // the input schema in a form that can be compared
}

// An entry is a tool as callers know it.
type entry struct {
	def   *toolkit.Definition
	tools []*tool // who has it, in order of precedence
}

// A table is all tools at a time. It does not change.
type table struct {
	entries map[string]*entry
	names   []string // in order
}

// newTable makes the table of servers in order of precedence, and tells each what of its
// tools has no place.
func newTable(servers []*server, sharedNames bool) *table {
	t := &table{entries: map[string]*entry{}}
	for _, s := range servers {
		var lost []string
		for _, own := range s.tools() {
			if !t.put(own, sharedNames) {
				lost = append(lost, fmt.Sprintf("tool %.80q: left out, since its name is another tool's", own.name))
			}
		}
		s.setLost(lost)
	}
	return t
}

// put gives a tool its name and its place; false if that is another's.
func (t *table) put(own *tool, sharedNames bool) bool {
	names := []string{namespaced(own.server.conf.Name, own.name)}
	if sharedNames {
		names = []string{shared(own.name), names[0]}
	}
	for i, name := range names {
		e := t.entries[name]
		if e == nil {
			def := own.def
			def.Name = name
			t.entries[name] = &entry{def: &def, tools: []*tool{own}}
			t.names = append(t.names, name)
			return true
		}
		first := e.tools[0]
		if sharedNames && i == 0 && first.name == own.name && first.schema == own.schema && !e.has(own.server) {
			e.tools = append(e.tools, own)
			return true
		}
	}
	return false
}

func (e *entry) has(s *server) bool {
	for _, t := range e.tools {
		if t.server == s {
			return true
		}
	}
	return false
}

// canonical is a schema without white space, with its members in order.
func canonical(schema json.RawMessage) string {
	if len(schema) == 0 {
		return `{"type":"object"}`
	}
	dec := json.NewDecoder(bytes.NewReader(schema))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil {
		return string(schema)
	}
	text, err := json.Marshal(v)
	if err != nil {
		return string(schema)
	}
	return string(text)
}
