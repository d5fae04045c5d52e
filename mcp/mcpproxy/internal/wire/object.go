// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"bytes"
	"errors"
	"io"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// errKind is that of a value of another kind than the one that is wanted.
var errKind = errors.New("wire: got a value of another kind")

// reader reads a text in place.
type reader struct {
	text    bytes.Buffer
	decoder jsontext.Decoder
}

var readers = sync.Pool{New: func() any { return new(reader) }}

// Read has read read a text that is one value: it is given a decoder at the beginning, which is not to be kept. An error
// is one of read, or what follows the value.
func Read(text []byte, read func(d *jsontext.Decoder) error, options ...jsontext.Options) error {
	r := readers.Get().(*reader)
	defer func() {
		r.text = bytes.Buffer{}
		r.decoder.Reset(&r.text)
		readers.Put(r)
	}()
	r.text = *bytes.NewBuffer(text)
	r.decoder.Reset(&r.text, options...)
	if err := read(&r.decoder); err != nil {
		return err
	}
	_, err := r.decoder.ReadToken()
	if err == io.EOF {
		return nil
	}
	return errors.Join(errKind, err)
}

// ReadMembers calls visit for each member of the object that a decoder has before it. The name and the value are valid
// until visit returns, or as long as the decoder's text is, if that is read in place.
func ReadMembers(d *jsontext.Decoder, visit func(name []byte, value jsontext.Value) error) error {
	if kind := d.PeekKind(); kind != '{' && kind != 0 {
		return errKind
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != '}' {
		name, err := d.ReadValue()
		if err != nil {
			return err
		}
		value, err := d.ReadValue()
		if err != nil {
			return err
		}
		if err := visit(unquote(name), value[:len(value):len(value)]); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

// unquote is the value of a string of JSON.
func unquote(text jsontext.Value) []byte {
	inner := text[1 : len(text)-1]
	if bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return inner
	}
	value, _ := jsontext.AppendUnquote(nil, text) // with U+FFFD for what is no UTF-8
	return value
}

// ReadText reads a string, or null, which leaves what was there empty.
func ReadText(value jsontext.Value, into *string) error {
	switch value.Kind() {
	case '"':
		*into = string(unquote(value))
	case 'n':
		*into = ""
	default:
		return errKind
	}
	return nil
}

// ReadFlag reads true, false, or null, which is false.
func ReadFlag(value jsontext.Value, into *bool) error {
	switch value.Kind() {
	case 't', 'f', 'n':
		*into = value.Kind() == 't'
		return nil
	}
	return errKind
}
