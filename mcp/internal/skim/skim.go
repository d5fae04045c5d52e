// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

// Package skim finds a few members of JSON-RPC messages that are too large to be kept.
package skim

import (
	"bytes"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Skimmer finds a few members of a JSON text that comes in pieces and is too large to be
// kept: in memory that does not grow, and without checking that it is JSON. The zero value has read nothing.
type Skimmer struct {
	// Found is what was found by path, as the text has it: strings with their quotes. What is too long is "".
	Found map[string]string

	depth   int // how many objects and arrays are open
	arrays  uint64
	keys    [skimDepth + 1]string // of the members that are open
	naming  bool                  // the next string is a member's name
	quoted  bool                  // inside a string
	escaped bool                  // after a backslash
	capture bool
	scalar  bool // inside a number, true, false or null
	text    []byte
}

const (
	skimDepth = 3    // how deep the members are that can be found
	skimBytes = 1024 // how much of each is kept
)

// wanted are the members to be found.
var wanted = map[string]bool{
	"id": true, "method": true, "params.name": true, "params.uri": true, "params.requestState": true,
	"params._meta.traceparent": true, "params._meta.tracestate": true, "params._meta.baggage": true,
	"params._meta." + mcp.MetaKeyProtocolVersion: true,
	"result.isError": true, "result.resultType": true, "result.requestState": true, "error.code": true, "error.message": true,
}

// Feed reads on.
func (s *Skimmer) Feed(data []byte) {
	for len(data) > 0 {
		if s.quoted {
			data = s.inString(data)
			continue
		}
		c := data[0]
		data = data[1:]
		switch c {
		case '"':
			s.endScalar()
			s.quoted = true
			s.begin(c)
		case '{', '[':
			s.endScalar()
			s.depth++
			s.naming = c == '{'
			s.setArray(c == '[')
			if s.depth <= skimDepth {
				s.keys[s.depth] = ""
			}
		case '}', ']':
			s.endScalar()
			if s.depth > 0 {
				s.depth--
			}
			s.naming = false
		case ',':
			s.endScalar()
			s.naming = !s.inArray()
		case ':':
			s.naming = false
		case ' ', '\t', '\r', '\n':
			s.endScalar()
		default:
			if !s.scalar {
				s.scalar = true
				s.begin(c)
			} else {
				s.keep(c)
			}
		}
	}
}

// setArray remembers what was opened; deeper than 63 it does not matter.
func (s *Skimmer) setArray(yes bool) {
	if s.depth < 64 {
		s.arrays &^= 1 << s.depth
		if yes {
			s.arrays |= 1 << s.depth
		}
	}
}

func (s *Skimmer) inArray() bool { return s.depth >= 64 || s.arrays>>s.depth&1 == 1 }

// inString reads to the string's end, or to the end of the data.
func (s *Skimmer) inString(data []byte) []byte {
	if !s.capture {
		return s.pastString(data)
	}
	for i, c := range data {
		s.keep(c)
		switch {
		case s.escaped:
			s.escaped = false
		case c == '\\':
			s.escaped = true
		case c == '"':
			s.quoted = false
			s.endString()
			return data[i+1:]
		}
	}
	return nil
}

// pastString is inString for one that is not wanted: only quotes count, but for those behind an
// odd number of backslashes.
func (s *Skimmer) pastString(data []byte) []byte {
	if s.escaped && len(data) > 0 {
		s.escaped = false
		data = data[1:]
	}
	for {
		end := bytes.IndexByte(data, '"')
		before := data
		if end >= 0 {
			before = data[:end]
		}
		escaped := (len(before)-len(bytes.TrimRight(before, "\\")))%2 == 1
		switch {
		case end < 0:
			s.escaped = escaped
			return nil
		case !escaped:
			s.quoted = false
			s.endString()
			return data[end+1:]
		}
		data = data[end+1:]
	}
}

// begin begins a string or a scalar, and decides whether it is to be kept.
func (s *Skimmer) begin(c byte) {
	s.text = s.text[:0]
	s.capture = s.depth <= skimDepth && s.depth > 0 && !s.inArray() && (s.naming || wanted[s.path()])
	s.keep(c)
}

func (s *Skimmer) keep(c byte) {
	if s.capture && len(s.text) < skimBytes {
		s.text = append(s.text, c)
	}
}

func (s *Skimmer) endString() {
	if !s.naming {
		s.store()
		return
	}
	if s.capture && len(s.text) >= 2 {
		s.keys[s.depth] = string(s.text[1 : len(s.text)-1])
	}
}

func (s *Skimmer) endScalar() {
	if s.scalar {
		s.scalar = false
		s.store()
	}
}

// store keeps a value; of members of the same name the last one counts, as with most
// decoders.
func (s *Skimmer) store() {
	if !s.capture {
		return
	}
	if len(s.text) >= skimBytes {
		s.text = s.text[:0]
	}
	if s.Found == nil {
		s.Found = map[string]string{}
	}
	s.Found[s.path()] = string(s.text)
}

// path is the names of the members that are open, with dots.
func (s *Skimmer) path() string {
	switch s.depth {
	case 1:
		return s.keys[1]
	case 2:
		return s.keys[1] + "." + s.keys[2]
	case 3:
		return s.keys[1] + "." + s.keys[2] + "." + s.keys[3]
	}
	return ""
}
