// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package names

import (
	"strings"
	"unsafe"

	"github.com/toolscope/toolscope/internal/chars"
)

// IsValueName reports whether a member of this name holds the value of what stands
// above or beside: value, oldValue, secret_string.
func IsValueName(key string) bool {
	var b [maxMember]byte
	head, word := lastWord(&b, key)
	switch word {
	case "value", "string":
		return head > 0 || word == "value"
	case "val", "v", "data", "secret", "content", "text", "plain", "raw", "current", "new", "old", "default", "body",
		"before", "after", "answer", "input":
		return head == 0
	}
	return false
}

// maxMember is the longest of the words of this file, in bytes.
const maxMember = 12

// lastWord is the last word of a name, in lower case and in b, and where it begins: value of "currentValue" and of
// "current_value". It is "" if the name is longer than two of the longest words.
func lastWord(b *[maxMember]byte, key string) (from int, word string) {
	for from = len(key); from > 0 && chars.IsLetter(key[from-1]); {
		if from--; chars.IsUpper(key[from]) {
			break
		}
	}
	if len(key) > 2*maxMember || len(key)-from > maxMember {
		return 0, ""
	}
	n := copy(b[:], key[from:])
	for i := range b[:n] {
		b[i] = chars.Fold[b[i]]
	}
	return from, unsafe.String(&b[0], n)
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

// IsPairName reports whether a member of this name names what "value" holds: name, ParameterKey, header_name.
func IsPairName(key string) bool {
	var b [maxMember]byte
	from, word := lastWord(&b, key)
	if from > 0 {
		if word != "name" && word != "key" {
			return false
		}
		if from, word = lastWord(&b, strings.TrimRight(key[:from], "_-")); word == "secret" {
			return from == 0
		}
	}
	switch word {
	case "name", "key", "header", "variable", "var", "field", "param", "parameter", "env", "k", "attribute", "property",
		"label", "selector", "element", "locator", "placeholder", "id", "path", "question", "target", "into", "prompt",
		"option", "setting":
		return from == 0
	}
	return false
}
