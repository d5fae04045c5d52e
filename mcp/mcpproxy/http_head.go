// Copyright The toolscope Authors
// SPDX-License-Identifier: Apache-2.0

package mcpproxy

import (
	"bytes"
	"strconv"
	"strings"
)

// maxHead is how long the head of a request or an answer may be, in bytes.
const maxHead = 256 << 10

// headEnd is where the head ends that a text begins with, behind its empty line; 0 if that has not
// come. Nothing before from is looked at again.
func headEnd(text []byte, from int) int {
	for at := max(0, from-2); ; at++ {
		i := bytes.IndexByte(text[at:], '\n')
		if i < 0 {
			return 0
		}
		at += i
		switch rest := text[at+1:]; {
		case len(rest) > 0 && rest[0] == '\n':
			return at + 2
		case len(rest) > 1 && rest[0] == '\r' && rest[1] == '\n':
			return at + 3
		}
	}
}

// requestHead is what matters of a request's head.
type requestHead struct {
	method, query        string
	hostFrom             int // where the value of Host begins in the text
	host, origin, site   string
	contentType, session string
	length               int64 // of the body
}

// parseRequest reads a head, from its first byte to its empty line, in the one form that all readers of
// HTTP/1.1 read alike (RFC 9112): lines that end in CRLF, Host once, a body of a known length or
// none. False is for all else, requests for another protocol or for a permission to go on
// included: they need more than to be passed on.
func parseRequest(text []byte) (q requestHead, ok bool) {
	line, rest, ok := bytes.Cut(text, []byte("\r\n"))
	method, target, ok2 := strings.Cut(string(line), " ")
	target, ok3 := strings.CutSuffix(target, " HTTP/1.1")
	if !ok || !ok2 || !ok3 || !isToken(method) || !isTarget(target) {
		return q, false
	}
	q.method = method
	_, q.query, _ = strings.Cut(target, "?")
	seen := [fieldCount]bool{}
	ok = fields(rest, func(name field, value string, at int) bool {
		twice := seen[name]
		seen[name] = true
		switch name {
		case fieldHost:
			q.host, q.hostFrom = value, len(text)-len(rest)+at
		case fieldLength:
			q.length, ok = length(value)
			return ok && !twice
		case fieldType:
			q.contentType = value
		case fieldOrigin:
			q.origin = value
		case fieldSite:
			q.site = value
		case fieldSession:
			q.session = value
		case fieldTransfer, fieldExpect, fieldUpgrade:
			return false
		}
		return !twice
	})
	return q, ok && q.host != ""
}

// length is the value of Content-Length.
func length(text string) (n int64, ok bool) {
	u, err := strconv.ParseUint(text, 10, 63)
	return int64(u), err == nil
}

// answerHead is what matters of an answer's head.
type answerHead struct {
	status                         int
	length                         int64 // of the body; -1 if the head does not say
	chunked                        bool
	contentType, encoding, session string
}

// parseAnswer reads the head of an answer, with what a client is to put up with: lines that end in LF
// alone or go on in the next one, and a length that is told more than once (RFC 9112, 2.2, 5.2, 6.3).
// False is for what is no head, and for codings of the transfer other than chunked and identity.
func parseAnswer(text []byte) (a answerHead, ok bool) {
	if a, ok = parseAnswerLines(text); ok {
		return a, true
	}
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	text = bytes.ReplaceAll(text, []byte("\n "), []byte("  "))
	text = bytes.ReplaceAll(text, []byte("\n\t"), []byte("  "))
	return parseAnswerLines(bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")))
}

// parseAnswerLines reads a head of lines that end in CRLF.
func parseAnswerLines(text []byte) (a answerHead, ok bool) {
	line, rest, ok := bytes.Cut(text, []byte("\r\n"))
	if !ok || len(line) < len("HTTP/1.1 200") || string(line[:7]) != "HTTP/1." || line[8] != ' ' {
		return a, false
	}
	var err error
	if a.status, err = strconv.Atoi(string(line[9:12])); err != nil || a.status < 100 {
		return a, false
	}
	a.length = -1
	ok = fields(rest, func(name field, value string, _ int) (ok bool) {
		switch name {
		case fieldTransfer:
			if strings.EqualFold(value, "identity") { // none: of HTTP/1.1 as it was (RFC 2616, 3.6)
				return !a.chunked
			}
			a.chunked = strings.EqualFold(value, "chunked")
			return a.chunked
		case fieldLength:
			for text := range strings.SplitSeq(value, ",") {
				before := a.length
				a.length, ok = length(strings.TrimSpace(text))
				if !ok || before >= 0 && before != a.length {
					return false
				}
			}
		case fieldType:
			a.contentType = value
		case fieldEncoding:
			a.encoding = value
		case fieldSession:
			a.session = value
		}
		return true
	})
	return a, ok
}

// field is a field of a head that matters.
type field uint8

const (
	fieldHost field = iota + 1
	fieldLength
	fieldTransfer
	fieldExpect
	fieldUpgrade
	fieldType
	fieldEncoding
	fieldOrigin
	fieldSite
	fieldSession
	fieldCount
)

// fieldNames are the names in lower case.
var fieldNames = map[string]field{
	"host": fieldHost, "content-length": fieldLength, "transfer-encoding": fieldTransfer, "expect": fieldExpect, "upgrade": fieldUpgrade,
	"content-type": fieldType, "content-encoding": fieldEncoding, "origin": fieldOrigin, "sec-fetch-site": fieldSite, "mcp-session-id": fieldSession,
}

// longestName is how long the names are at most.
const longestName = len("transfer-encoding")

// fields gives f the fields of a head that matter, with their values without blanks around them
// and where these begin, until f returns false. It returns false then, and for a line that
// is no field.
func fields(head []byte, f func(name field, value string, at int) bool) bool {
	for text := head; ; {
		line, rest, ok := bytes.Cut(text, []byte("\r\n"))
		if !ok {
			return false
		}
		if len(line) == 0 {
			return len(rest) == 0
		}
		colon := bytes.IndexByte(line, ':')
		if colon < 0 || !isToken(line[:colon]) || bytes.IndexFunc(line[colon:], isControl) >= 0 {
			return false
		}
		if name := nameOf(line[:colon]); name > 0 {
			value := bytes.TrimLeft(line[colon+1:], " \t")
			at := len(head) - len(text) + len(line) - len(value)
			if !f(name, string(bytes.TrimRight(value, " \t")), at) {
				return false
			}
		}
		text = rest
	}
}

// nameOf is which of the fields has a name, in any case; 0 for none.
func nameOf(name []byte) field {
	var lower [longestName]byte
	if len(name) > len(lower) {
		return 0
	}
	for i, c := range name {
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		lower[i] = c
	}
	return fieldNames[string(lower[:len(name)])]
}

// isControl reports whether a character may not stand in a value.
func isControl(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }

// isTarget reports whether a text is a path, with or without a query.
func isTarget(s string) bool {
	return strings.HasPrefix(s, "/") && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == '#' || r >= 0x7f })
}

// isToken reports whether a text is a token (RFC 9110, 5.6.2).
func isToken[T string | []byte](s T) bool {
	for i := range len(s) {
		if c := s[i]; c >= 0x80 || !tokens[c] {
			return false
		}
	}
	return len(s) > 0
}

// tokens are the characters of tokens.
var tokens = func() (set [0x80]bool) {
	for _, c := range "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" {
		set[c] = true
	}
	return set
}()
