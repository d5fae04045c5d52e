// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mirror

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/toolscope/toolscope/mcp/mcpproxy/internal/wire"
)

// mirroredArgument is an argument that a header repeats, since the tool's schema says so.
type mirroredArgument struct {
	path   []string // from property to property
	header string
}

// maxMirrorDepth is how deep in a schema they are looked for.
const maxMirrorDepth = 16

// mirroredArguments are those of a schema, which stand below nothing but properties.
func mirroredArguments(schema jsontext.Value) []mirroredArgument {
	if !bytes.Contains(schema, []byte(`"x-mcp-header"`)) { // most have none
		return nil
	}
	return appendMirrored(nil, nil, schema)
}

func appendMirrored(found []mirroredArgument, path []string, schema jsontext.Value) []mirroredArgument {
	var s struct {
		Properties map[string]jsontext.Value `json:"properties"`
	}
	if len(path) >= maxMirrorDepth || wire.Unmarshal(schema, &s) != nil {
		return found
	}
	for name, property := range s.Properties {
		var p struct {
			Header string `json:"x-mcp-header"`
		}
		below := append(path[:len(path):len(path)], name)
		if wire.Unmarshal(property, &p) == nil && p.Header != "" && !strings.ContainsFunc(p.Header, noToken) {
			found = append(found, mirroredArgument{below, http.CanonicalHeaderKey(ParamPrefix + p.Header)})
		}
		found = appendMirrored(found, below, property)
	}
	return found
}

// noToken reports whether a character stands in no header's name (RFC 9110, 5.6.2).
func noToken(r rune) bool {
	return r <= ' ' || r > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
}

// value is the argument; nil if it is not there or null.
func (a mirroredArgument) value(arguments jsontext.Value) jsontext.Value {
	for _, name := range a.path {
		start, end, err := wire.Member(arguments, name)
		if err != nil {
			return nil
		}
		arguments = arguments[start:end]
	}
	if arguments.Kind() == 'n' {
		return nil
	}
	return arguments
}

// mirrorOf is a value as a header repeats it; false for one that no header repeats: none, a list, an object,
// and a number other than an integer that every reader reads alike.
func mirrorOf(value jsontext.Value) (string, bool) {
	switch value.Kind() {
	case '"', 't', 'f':
		return wire.Unquoted(string(value)), true
	case '0':
		if n, ok := wire.SafeInteger(value); ok {
			return strconv.FormatInt(n, 10), true
		}
	}
	return "", false
}

// sameInteger reports whether a header has an integer in another form: 42.0 for 42.
func sameInteger(header string, value jsontext.Value) bool {
	if value.Kind() != '0' {
		return false
	}
	var number jsontext.Value
	if json.Unmarshal([]byte(header), &number) != nil || number.Kind() != '0' {
		return false
	}
	a, ok := wire.SafeInteger(number)
	b, also := wire.SafeInteger(value)
	return ok && also && a == b
}
