// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package names

import (
	"strings"

	"github.com/toolscope/toolscope/internal/chars"
)

// valueNames are names of members that hold the value of what stands above or beside.
var valueNames = Set("value val v data secret content text plain raw current new old default body before after answer " +
	"input Value Data Secret")

// IsValueName reports whether a member of this name holds the value of what stands
// above or beside: value, oldValue, secret_string.
func IsValueName(key string) bool {
	if valueNames[key] {
		return true
	}
	return endsWithWord(key, "alue") || endsWithWord(key, "tring")
}

// maxMember is the longest name of these in bytes, with several words.
const maxMember = 24

// endsWithWord reports whether tail ends the name of a member, and the letter before it begins a word that is not the
// first: alue of oldValue and of old_value.
func endsWithWord(key, tail string) bool {
	i := len(key) - len(tail) - 1
	return i > 0 && len(key) <= maxMember && strings.HasSuffix(key, tail) && (chars.IsUpper(key[i]) || key[i-1] == '_')
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
		v = v[chars.LastByte(v, '/')+1:]
	}
	for _, word := range [...]string{" field", " input", " textbox", " text box", " box"} {
		if n := len(v) - len(word); n >= 0 && chars.EqualFold(v[n:], word) {
			return v[:n]
		}
	}
	return v
}

// OfInput is the name of a field without the word that says that it is one: "api-key" of "api-key-input".
func OfInput(v string) string {
	for _, word := range [...]string{"input", "field", "textbox", "box"} {
		if n := len(v) - len(word); n > 1 && chars.EqualFold(v[n:], word) {
			return strings.TrimRight(v[:n], "-_")
		}
	}
	return v
}

// pairNames are names of members that name what "value" holds.
var pairNames = Set("name key header variable var field param parameter env k attribute property label selector " +
	"element locator placeholder id path question target into prompt option setting")

// IsPairName reports whether a member of this name names what "value" holds: name, ParameterKey, header_name.
func IsPairName(key string) bool {
	if pairNames[strings.ToLower(key)] {
		return true
	}
	i := len(key) - len("name")
	if endsWithWord(key, "ey") {
		i++
	} else if !endsWithWord(key, "ame") {
		return false
	}
	return chars.OneOf("parameter header option secret variable field param env property attribute setting",
		strings.ToLower(strings.TrimRight(key[:i], "_")))
}
