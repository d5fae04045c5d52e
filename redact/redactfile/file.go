// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package redactfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"go.yaml.in/yaml/v4"

	"github.com/toolscope/toolscope/redact"
)

// maxSize is the largest file that is read, in bytes.
const maxSize = 1 << 20

// maxErrors is how many errors of a file are told.
const maxErrors = 20

// An Error is one thing that is wrong in a file.
type Error struct {
	File  string
	Line  int    // from 1; 0 if it is no line's
	Field string // where, such as rules[2].path
	Text  string // what was got and what is wanted
}

// Error is "file:line: field: text".
func (e *Error) Error() string {
	at := e.File
	if e.Line > 0 {
		at = fmt.Sprintf("%s:%d", at, e.Line)
	}
	if e.Field != "" {
		at += ": " + e.Field
	}
	return at + ": " + e.Text
}

// Load reads a file and makes the redactor it describes. The errors name file, line and
// field; several are joined.
func Load(path string) (*redact.Redactor, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("redactfile: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if err != nil {
		return nil, fmt.Errorf("redactfile: %w", err)
	}
	options, err := Parse(path, data)
	if err != nil {
		return nil, err
	}
	return redact.New(options)
}

// Parse reads the text of a file as options for [redact.New]. name stands in errors.
// [redact.New] reads the variables of known.environment; Parse reads the key of tags.
func Parse(name string, data []byte) (redact.Options, error) {
	if len(data) > maxSize {
		return redact.Options{}, &Error{File: name, Text: fmt.Sprintf("got more than %d bytes, want fewer", maxSize)}
	}
	var doc, more yaml.Node
	documents := yaml.NewDecoder(bytes.NewReader(data))
	if err := documents.Decode(&doc); err != nil && err != io.EOF { // an empty file says nothing
		return redact.Options{}, &Error{File: name, Text: err.Error()}
	}
	switch err := documents.Decode(&more); {
	case err == nil:
		return redact.Options{}, &Error{File: name, Line: more.Line, Text: "got a second document, want one"}
	case err != io.EOF:
		return redact.Options{}, &Error{File: name, Text: err.Error()}
	}
	r := &reader{file: name}
	if len(doc.Content) > 0 && doc.Content[0].Tag != "!!null" {
		r.top(doc.Content[0])
	}
	if len(r.errors) > 0 {
		return redact.Options{}, errors.Join(r.errors...)
	}
	return r.options, nil
}
