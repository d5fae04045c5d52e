// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// errNoObject is for a text that has no object where one was to be written into.
var errNoObject = errors.New("mcpproxy: got JSON without an object, want one")

// Splice returns an object's text with another value for the member at path; every other
// byte stays. Members on the way that are not there are made. value is JSON.
func Splice(text []byte, value []byte, path ...string) ([]byte, error) {
	start, end, err := Member(text, path[0])
	switch {
	case err == io.EOF:
		for i := len(path) - 1; i > 0; i-- {
			value = bytes.Join([][]byte{[]byte("{" + Quoted(path[i]) + ":"), value, []byte("}")}, nil)
		}
		return insert(text, path[0], value)
	case err != nil:
		return nil, err
	}
	if len(path) > 1 {
		if value, err = Splice(text[start:end], value, path[1:]...); err != nil {
			return nil, err
		}
	}
	out := make([]byte, 0, len(text)-(end-start)+len(value))
	return append(append(append(out, text[:start]...), value...), text[end:]...), nil
}

// Member finds where the value of an object's member stands; io.EOF if it has none of that
// name. Of several the last one counts.
func Member(text []byte, name string) (start, end int, err error) {
	d := jsontext.NewDecoder(bytes.NewReader(text), Lenient)
	if token, err := d.ReadToken(); err != nil || token.Kind() != '{' {
		return 0, 0, errNoObject
	}
	found := false
	for d.PeekKind() == '"' {
		key, err := d.ReadToken()
		if err != nil {
			return 0, 0, errNoObject
		}
		same := key.String() == name
		value, err := d.ReadValue()
		if err != nil {
			return 0, 0, errNoObject
		}
		if same {
			found, end = true, int(d.InputOffset())
			start = end - len(value)
		}
	}
	if !found {
		return 0, 0, io.EOF
	}
	return start, end, nil
}

// insert adds a member at an object's beginning.
func insert(text []byte, name string, value []byte) ([]byte, error) {
	at := bytes.IndexByte(text, '{') + 1
	if at == 0 {
		return nil, errNoObject
	}
	rest := text[at:]
	comma := []byte(",")
	if trimmed := bytes.TrimSpace(rest); len(trimmed) > 0 && trimmed[0] == '}' {
		comma = nil
	}
	return bytes.Join([][]byte{text[:at], []byte(Quoted(name) + ":"), value, comma, rest}, nil), nil
}

// Quoted is a string in JSON.
func Quoted(s string) string {
	b, err := jsontext.AppendQuote(nil, s)
	if err != nil { // invalid UTF-8, which was replaced
		return string(b)
	}
	return string(b)
}
