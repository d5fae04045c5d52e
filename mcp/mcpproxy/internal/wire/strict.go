// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package wire

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// ReadStrict reads what a client sends to a server that policies stand before, in the one way in which
// every reader reads it: JSON in UTF-8 without a member that stands twice (RFC 8259, 4 and 8), whose
// names are those of JSON-RPC with their case as well. refused says what was got instead, and what is
// wanted; "" is for what was understood. The message is empty for a batch, which has no call of a
// tool.
func ReadStrict(text []byte) (m Message, refused string) {
	if jsontext.Value(text).Kind() == '[' {
		return m, refusedBatch(text)
	}
	return understoodOne(text)
}

// refusedBatch says what a batch has that policies cannot govern; "" for nothing.
func refusedBatch(text []byte) string {
	d := jsontext.NewDecoder(bytes.NewBuffer(text))
	_, err := d.ReadToken()
	for n := 1; err == nil && (n == 1 || d.PeekKind() != ']'); n++ {
		var one jsontext.Value
		if one, err = d.ReadValue(); err != nil {
			break
		}
		switch m, refused := understoodOne(one); {
		case n > maxBatch:
			return "a batch of more than 1024 messages: want fewer, or each on its own"
		case refused != "":
			return refused
		case m.Method == MethodCallTool:
			return "a batch with a tools/call: want each on its own, so that policies can govern it"
		}
	}
	if err == nil {
		_, err = d.ReadToken()
	}
	if err == nil {
		_, err = d.ReadToken()
	}
	if err != io.EOF {
		return notJSON(err)
	}
	return ""
}

// ReadStrictLine is understood for a line, without its end. A carriage return within it may be a
// line's end to a server.
func ReadStrictLine(text []byte) (m Message, refused string) {
	if bytes.IndexByte(text, '\r') >= 0 {
		return m, "a carriage return within a line, which may end it for some readers: want none"
	}
	return ReadStrict(text)
}

// understoodOne reads a message that stands in no batch.
func understoodOne(text []byte) (m Message, refused string) {
	odd := false
	err := m.read(text, func(name []byte) { odd = odd || mistakable(string(name), messageNames) })
	if err != nil && string(bytes.TrimSpace(text)) != "null" {
		return m, notJSON(err)
	}
	switch id := m.ID.Kind(); {
	case jsontext.Value(text).Kind() != '{' || !m.Valid():
		return m, "JSON that is no message of JSON-RPC: want one"
	case m.Method != "" && (m.Result != nil || m.Error != nil):
		return m, "a message that is a request and an answer: want one or the other"
	case len(m.ID) > 0 && id != '"' && id != '0' && id != 'n':
		return m, "an id that is no string and no number: want one"
	case odd:
		return m, "a member whose name some readers take for another: want the names of JSON-RPC, in lower case"
	case m.Method != MethodCallTool && (alike(m.Method, MethodCallTool) || hasControl(m.Method)):
		return m, "a method that some readers take for tools/call: want tools/call"
	case m.Method == MethodCallTool:
		return m, m.refusedCall()
	case m.Method == MethodCancelled:
		return m, m.refusedCancel()
	}
	return m, ""
}

// messageNames are the names of a message, and callNames those of a call's parameters that a policy reads.
var (
	messageNames = []string{"jsonrpc", "id", "method", "params", "result", "error"}
	callNames    = []string{"name", "arguments", "requestState", "inputResponses", "task"}
)

// refusedCall says what a call has that policies cannot govern; "" for nothing.
func (m *Message) refusedCall() string {
	var p Params
	odd := false
	switch {
	case m.Key() == "":
		return "a tools/call without an id of at most 256 bytes: want one, so that policies can answer it"
	case !echoed(m.ID):
		return "an id that a server may answer in another form: want an integer, or a string without needless escapes"
	case p.read(m.Params, func(name []byte) { odd = odd || mistakable(string(name), callNames) }) != nil:
		return "parameters that are none of a tools/call: want an object with name and arguments"
	case odd:
		return "a parameter whose name some readers take for another: want those of tools/call, with their case"
	case p.Name == "" || hasControl(p.Name):
		return "no name of a tool, or one with a control character: want the tool's name"
	case len(p.Arguments) > 0 && p.Arguments.Kind() != '{' && p.Arguments.Kind() != 'n':
		return "arguments that are no object: want an object"
	}
	m.params = &p
	return ""
}

// refusedCancel says what a notification that gives a request up has that leaves open which one; "" for nothing.
func (m *Message) refusedCancel() string {
	var p Params
	if len(m.Params) > 0 && (Unmarshal(m.Params, &p) != nil || !NamesOnly(m.Params, "requestId")) ||
		len(p.RequestID) > 0 && !echoed(p.RequestID) {
		return "a requestId that readers may read differently: want it as the request's id is written"
	}
	return ""
}

// echoed reports whether servers write an id as it came: an integer, or a string in its canonical form
// (RFC 8785, 3.2.2.2).
func echoed(id jsontext.Value) bool {
	if id.Kind() == '0' {
		return !bytes.ContainsAny(id, ".eE") && string(id) != "-0"
	}
	form := id.Clone()
	return id.Kind() == '"' && form.Canonicalize() == nil && string(form) == string(id)
}

// notJSON says why a text was not read.
func notJSON(err error) string {
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return "a member twice, which two readers may read differently: want it once"
	}
	return "what is no message of JSON-RPC, in JSON and UTF-8 without a byte order mark and half surrogates: want one"
}

// NamesOnly reports whether no name of an object, which is valid, can be taken for one of those it has
// beside it. None of these can be taken for another one.
func NamesOnly(object []byte, names ...string) bool {
	d := jsontext.NewDecoder(bytes.NewBuffer(object), Lenient)
	if _, err := d.ReadToken(); err != nil {
		return false
	}
	for d.PeekKind() == '"' {
		token, err := d.ReadToken()
		if err != nil {
			return false
		}
		if mistakable(token.String(), names) || d.SkipValue() != nil {
			return false
		}
	}
	return true
}

// mistakable reports whether a name can be taken for another one of some.
func mistakable(got string, names []string) bool {
	return !slices.Contains(names, got) &&
		(hasControl(got) || slices.ContainsFunc(names, func(name string) bool { return alike(got, name) }))
}

// alike reports whether a reader may take a name for another: many compare without case, as
// encoding/json does, and some leave out what is no letter.
func alike(a, b string) bool {
	for {
		var x, y rune
		x, a = firstLetter(a)
		y, b = firstLetter(b)
		switch {
		case x == 0 || y == 0:
			return x == y
		case x != y && !strings.EqualFold(string(x), string(y)):
			return false
		}
	}
}

// firstLetter is the first letter of a text, 0 without one, and what follows it.
func firstLetter(s string) (letter rune, rest string) {
	for i, r := range s {
		if unicode.IsLetter(r) {
			return r, s[i+utf8.RuneLen(r):]
		}
	}
	return 0, ""
}

// hasControl reports whether a text has a control character: for some readers a NUL ends it.
func hasControl(s string) bool { return strings.ContainsFunc(s, unicode.IsControl) }

// RefusedID is the id that a refusal of a text answers: null if it has none, or is no request.
func RefusedID(text []byte) jsontext.Value {
	var m Message
	if Unmarshal(text, &m) == nil && m.IsRequest() && len(m.ID) > 0 {
		return m.ID
	}
	return jsontext.Value("null")
}
