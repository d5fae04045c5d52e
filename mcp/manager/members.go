// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package manager

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// A parser reads one configuration.
type parser struct {
	lookup func(string) (string, bool)
	config *Config
}

type member struct {
	name  string
	value []byte
}

// members are an object's, in order; a name that is there twice is an error.
func members(text []byte) (list []member, err error) {
	dec := jsontext.NewDecoder(bytes.NewReader(text))
	if dec.PeekKind() != '{' {
		if _, err := dec.ReadToken(); err != nil {
			return nil, syntax(err)
		}
		return nil, errors.New("got JSON that is no object, want one")
	}
	for {
		tok, err := dec.ReadToken()
		if err != nil {
			return nil, syntax(err)
		}
		switch tok.Kind() {
		case '{':
			continue
		case '}':
			if _, err := dec.ReadToken(); err != io.EOF {
				return nil, errors.New("got text after the object, want none")
			}
			return list, nil
		}
		name := tok.String()
		value, err := dec.ReadValue()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", clip(name), syntax(err))
		}
		list = append(list, member{name, bytes.Clone(value)})
	}
}

// syntax is what is wrong with JSON, without what it contains.
func syntax(err error) error {
	var e *jsontext.SyntacticError
	if errors.As(err, &e) {
		if errors.Is(e.Err, jsontext.ErrDuplicateName) {
			return fmt.Errorf("got a name twice (at byte %d), want it once", e.ByteOffset)
		}
		return fmt.Errorf("got invalid JSON at byte %d, want valid JSON", e.ByteOffset)
	}
	return errors.New("got invalid or incomplete JSON, want valid JSON")
}

// decode reads one field; an error tells kinds, never values.
func decode(text []byte, into any) error {
	if d, ok := into.(*time.Duration); ok {
		var s string
		if err := json.Unmarshal(text, &s); err != nil {
			return errors.New(`got no string, want a duration as "30s"`)
		}
		var err error
		if *d, err = time.ParseDuration(s); err != nil || *d < 0 {
			return errors.New(`got a string that is no duration of 0 or above, want one as "30s"`)
		}
		return nil
	}
	if err := json.Unmarshal(text, into); err != nil {
		var kind *json.UnmarshalTypeError
		if errors.As(err, &kind) {
			return fmt.Errorf("got a JSON %s, want %s", strings.Fields(kind.Value)[0], wanted(into))
		}
		return fmt.Errorf("got invalid JSON, want %s", wanted(into))
	}
	return nil
}

// wanted is the JSON form of a field, for an error.
func wanted(into any) string {
	switch into.(type) {
	case *string:
		return "a string"
	case *[]string:
		return "an array of strings"
	case *map[string]string:
		return "an object of strings"
	case *bool, **bool: // the latter may be missing
		return "true or false"
	}
	return "a whole number"
}
