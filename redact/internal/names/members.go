// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package names

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
)

// IsValueName reports whether a member of this name holds the value of what stands
// above or beside.
func IsValueName(key string) bool {
	if key == "" || len(key) > 12 {
		return false
	}
	switch chars.Fold[key[0]] {
	case 'v', 'd', 's', 'c', 't', 'p', 'r', 'n', 'o', 'b':
	default:
		return false
	}
	switch key {
	case "value", "val", "v", "data", "secret", "content", "text", "plain", "raw", "current", "new", "old",
		"default", "body",
		"Value", "Data", "Secret", "stringValue", "string_value", "secretValue", "secret_value":
		return true
	}
	return false
}

// IsTarget reports whether a member of this name holds what the "value" beside it is put into.
func IsTarget(key string) bool {
	switch key {
	case "target", "element", "locator", "field", "input", "selector", "key":
		return true
	}
	return false
}

// OfField is the name in the description of a form's field: "Password" of "Password field" and
// of "/user/Password".
func OfField(v string) string {
	if len(v) > 1 && v[0] == '/' { // of a JSON patch
		v = v[strings.LastIndexByte(v, '/')+1:]
	}
	for _, word := range [...]string{" field", " input", " textbox", " text box", " box"} {
		if n := len(v) - len(word); n >= 0 && chars.EqualFold(v[n:], word) {
			return v[:n]
		}
	}
	return v
}

// IsPairName reports whether a member of this name names what "value" holds.
func IsPairName(key string) bool {
	switch key {
	case "name", "key", "header", "variable", "var", "field", "param", "parameter", "env", "k", "attribute",
		"property", "label", "selector", "element", "locator", "placeholder", "id", "path", "Name", "Key", "Header", "Variable":
		return true
	}
	return false
}
