// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package view

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Render returns the arguments as a person reads them: each member on a line, texts of several lines as blocks.
// Members that stand twice are shown twice, since the tool may read either. Arguments that are no JSON are shown byte
// by byte.
//
// mask is asked about texts that are a single word of letters, digits, - and _, are the whole value of a member, and
// are not part of a command; it returns what the value is if it is a secret. Then the mark says that in its place. nil
// masks nothing.
func Render(arguments []byte, mask func(name, value string) (kind string, secret bool)) []Part {
	w := &renderer{mask: mask}
	if len(bytes.TrimSpace(arguments)) == 0 {
		w.addPart(Note, "⟨no arguments⟩\n")
		return w.parts
	}
	w.in = jsontext.NewDecoder(bytes.NewReader(arguments), jsontext.AllowDuplicateNames(true))
	names := duplicates(arguments)
	err := w.value("", "", false)
	if err == nil {
		_, err = w.in.ReadToken()
	}
	if err == io.EOF {
		if names {
			w.parts = append([]Part{{Text: "⟨a name stands twice: the tool may read either value⟩\n", Kind: Note}}, w.parts...)
		}
		return w.parts
	}
	raw := &writer{}
	raw.addPart(Note, "⟨no JSON: the bytes as they are⟩\n")
	raw.block(string(arguments), "  ", true)
	return raw.parts
}

// duplicates reports whether an object has two members of a name that a reader may take for one.
func duplicates(arguments []byte) bool {
	in := jsontext.NewDecoder(bytes.NewReader(arguments), jsontext.AllowDuplicateNames(true))
	var seen []map[string]bool
	for {
		t, err := in.ReadToken()
		if err != nil {
			return false
		}
		switch depth := in.StackDepth(); t.Kind() {
		case '{', '[':
			seen = append(seen[:depth-1], map[string]bool{})
		case '"':
			if kind, n := in.StackIndex(depth); kind == '{' && n%2 == 1 {
				name := strings.ToLower(t.String())
				if seen[depth-1][name] {
					return true
				}
				seen[depth-1][name] = true
			}
		}
	}
}

// maxDepth bounds the indentation; what is nested deeper is shown byte by byte.
const maxDepth = 32

var errDeep = errors.New("view: the arguments are nested too deep")

type renderer struct {
	writer
	in   *jsontext.Decoder
	mask func(name, value string) (string, bool)
}

// value writes the next value; name is its member's, "" in a list.
func (w *renderer) value(indent, name string, command bool) error {
	t, err := w.in.ReadToken()
	if err != nil {
		return err
	}
	if w.in.StackDepth() > maxDepth {
		return errDeep
	}
	switch t.Kind() {
	case '{':
		return w.members(indent, command, '}', "{}")
	case '[':
		return w.members(indent, command, ']', "[]")
	case '"':
		w.text(t.String(), indent, name, command)
	default:
		w.addPart("", t.String())
		w.addPart(Layout, "\n")
	}
	return nil
}

// members writes what stands between brackets, one on a line.
func (w *renderer) members(indent string, command bool, end jsontext.Kind, empty string) error {
	if w.in.PeekKind() == end {
		w.addPart(Layout, empty+"\n")
	}
	if w.in.PeekKind() != end && w.in.StackDepth() > 1 {
		w.addPart(Layout, "\n")
	}
	for w.in.PeekKind() != end {
		name, inner := "", command
		w.addPart(Layout, indent)
		if end == ']' {
			w.addPart(Layout, "- ")
		} else {
			t, err := w.in.ReadToken()
			if err != nil {
				return err
			}
			name = t.String()
			inner = command || isCommand(name)
			w.name(name)
			w.addPart(Layout, ": ")
		}
		if err := w.value(indent+"    ", name, inner); err != nil {
			return err
		}
	}
	_, err := w.in.ReadToken()
	return err
}

// name writes a member's name, in quotation marks unless it is a plain word.
func (w *renderer) name(name string) {
	if plain(name) {
		w.addPart(Name, name)
		return
	}
	w.addPart(Layout, "\"")
	w.line(name, false, "\"")
	w.addPart(Layout, "\"")
}

// text writes a string: on the line if it is short and simple, else as a block.
func (w *renderer) text(s, indent, name string, command bool) {
	if name != "" && !command && w.mask != nil && plain(s) && len(s) >= 4 {
		if kind, secret := w.mask(name, s); secret {
			w.addPart(Masked, "⟨masked: "+kind+"⟩")
			w.addPart(Layout, "\n")
			return
		}
	}
	if !command && len(s) <= 200 && !strings.ContainsAny(s, "\"\\\n") {
		w.addPart(Layout, "\"")
		w.line(s, false, "")
		w.addPart(Layout, "\"\n")
		return
	}
	w.addPart(Layout, "\n")
	w.block(s, indent, command)
}

// block writes lines, each behind a bar.
func (w *writer) block(s, indent string, command bool) {
	for {
		line, rest, more := strings.Cut(s, "\n")
		w.addPart(Layout, indent+"│ ")
		w.line(line, command, "")
		if !more {
			w.addPart(Layout, "\n")
			return
		}
		if n := len(rest) - len(strings.TrimLeft(rest, "\n")); n >= maxLines {
			w.addPart(Hidden, run(n+1, "line end"))
			rest = rest[n:]
		}
		w.addPart(Layout, "\n")
		s = rest
	}
}

// plain reports whether a text is one word of ASCII letters, digits, - and _.
func plain(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_')
	})
}

// isCommand reports whether a member of that name is read as a command or a program.
func isCommand(name string) bool {
	name = strings.ToLower(name)
	for _, word := range []string{"command", "cmd", "script", "shell", "bash", "exec", "code", "argv", "args", "program"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}
