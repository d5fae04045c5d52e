// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package validate

import (
	"bytes"
	"encoding/json"
	"math/big"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// maxCoerced is how many values of one call are repaired.
const maxCoerced = 32

// coerce replaces the values of a wrong type that say the right one, each in its
// place: what surrounds them stays byte for byte. It returns the repaired text and the
// places, or nil if the result would still not fit the schema.
func coerce(schema *jsonschema.Schema, text json.RawMessage,
	failure *jsonschema.ValidationError) (repaired json.RawMessage, at string) {
	wanted := map[string][]string{} // the types wanted, by place
	for _, p := range problems(failure) {
		wrong, ok := p.ErrorKind.(*kind.Type)
		if !ok || len(wanted) == maxCoerced {
			return nil, ""
		}
		place := pointer(p.InstanceLocation)
		wanted[place] = append(wanted[place], wrong.Want...)
	}
	repaired, places := replace(text, func(place string, value jsontext.Value) []byte {
		for _, want := range wanted[place] {
			if other := as(want, value); other != nil {
				return other
			}
		}
		return nil
	})
	if len(places) != len(wanted) {
		return nil, ""
	}
	value, err := decode(repaired)
	if err != nil || check(schema, value) != nil {
		return nil, ""
	}
	return repaired, strings.Join(places, " ")
}

// replace copies text with other values where change gives one.
func replace(text []byte, change func(place string, value jsontext.Value) []byte) (out []byte, places []string) {
	d := jsontext.NewDecoder(bytes.NewReader(text))
	done := 0 // how much of text is in out
	for {
		token := d.PeekKind()
		if token == '}' || token == ']' {
			if _, err := d.ReadToken(); err != nil {
				return nil, nil
			}
			continue
		}
		if token == '{' || token == '[' {
			if _, err := d.ReadToken(); err != nil {
				return nil, nil
			}
			continue
		}
		value, err := d.ReadValue()
		if err != nil {
			return append(out, text[done:]...), places
		}
		place := string(d.StackPointer())
		if k, n := d.StackIndex(d.StackDepth()); k == '{' && n%2 == 1 {
			continue // a member's name
		}
		if other := change(place, value); other != nil {
			end := int(d.InputOffset())
			out = append(append(out, text[done:end-len(value)]...), other...)
			done = end
			places = append(places, place)
		}
	}
}

// as is a value as another type, nil if it does not say one exactly.
func as(want string, value jsontext.Value) []byte {
	var text string
	isString := value.Kind() == '"'
	if isString {
		unquoted, err := jsontext.AppendUnquote(nil, value)
		if err != nil {
			return nil
		}
		text = strings.TrimSpace(string(unquoted))
	} else {
		text = string(value)
	}
	switch want {
	case "string":
		if isString || value.Kind() == 'n' {
			return nil
		}
		quoted, err := jsontext.AppendQuote(nil, text)
		if err != nil {
			return nil
		}
		return quoted
	case "integer":
		return integer(text)
	case "number", "boolean", "null", "array", "object":
		other := jsontext.Value(text)
		kinds := map[string]string{"number": "0", "boolean": "tf", "null": "n", "array": "[", "object": "{"}[want]
		if isString && other.IsValid() && slices.Contains([]byte(kinds), byte(other.Kind())) {
			return other
		}
	}
	return nil
}

// maxDigits is how long the text of a number may be that is made an integer: an exponent
// must not make a short text a huge number.
const maxDigits = 40

// integer is a number's text as an integer's, nil if it is none: 5, "5", 5.0, 5e3.
func integer(text string) []byte {
	if len(text) > maxDigits || strings.ContainsAny(text, "xXpP_/nNiI") || !jsontext.Value(text).IsValid() {
		return nil
	}
	if i := strings.IndexAny(text, "eE"); i >= 0 && len(text)-i > 3 {
		return nil
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok || !r.IsInt() {
		return nil
	}
	return []byte(r.Num().String())
}
