// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// PlainID is an id as most write it: readers take 1.0 for 1, and a text for itself whatever is escaped.
func PlainID(id jsontext.Value) string {
	switch id.Kind() {
	case '"':
		return Quoted(Unquoted(string(id)))
	case '0':
		if n, ok := SafeInteger(id); ok {
			return strconv.FormatInt(n, 10)
		}
	}
	return string(id)
}

// NumberIn is the integer that a string is to the clients of the SDKs for TypeScript and Python: theirs are numbers, and
// they take the answer "7" for the one to 7. False for none.
func NumberIn(id jsontext.Value) (string, bool) {
	if id.Kind() != '"' {
		return "", false
	}
	text := strings.ReplaceAll(strings.TrimSpace(Unquoted(string(id))), "_", "")
	if text == "" { // to JavaScript
		return "0", true
	}
	if n, ok := SafeInteger(jsontext.Value(text)); ok {
		return strconv.FormatInt(n, 10), true
	}
	n, err := strconv.ParseInt(text, 0, 64) // 0x7
	return strconv.FormatInt(n, 10), err == nil
}

// IDAnswers reports whether readers take the id of an answer for that of a request.
func IDAnswers(answer, request jsontext.Value) bool {
	if n, ok := NumberIn(answer); ok && n == PlainID(request) {
		return true
	}
	return string(answer) == string(request) || PlainID(answer) == PlainID(request)
}

// SafeInteger is a number that is an integer of at most 53 bits, as JavaScript has them.
func SafeInteger(number jsontext.Value) (int64, bool) {
	f, err := strconv.ParseFloat(string(number), 64)
	const most = 1<<53 - 1
	if err != nil || f < -most || f > most || f != float64(int64(f)) {
		return 0, false
	}
	return int64(f), true
}
