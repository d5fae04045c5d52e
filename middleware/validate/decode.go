// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// decode reads one JSON value as the schema's library wants it: numbers keep their
// digits. It is an error if the text is not what everybody reads alike.
func decode(text json.RawMessage) (any, error) {
	d := jsontext.NewDecoder(bytes.NewBuffer(text)) // which reads in place
	value, err := readValue(d)
	if err == nil {
		if _, err = d.ReadToken(); err == io.EOF {
			return value, nil
		}
		return nil, errors.New("something follows the value, want one JSON object")
	}
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		return nil, fmt.Errorf("at byte %d: %w", syntax.ByteOffset, syntax.Err)
	}
	return nil, err
}

// readValue reads a value of any kind. The decoder bounds how deep it may be.
func readValue(d *jsontext.Decoder) (any, error) {
	token, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case '"':
		return token.String(), nil
	case '0':
		return json.Number(token.String()), nil
	case 't', 'f':
		return token.Bool(), nil
	case '{':
		return readObject(d)
	case '[':
		return readArray(d)
	}
	return nil, nil // null: what else there is ends an object or array, and is read below
}

func readObject(d *jsontext.Decoder) (any, error) {
	object := map[string]any{}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		key := name.String() // before the next token is read
		if object[key], err = readValue(d); err != nil {
			return nil, err
		}
	}
	_, err := d.ReadToken()
	return object, err
}

func readArray(d *jsontext.Decoder) (any, error) {
	array := []any{}
	for d.PeekKind() != ']' {
		value, err := readValue(d)
		if err != nil {
			return nil, err
		}
		array = append(array, value)
	}
	_, err := d.ReadToken()
	return array, err
}
