// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package arguments

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	maxArgumentDepth = 64
	maxArguments     = 4 << 20 // bytes
)

// Arguments are a call's arguments as rules see them. Decoders differ in what they make
// of a name that comes twice, or with other capitals than the schema's, so names are
// found whatever their case, and two that differ in nothing else are an error.
type Arguments struct {
	Root any
	Err  error // they cannot be read, or in more than one way
	// folded are the values by the folded name of top-level members; all of them.
	Folded map[string][]any
}

// Read reads the arguments. Members get the spelling of names if they are in it.
func Read(text []byte, names map[string]string) *Arguments {
	a := &Arguments{Folded: map[string][]any{}}
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}")
	}
	if len(text) > maxArguments {
		a.Err = fmt.Errorf("the arguments have %d bytes, want at most %d", len(text), maxArguments)
		return a
	}
	d := &argumentDecoder{
		Arguments: a, names: names,
		dec: jsontext.NewDecoder(bytes.NewReader(text), jsontext.AllowDuplicateNames(true)),
	}
	root, err := d.value(0)
	if err == nil {
		if _, e := d.dec.ReadToken(); e != io.EOF {
			err = errors.New("the arguments are followed by something else")
		}
	}
	a.Root = root
	if err != nil {
		a.Err = err
	}
	if _, ok := root.(map[string]any); !ok && a.Err == nil {
		a.Err = errors.New("the arguments are no JSON object")
	}
	return a
}

type argumentDecoder struct {
	*Arguments
	names map[string]string
	dec   *jsontext.Decoder
}

func (d *argumentDecoder) value(depth int) (any, error) {
	if depth > maxArgumentDepth {
		return nil, errors.New("the arguments are nested too deeply")
	}
	t, err := d.dec.ReadToken()
	if err != nil {
		return nil, errors.New("the arguments are no valid JSON")
	}
	switch t.Kind() {
	case '"':
		return t.String(), nil
	case '0':
		return numberOf(t.String()), nil
	case 't', 'f':
		return t.Kind() == 't', nil
	case '[':
		list := []any{}
		for d.dec.PeekKind() != ']' {
			v, err := d.value(depth + 1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = d.dec.ReadToken()
		return list, err
	case '{':
		return d.object(depth)
	}
	return nil, nil
}

func (d *argumentDecoder) object(depth int) (any, error) {
	object := map[string]any{}
	seen := map[string]bool{}
	for d.dec.PeekKind() != '}' {
		t, err := d.dec.ReadToken()
		if err != nil {
			return nil, errors.New("the arguments are no valid JSON")
		}
		name := t.String()
		key := Fold(name)
		if seen[key] {
			d.Err = fmt.Errorf("the arguments have a name twice, or in two spellings: %.60q", name)
		}
		seen[key] = true
		if n, ok := d.names[key]; ok {
			name = n
		}
		v, err := d.value(depth + 1)
		if depth == 0 && err == nil {
			d.Folded[key] = append(d.Folded[key], v)
		}
		if err != nil {
			return nil, err
		}
		object[name] = v
	}
	_, err := d.dec.ReadToken()
	return object, err
}

// numberOf is an int if it is one, so that expressions can compare it with ==.
func numberOf(s string) any {
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	f, _ := strconv.ParseFloat(s, 64)
	return f
}

// Fold is the same for names that decoders may take for one another.
func Fold(name string) string {
	for i := range len(name) {
		if c := name[i]; c >= 0x80 || 'a' <= c && c <= 'z' {
			return strings.Map(func(c rune) rune {
				least := c
				for f := unicode.SimpleFold(c); f != c; f = unicode.SimpleFold(f) {
					least = min(least, f)
				}
				return least
			}, name)
		}
	}
	return name
}

// Lookup is the value at a JSON Pointer, nil if there is none.
func Lookup(root any, path []string) any {
	for _, key := range path {
		switch v := root.(type) {
		case map[string]any:
			root = v[key]
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(v) {
				return nil
			}
			root = v[i]
		default:
			return nil
		}
	}
	return root
}

// ParsePointer cuts a JSON Pointer (RFC 6901) into its keys.
func ParsePointer(p string) ([]string, error) {
	if p == "" || p[0] != '/' {
		return nil, fmt.Errorf("got %.60q, want a JSON Pointer such as /path or /items/0/name", p)
	}
	keys := strings.Split(p[1:], "/")
	for i, k := range keys {
		keys[i] = strings.ReplaceAll(strings.ReplaceAll(k, "~1", "/"), "~0", "~")
	}
	return keys, nil
}

// Texts are the strings at a value: it, or those of an array.
func Texts(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, x := range v {
			if s, ok := x.(string); ok {
				out = append(out, s)
			}
		}
		return out
	}
	return nil
}

// ReplaceText replaces the text of the one top-level member with the folded name, and leaves all else as it is.
func ReplaceText(text []byte, folded, value string) ([]byte, bool) {
	dec := jsontext.NewDecoder(bytes.NewReader(text))
	if t, err := dec.ReadToken(); err != nil || t.Kind() != '{' {
		return nil, false
	}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, false
		}
		found := Fold(name.String()) == folded
		old, err := dec.ReadValue()
		if err != nil {
			return nil, false
		}
		if !found {
			continue
		}
		end := int(dec.InputOffset())
		out := append([]byte(nil), text[:end-len(old)]...)
		if out, err = jsontext.AppendQuote(out, value); err != nil {
			return nil, false
		}
		return append(out, text[end:]...), true
	}
	return nil, false
}
